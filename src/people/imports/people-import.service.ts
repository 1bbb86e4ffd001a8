import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { disableNestedLoops } from '../../platform/database/nested-loops.sql.js';
import { IdentityMatchingService } from '../identity-matching.service.js';
import { MemberPeopleSyncService } from '../member-people-sync.service.js';
import { listChanged, listFaulty, listUnreadable } from '../people.error.js';
import { addAddresses, changePeople, insertPeople } from '../people-rows.js';
import { lockPeople } from '../people-rows.sql.js';
import { SpendUnit } from '../units/unit.entity.js';
import { holdersOfAddresses } from './people-import.sql.js';
import { InvalidPeopleList, type PeopleList, parsePeopleList } from './people-list.js';
import { type FieldChange, type PeopleImportPlan, type PlannedPerson, planPeopleImport } from './people-import-plan.js';

export interface PeopleImportPreview extends PeopleImportPlan {
  /** Covers the complete plan. */
  hash: string;
}
export interface PeopleImportRequest {
  csv: string;
  hash: string;
  skipsFaulty: boolean;
}

/** Imports people, groups and cost centres from a list. Applies exactly what the preview showed. */
@Injectable()
export class PeopleImportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly identityMatching: IdentityMatchingService,
    private readonly memberPeopleSync: MemberPeopleSyncService,
  ) {}

  preview(principal: Principal, csv: string): Promise<PeopleImportPreview> {
    const list = parseOrRefuse(csv);
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(disableNestedLoops);
      return this.buildPreview(tx, principal, list);
    });
  }

  apply(principal: Principal, { csv, hash, skipsFaulty }: PeopleImportRequest): Promise<PeopleImportPreview> {
    const list = parseOrRefuse(csv);
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [principal.tenantId]);
      await tx.execute(disableNestedLoops);
      const plan = await this.buildPreview(tx, principal, list);
      if (plan.hash !== hash) throw listChanged('The list or the people changed since the preview.');
      if (plan.faults.length && !skipsFaulty) throw listFaulty(faultSummary(plan));
      const done = await this.applyPlan(tx, principal, plan);
      await this.record(tx, principal, plan, done, csv);
      await this.identityMatching.match(tx, principal);
      return plan;
    });
  }

  private async buildPreview(tx: Tx, principal: Principal, list: PeopleList): Promise<PeopleImportPreview> {
    const { tenantId } = principal;
    await this.memberPeopleSync.sync(tx, principal);
    const addresses = list.rows.flatMap(({ email, aliases }) => [email, ...aliases]);
    const holders = await tx.run(holdersOfAddresses, [tenantId, addresses]);
    const units = await tx.findBy(SpendUnit, { tenantId });
    const plan = planPeopleImport(list, { holders: new Map(holders.map((holder) => [holder.key, holder])), units });
    return { ...plan, hash: sha256(JSON.stringify(plan)).toString('hex') };
  }

  /** Returns the imported people with their changes. */
  private async applyPlan(tx: Tx, principal: Principal, plan: PeopleImportPlan): Promise<ImportedPerson[]> {
    const { tenantId } = principal;
    const unitIds = await this.createUnits(tx, principal, plan);
    const ids = await insertPeople(
      tx,
      tenantId,
      plan.added.map((line) => ({ email: line.email, name: line.name, ...fieldsOf(line, unitIds) })),
    );
    const changed = plan.changed.map((line) => ({ id: line.personId!, ...fieldsOf(line, unitIds) }));
    await changePeople(tx, tenantId, changed);
    const done: ImportedPerson[] = [
      ...plan.added.map((line, place) => ({ ...line, personId: ids[place], isNew: true })),
      ...plan.changed.map((line) => ({ ...line, personId: line.personId!, isNew: false })),
    ];
    await addAddresses(tx, tenantId, done.flatMap(aliasesOf));
    return done;
  }

  /** Returns the ids of all units by kind and name. */
  private async createUnits(tx: Tx, { tenantId }: Principal, plan: PeopleImportPlan): Promise<Map<string, string>> {
    const created = plan.newUnits.map((unit) => ({ tenantId, id: newId(), ...unit }));
    if (created.length) await tx.insert(SpendUnit, created);
    const units = await tx.findBy(SpendUnit, { tenantId });
    return new Map(units.map(({ id, kind, name }) => [`${kind} ${name}`, id]));
  }

  /** Records every change per person, because group membership decides which analysts see a person. */
  private async record(
    tx: Tx,
    principal: Principal,
    plan: PeopleImportPreview,
    done: readonly ImportedPerson[],
    csv: string,
  ): Promise<void> {
    const { added, changed, newUnits } = plan;
    const leftOut = new Set(plan.faults.map(({ line }) => line)).size;
    await this.audit.record(tx, principal, {
      kind: 'spend_list.applied',
      detail: {
        added: added.length,
        changed: changed.length,
        leftOut,
        newGroups: newUnits.length,
        file: sha256(csv).toString('hex'),
      },
    });
    for (let from = 0; from < done.length; from += batch) {
      const part = done.slice(from, from + batch);
      await this.audit.recordAll(
        tx,
        part.map((line) => ({ principal, record: recordOf(line) })),
      );
    }
  }
}

/** A line whose person exists. */
type ImportedPerson = PlannedPerson & { personId: string; isNew: boolean };

const batch = 1000;

function parseOrRefuse(csv: string): PeopleList {
  try {
    return parsePeopleList(csv);
  } catch (error) {
    if (error instanceof InvalidPeopleList) throw listUnreadable(error.message);
    throw error;
  }
}

const faultSummary = ({ faults: [first], faults }: PeopleImportPlan): string =>
  `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}; the first one in line ${first.line}: ${first.reason}.`;

/** Person columns that a line sets. */
function fieldsOf({ changes }: PlannedPerson, unitIds: ReadonlyMap<string, string>) {
  const to = (field: FieldChange['field']) => changes.find((change) => change.field === field)?.to;
  const unit = (kind: 'group' | 'cost_centre') => {
    const name = to(kind);
    return name ? unitIds.get(`${kind} ${name}`)! : name;
  };
  const name = to('name');
  return { ...(name && { name }), groupId: unit('group'), costCentreId: unit('cost_centre') };
}

const aliasesOf = ({ personId, changes }: ImportedPerson) =>
  changes.flatMap(({ field, to }) => (field === 'alias' ? [{ id: personId, email: to }] : []));

const recordOf = ({ personId, name, email, changes, isNew }: ImportedPerson) => ({
  kind: `spend_person.${isNew ? 'created' : 'changed'}`,
  subject: { type: 'spend_person', id: personId, name },
  detail: { email, byList: true, ...detailOf(changes) },
});

function detailOf(changes: readonly FieldChange[]): Record<string, unknown> {
  const aliases = changes.flatMap(({ field, to }) => (field === 'alias' ? [to] : []));
  const others = changes.filter(({ field }) => field !== 'alias').map(({ field, from, to }) => [field, { from, to }]);
  return { ...Object.fromEntries(others), ...(aliases.length && { aliases }) };
}
