import { unitKey } from '../units/unit-name.js';
import type { UnitKind } from '../units/unit.entity.js';
import type { PeopleListFault, PeopleListRow, PeopleList } from './people-list.js';

export interface ExistingPerson {
  id: string;
  name: string;
  email: string | null;
  memberId: string | null;
  groupId: string | null;
  costCentreId: string | null;
  removedAt: Date | null;
}
export interface ExistingUnit {
  id: string;
  kind: UnitKind;
  name: string;
}
/** What there is before the list. */
export interface ExistingPeople {
  /** By address, own and other ones. */
  holders: ReadonlyMap<string, ExistingPerson>;
  units: readonly ExistingUnit[];
}

export interface FieldChange {
  field: 'name' | 'group' | 'cost_centre' | 'alias';
  from: string | null;
  to: string | null;
}
/** What one line does. */
export interface PlannedPerson {
  line: number;
  email: string;
  name: string;
  /** Null: they are new. */
  personId: string | null;
  changes: FieldChange[];
  /** What of the line is not followed, and why. */
  note: string | null;
}
export interface PeopleImportPlan {
  added: PlannedPerson[];
  changed: PlannedPerson[];
  unchanged: number;
  faults: PeopleListFault[];
  /** Names of groups and cost centres that there will be. */
  newUnits: { kind: UnitKind; name: string }[];
  ignoredColumns: string[];
}

/** What a list would do to what there is: all of it is said before any of it is done. */
export function planPeopleImport(list: PeopleList, known: ExistingPeople): PeopleImportPlan {
  return new PeopleImportPlanner(list, known).plan();
}

class PeopleImportPlanner {
  private readonly added: PlannedPerson[] = [];
  private readonly changed: PlannedPerson[] = [];
  private unchanged = 0;
  private readonly faults: PeopleListFault[];
  private readonly newUnits = new Map<string, { kind: UnitKind; name: string }>();
  private readonly unitsByKey: Map<string, ExistingUnit>;
  private readonly unitNames: Map<string, string>;
  /** Which line is about somebody with this address; the first one counts. */
  private readonly lineOf = new Map<string, number>();
  /** Which line gives this address to somebody else as an alias. */
  private readonly claimedBy = new Map<string, PeopleListRow>();

  constructor(
    private readonly list: PeopleList,
    private readonly existing: ExistingPeople,
  ) {
    this.faults = [...list.faults];
    this.unitsByKey = new Map(existing.units.map((unit) => [unitLookupKey(unit.kind, unit.name), unit]));
    this.unitNames = new Map(existing.units.map(({ id, name }) => [id, name]));
    for (const { email, line } of list.rows) if (!this.lineOf.has(email)) this.lineOf.set(email, line);
  }

  plan(): PeopleImportPlan {
    for (const row of this.list.rows) {
      const conflict = this.conflictOf(row);
      if (conflict) this.faults.push({ line: row.line, column: null, reason: conflict });
      else this.addRow(row);
    }
    const { added, changed, unchanged } = this;
    const faults = this.faults.sort((a, b) => a.line - b.line);
    const { ignoredColumns } = this.list;
    return { added, changed, unchanged, faults, newUnits: [...this.newUnits.values()], ignoredColumns };
  }

  /** Why the line cannot be followed without making one address two people's. */
  private conflictOf({ line, email, aliases }: PeopleListRow): string | null {
    const first = this.lineOf.get(email)!;
    if (first !== line) return `line ${first} is about ${email} already`;
    const person = this.existing.holders.get(email);
    if (person && person.email !== email)
      return `${email} is an alias of ${personLabel(person)}: list that address instead, or take the alias away`;
    for (const alias of aliases) {
      const holder = this.existing.holders.get(alias);
      if (holder && holder.id === person?.id) continue;
      if (holder)
        return `the alias ${alias} is ${holder.email === alias ? 'the address' : 'an alias'} of ${personLabel(holder)}`;
      const about = this.lineOf.get(alias);
      if (about !== undefined) return `the alias ${alias} is whom line ${about} is about`;
      const claimed = this.claimedBy.get(alias);
      if (claimed) return `line ${claimed.line} gives the alias ${alias} to ${claimed.email} already`;
    }
    return null;
  }

  private addRow(row: PeopleListRow): void {
    const person = this.existing.holders.get(row.email) ?? null;
    for (const alias of row.aliases) this.claimedBy.set(alias, row);
    const changes = [
      ...this.nameChange(row, person),
      ...this.unitChange('group', row.group, person?.groupId ?? null),
      ...this.unitChange('cost_centre', row.costCentre, person?.costCentreId ?? null),
      ...row.aliases
        .filter((alias) => !this.existing.holders.has(alias))
        .map((alias) => ({ field: 'alias' as const, from: null, to: alias })),
    ];
    const name = person?.name ?? row.name ?? row.email.split('@')[0];
    const note = person && noteFor(row, person);
    const planned = { line: row.line, email: row.email, name, personId: person?.id ?? null, changes, note };
    if (!person) this.added.push(planned);
    else if (changes.length) this.changed.push(planned);
    else this.unchanged += 1;
  }

  /** Members are named by their account; an empty cell is no name. */
  private nameChange({ name }: PeopleListRow, person: ExistingPerson | null): FieldChange[] {
    if (!name || !person || person.memberId || person.name === name) return [];
    return [{ field: 'name', from: person.name, to: name }];
  }

  private unitChange(kind: UnitKind, typed: string | null | undefined, currentId: string | null): FieldChange[] {
    if (typed === undefined) return [];
    const from = currentId ? this.unitNames.get(currentId)! : null;
    const to = typed === null ? null : this.unitNamed(kind, typed);
    return from === to ? [] : [{ field: kind, from, to }];
  }

  /** As it is spelled already, there or further up in the list. */
  private unitNamed(kind: UnitKind, name: string): string {
    const key = unitLookupKey(kind, name);
    const there = this.unitsByKey.get(key) ?? this.newUnits.get(key);
    if (there) return there.name;
    this.newUnits.set(key, { kind, name });
    return name;
  }
}

function noteFor({ name }: PeopleListRow, person: ExistingPerson): string | null {
  if (person.removedAt) return 'is gone, and stays so';
  return person.memberId && name && name !== person.name ? 'keeps the name of the account' : null;
}

const unitLookupKey = (kind: UnitKind, name: string): string => `${kind} ${unitKey(name)}`;
const personLabel = ({ name, email }: ExistingPerson): string => (email ? `${name} (${email})` : name);
