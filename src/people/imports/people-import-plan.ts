import { unitKey } from '../units/unit-name.port.js';
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
/** People and units before the import. */
export interface ExistingPeople {
  /** By email address and alias. */
  holders: ReadonlyMap<string, ExistingPerson>;
  units: readonly ExistingUnit[];
}

export interface FieldChange {
  field: 'name' | 'group' | 'cost_centre' | 'alias';
  from: string | null;
  to: string | null;
}
/** The effect of one line. */
export interface PlannedPerson {
  line: number;
  email: string;
  name: string;
  /** Null: a new person. */
  personId: string | null;
  changes: FieldChange[];
  /** The part of the line that is not applied, and why. */
  note: string | null;
}
export interface PeopleImportPlan {
  added: PlannedPerson[];
  changed: PlannedPerson[];
  unchanged: number;
  faults: PeopleListFault[];
  /** Groups and cost centres that the import creates. */
  newUnits: { kind: UnitKind; name: string }[];
  ignoredColumns: string[];
}

/** Computes all effects of an import before any of them is applied. */
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
  /** The first line with this email address. */
  private readonly lineOf = new Map<string, number>();
  /** The line that assigns this email address as an alias. */
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

  /** The reason why this line would assign one email address to two people. */
  private conflictOf({ line, email, aliases }: PeopleListRow): string | null {
    const first = this.lineOf.get(email)!;
    if (first !== line) return `line ${first} already lists ${email}`;
    const person = this.existing.holders.get(email);
    if (person && person.email !== email)
      return `${email} is an alias of ${personLabel(person)}: list that email address instead or remove the alias`;
    for (const alias of aliases) {
      const holder = this.existing.holders.get(alias);
      if (holder && holder.id === person?.id) continue;
      if (holder)
        return `the alias ${alias} is ${holder.email === alias ? 'the email address' : 'an alias'} of ${personLabel(holder)}`;
      const otherLine = this.lineOf.get(alias);
      if (otherLine !== undefined) return `the alias ${alias} is the email address of line ${otherLine}`;
      const claimed = this.claimedBy.get(alias);
      if (claimed) return `line ${claimed.line} already assigns the alias ${alias} to ${claimed.email}`;
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

  /** The names of members follow their accounts. An empty cell does not change a name. */
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

  /** Returns the existing spelling, from the database or an earlier line. */
  private unitNamed(kind: UnitKind, name: string): string {
    const key = unitLookupKey(kind, name);
    const existing = this.unitsByKey.get(key) ?? this.newUnits.get(key);
    if (existing) return existing.name;
    this.newUnits.set(key, { kind, name });
    return name;
  }
}

function noteFor({ name }: PeopleListRow, person: ExistingPerson): string | null {
  if (person.removedAt) return 'was removed and stays removed';
  return person.memberId && name && name !== person.name ? 'keeps the name of the member account' : null;
}

const unitLookupKey = (kind: UnitKind, name: string): string => `${kind} ${unitKey(name)}`;
const personLabel = ({ name, email }: ExistingPerson): string => (email ? `${name} (${email})` : name);
