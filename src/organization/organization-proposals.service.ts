import { Injectable } from '@nestjs/common';
import type { ChangeDescription } from '../access/administration/administration-change.port.js';
import { GroupsService } from '../access/groups.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { describedField } from './described-field.js';
import { nameKey } from './documents.js';
import type { OrganizationApplication } from './organization-application.js';
import { countsOf, type PlannedChange } from './organization-plan.js';
import { OrganizationPlanService } from './organization-plan.service.js';
import type { OrganizationNames } from './organization-state.js';

/** Describes plans for the person who confirms them. */
@Injectable()
export class OrganizationProposalsService {
  constructor(
    private readonly plans: OrganizationPlanService,
    private readonly groups: GroupsService,
  ) {}

  /** Null: a program may make all changes of the plan. */
  async describe(tx: Tx, principal: Principal, input: OrganizationApplication): Promise<ChangeDescription | null> {
    const { plan, state } = await this.plans.makeShown(tx, principal, input);
    const areas = [...new Set(plan.changes.flatMap((change) => change.areas))];
    if (!areas.length && !plan.changes.some(({ needsSession }) => needsSession)) return null;
    const fields = plan.changes.flatMap((change) =>
      change.fields.length
        ? change.fields.map((field) => describedField(change, field))
        : [{ label: `${change.kind} ${change.name}`, before: 'Present', after: null }],
    );
    return {
      areas,
      title: `Apply documents: ${countsOf(plan.changes)}`,
      subject: { type: 'tenant', id: principal.tenantId },
      fields: [...fields, ...(await this.describeApprovers(tx, principal, plan.changes, state.ids))],
      basis: plan.hash,
    };
  }

  /** One administrator can add members to a group that does not approve yet, so the proposal lists them before it does. */
  private async describeApprovers(
    tx: Tx,
    { tenantId }: Principal,
    changes: readonly PlannedChange[],
    { groups }: OrganizationNames,
  ) {
    const names = changes.flatMap(({ wanted, areas }) =>
      wanted?.kind === 'approval-step' && areas.includes('approver_groups')
        ? [wanted.approvers, wanted.escalation?.approvers ?? null].filter((name) => name !== null)
        : [],
    );
    const described = [];
    for (const name of new Set(names)) {
      const id = groups.get(nameKey(name));
      const members = id ? await this.groups.describeMembers(tx, tenantId, id) : [];
      described.push({ label: `Members of ${name}`, before: null, after: members.join('\n') || 'None yet' });
    }
    return described;
  }
}
