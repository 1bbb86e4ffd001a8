import { Injectable } from '@nestjs/common';
import { ApprovalStepChangesService } from '../approvals/approval-step-changes.service.js';
import { ClientsService } from '../oauth/clients/clients.service.js';
import type { Tx } from '../platform/database/tx.js';
import { replaceNamedEntities } from '../policies/entity-names.port.js';
import { PlannedPoliciesService } from '../policies/planned-policies.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { UnitsService } from '../people/units/units.service.js';
import type { UnitKind } from '../people/units/unit.entity.js';
import { unitKey } from '../people/units/unit-name.port.js';
import { BudgetsService } from '../spend/budgets/budgets.service.js';
import type { ApplicationContext } from './application-context.js';
import { type DocumentOf, nameKey } from './documents.js';
import type { OrganizationNames, StoredObjects } from './organization-state.js';

/** Creates and changes approval steps, policies, OAuth clients and budgets. */
@Injectable()
export class OrganizationRulesService {
  constructor(
    private readonly steps: ApprovalStepChangesService,
    private readonly policies: PoliciesService,
    private readonly plannedPolicies: PlannedPoliciesService,
    private readonly clients: ClientsService,
    private readonly budgets: BudgetsService,
    private readonly units: UnitsService,
  ) {}

  async saveStep(
    tx: Tx,
    principal: Principal,
    { kind: _kind, approvers, escalation, ...step }: DocumentOf<'approval-step'>,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const idOf = (name: string | null | undefined) => (name == null ? null : ids.groups.get(nameKey(name))!);
    await this.steps.saveIn(tx, principal, {
      ...step,
      approverGroupId: idOf(approvers),
      escalatesAfterSeconds: escalation?.afterSeconds ?? null,
      escalationGroupId: idOf(escalation?.approvers),
    });
  }

  async publishPolicy(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'policy'>,
    stored: StoredObjects['policy'] | undefined,
    { ids, planned }: ApplicationContext,
  ): Promise<void> {
    const configurationId = ids.configurations.get(nameKey(document.configuration))!;
    const text = replaceNamedEntities(document.text, ({ type, id }) => {
      if (type === 'Group') return ids.groups.get(nameKey(id));
      return type === 'Member' ? ids.members.get(id) : ids.agents.get(`${configurationId} ${nameKey(id)}`);
    });
    if (planned)
      planned.push({
        configuration: document.configuration,
        policy: await this.plannedPolicies.load(tx, principal, configurationId, text),
      });
    // a configuration that this transaction created has its default policies
    else await this.policies.publishIn(tx, principal, { configurationId, text, basedOn: stored?.revision });
  }

  async saveClient(
    tx: Tx,
    principal: Principal,
    { kind: _kind, configuration, ...registration }: DocumentOf<'client'>,
    stored: StoredObjects['client'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const configurationId = configuration === null ? null : ids.configurations.get(nameKey(configuration))!;
    const { type, ...changeable } = { ...registration, configurationId };
    if (stored) await this.clients.updateIn(tx, principal, { clientId: stored.id, ...changeable });
    else await this.clients.createIn(tx, principal, { type, ...changeable });
  }

  async saveBudget(
    tx: Tx,
    principal: Principal,
    { scope, of, counts, amountCents, thresholds }: DocumentOf<'budget'>,
    stored: StoredObjects['budget'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    if (stored) await this.budgets.updateIn(tx, principal, { budgetId: stored.id, amountCents, thresholds });
    else {
      const unitId = of === null || scope === 'organization' ? null : await this.unitId(tx, principal, scope, of, ids);
      await this.budgets.createIn(tx, principal, { scope, unitId, counts, amountCents, thresholds });
    }
  }

  /** An organization without spend data has no groups and cost centres yet: a budget comes before the first person of one. */
  private async unitId(tx: Tx, principal: Principal, kind: UnitKind, name: string, { units }: OrganizationNames) {
    const key = `${kind} ${unitKey(name)}`;
    const id = units.get(key) ?? (await this.units.createIn(tx, principal, kind, name)).id;
    units.set(key, id);
    return id;
  }
}
