import { Injectable } from '@nestjs/common';
import { GroupsService } from '../access/groups.service.js';
import { ApprovalStepChangesService } from '../approvals/approval-step-changes.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { ConnectionPlansService, type ProbedConnection } from '../connections/connection-plans.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { ClientsService } from '../oauth/clients/clients.service.js';
import type { Tx } from '../platform/database/tx.js';
import { replaceNamedEntities } from '../policies/entity-names.port.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { BudgetsService } from '../spend/budgets/budgets.service.js';
import type { DocumentKind, DocumentOf } from './documents.js';
import type { PlannedChange } from './organization-plan.js';
import type { OrganizationNames, StoredObjects } from './organization-state.js';

/** Values of credentials, by connection and name. */
export type SecretValues = Record<string, Record<string, string>>;

/** What the changes of one application share. */
export interface ApplicationContext {
  /** Completed with the objects that are created. */
  ids: OrganizationNames;
  secrets: SecretValues;
  /** Connections that were verified before the transaction, by name. */
  probes: ReadonlyMap<string, ProbedConnection>;
  /** Connections to verify after the commit. */
  unverified: string[];
}

/** Makes planned changes, in the transaction of the caller, with the functions that the single mutations use. */
@Injectable()
export class OrganizationChangesService {
  constructor(
    private readonly groups: GroupsService,
    private readonly connections: ConnectionsService,
    private readonly connectionPlans: ConnectionPlansService,
    private readonly configurations: ConfigurationsService,
    private readonly steps: ApprovalStepChangesService,
    private readonly policies: PoliciesService,
    private readonly clients: ClientsService,
    private readonly budgets: BudgetsService,
  ) {}

  async applyAll(
    tx: Tx,
    principal: Principal,
    changes: readonly PlannedChange[],
    context: ApplicationContext,
  ): Promise<void> {
    await this.createReferenced(tx, principal, changes, context);
    for (const change of changes) await this.apply(tx, principal, change, context);
  }

  /** Creates configurations that new connections refer to, at first without their own connections. */
  private async createReferenced(
    tx: Tx,
    principal: Principal,
    changes: readonly PlannedChange[],
    { ids }: ApplicationContext,
  ): Promise<void> {
    const referenced = changes.flatMap(({ wanted }) =>
      wanted?.kind === 'connection'
        ? this.connectionPlans
            .configurationSettings(wanted.connector)
            .map((name) => String(wanted.settings[name]).toLowerCase())
        : [],
    );
    for (const { wanted, current } of changes) {
      if (wanted?.kind !== 'configuration' || current || !referenced.includes(wanted.name.toLowerCase())) continue;
      const { name, description } = wanted;
      const created = { name, description, connectionIds: [], groupIds: [] };
      const { id } = await this.configurations.createIn(tx, principal, created);
      ids.configurations.set(name.toLowerCase(), id);
    }
  }

  private async apply(tx: Tx, principal: Principal, change: PlannedChange, context: ApplicationContext): Promise<void> {
    const { wanted } = change;
    if (!wanted) return this.remove(tx, principal, change);
    switch (wanted.kind) {
      case 'group':
        return this.saveGroup(tx, principal, wanted, storedOf(change, 'group'), context);
      case 'connection':
        return this.saveConnection(tx, principal, wanted, change, context);
      case 'configuration':
        return this.saveConfiguration(tx, principal, wanted, storedOf(change, 'configuration'), context);
      case 'approval-step':
        return this.saveStep(tx, principal, wanted, context);
      case 'policy':
        return this.publishPolicy(tx, principal, wanted, storedOf(change, 'policy'), context);
      case 'client':
        return this.saveClient(tx, principal, wanted, storedOf(change, 'client'), context);
      case 'budget':
        return this.saveBudget(tx, principal, wanted, storedOf(change, 'budget'), context);
    }
  }

  private async saveGroup(
    tx: Tx,
    principal: Principal,
    { name, members }: DocumentOf<'group'>,
    stored: StoredObjects['group'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    if (stored && stored.name !== name) await this.groups.renameIn(tx, principal, stored.id, name);
    const { id: groupId } = stored ?? (await this.groups.createIn(tx, principal, name));
    ids.groups.set(name.toLowerCase(), groupId);
    if (!members) return;
    const wanted = new Set(members.map((email) => ids.members.get(email)!));
    const joined = new Set(stored ? await this.groups.listMemberIds(tx, principal, groupId) : []);
    for (const memberId of [...wanted].filter((id) => !joined.has(id)))
      await this.groups.setMembershipIn(tx, principal, { groupId, memberId, isMember: true });
    for (const memberId of [...joined].filter((id) => !wanted.has(id)))
      await this.groups.setMembershipIn(tx, principal, { groupId, memberId, isMember: false });
  }

  private async saveConnection(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'connection'>,
    change: PlannedChange,
    context: ApplicationContext,
  ): Promise<void> {
    const stored = storedOf(change, 'connection');
    const secrets = secretsOf(change, context.secrets);
    const settings = this.settingsOf(document, context.ids);
    const { name: slug, displayName, connector: kind, resultRules } = document;
    if (!stored) {
      const input = { kind, name: displayName!, slug, settings, secrets };
      const probe = context.probes.get(slug);
      const created = probe
        ? await this.connectionPlans.createIn(tx, principal, input, probe)
        : await this.connections.createIn(tx, principal, input);
      if (!probe) context.unverified.push(created.id);
      context.ids.connections.set(slug, created.id);
      if (resultRules !== undefined) await this.connections.setResultRulesIn(tx, principal, created.id, resultRules);
      return;
    }
    const { id, revision } = stored;
    if (change.fields.some(({ path }) => !path.startsWith('resultRules'))) {
      const removed = Object.keys(stored.settings).filter((name) => !(name in settings));
      const changed = { ...Object.fromEntries(removed.map((name) => [name, null])), ...settings };
      const { isRevised } = await this.connections.updateIn(tx, principal, {
        id,
        revision,
        name: displayName,
        settings: changed,
        secrets,
      });
      if (isRevised) context.unverified.push(id);
    }
    if (resultRules !== undefined) await this.connections.setResultRulesIn(tx, principal, id, resultRules);
  }

  /** With the ids of configurations instead of their names. */
  settingsOf({ connector, settings }: DocumentOf<'connection'>, { configurations }: OrganizationNames) {
    const named = this.connectionPlans.configurationSettings(connector);
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        named.includes(name) ? (configurations.get(String(value).toLowerCase()) ?? value) : value,
      ]),
    );
  }

  private async saveConfiguration(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'configuration'>,
    stored: StoredObjects['configuration'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const { name, description, unprefixed } = document;
    const parts = {
      connectionIds: document.connections.map((slug) => ids.connections.get(slug)!),
      groupIds: document.groups.map((group) => ids.groups.get(group.toLowerCase())!),
      modelConnectionId: document.model === null ? null : ids.connections.get(document.model)!,
    };
    const configurationId = stored?.configuration.id ?? ids.configurations.get(name.toLowerCase());
    if (!configurationId) {
      const { id } = await this.configurations.createIn(tx, principal, { name, description, unprefixed, ...parts });
      ids.configurations.set(name.toLowerCase(), id);
      return;
    }
    const revision = stored?.configuration.revision;
    await this.configurations.updateIn(tx, principal, {
      configurationId,
      revision,
      name,
      description,
      unprefixed,
      ...parts,
    });
  }

  private async saveStep(
    tx: Tx,
    principal: Principal,
    { kind: _kind, approvers, escalation, ...step }: DocumentOf<'approval-step'>,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const idOf = (name: string | null | undefined) => (name == null ? null : ids.groups.get(name.toLowerCase())!);
    await this.steps.saveIn(tx, principal, {
      ...step,
      approverGroupId: idOf(approvers),
      escalatesAfterSeconds: escalation?.afterSeconds ?? null,
      escalationGroupId: idOf(escalation?.approvers),
    });
  }

  private async publishPolicy(
    tx: Tx,
    principal: Principal,
    document: DocumentOf<'policy'>,
    stored: StoredObjects['policy'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const configurationId = ids.configurations.get(document.configuration.toLowerCase())!;
    const text = replaceNamedEntities(document.text, ({ type, id }) => {
      if (type === 'Group') return ids.groups.get(id.toLowerCase());
      return type === 'Member' ? ids.members.get(id) : ids.agents.get(`${configurationId} ${id.toLowerCase()}`);
    });
    await this.policies.requireValid(principal, configurationId, text, tx);
    // a configuration that this transaction created has its default policies
    await this.policies.publishIn(tx, principal, { configurationId, text, basedOn: stored?.revision });
  }

  private async saveClient(
    tx: Tx,
    principal: Principal,
    { kind: _kind, configuration, ...registration }: DocumentOf<'client'>,
    stored: StoredObjects['client'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    const configurationId = configuration === null ? null : ids.configurations.get(configuration.toLowerCase())!;
    const { type, ...changeable } = { ...registration, configurationId };
    if (stored) await this.clients.updateIn(tx, principal, { clientId: stored.id, ...changeable });
    else await this.clients.createIn(tx, principal, { type, ...changeable });
  }

  private async saveBudget(
    tx: Tx,
    principal: Principal,
    { scope, of, counts, amountCents, thresholds }: DocumentOf<'budget'>,
    stored: StoredObjects['budget'] | undefined,
    { ids }: ApplicationContext,
  ): Promise<void> {
    if (stored) await this.budgets.updateIn(tx, principal, { budgetId: stored.id, amountCents, thresholds });
    else {
      const unitId = of === null ? null : ids.units.get(`${scope} ${of}`)!;
      await this.budgets.createIn(tx, principal, { scope, unitId, counts, amountCents, thresholds });
    }
  }

  private async remove(tx: Tx, principal: Principal, change: PlannedChange): Promise<void> {
    switch (change.kind) {
      case 'group':
        return void (await this.groups.removeIn(tx, principal, storedOf(change, 'group')!.id));
      case 'connection':
        return void (await this.connections.removeIn(tx, principal, storedOf(change, 'connection')!.id));
      case 'client':
        return void (await this.clients.revokeIn(tx, principal, storedOf(change, 'client')!.id));
      case 'budget':
        return void (await this.budgets.removeIn(tx, principal, storedOf(change, 'budget')!.id));
      default:
        throw new Error(`objects of the kind ${change.kind} cannot be deleted`);
    }
  }
}

/** The values of the credentials that a change sets or clears. */
export function secretsOf(
  { name, wanted, secrets }: PlannedChange,
  values: SecretValues,
): Record<string, string | null> {
  const cleared = Object.entries(wanted?.kind === 'connection' ? wanted.secrets : {}).filter(
    ([, from]) => from === null,
  );
  return Object.fromEntries([
    ...cleared.map(([secret]) => [secret, null] as const),
    ...secrets.map(({ secret }) => [secret, values[name]?.[secret] ?? ''] as const),
  ]);
}

const storedOf = <Kind extends DocumentKind>(change: PlannedChange, _kind: Kind): StoredObjects[Kind] | undefined =>
  change.current?.stored as StoredObjects[Kind] | undefined;
