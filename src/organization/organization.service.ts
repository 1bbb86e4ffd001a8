import { Injectable } from '@nestjs/common';
import { AdministrationService } from '../access/administration/administration.service.js';
import type { ChangeDescription } from '../access/administration/administration-change.port.js';
import { GroupsService } from '../access/groups.service.js';
import { AuditService } from '../audit/audit.service.js';
import { ConnectionPlansService, type ProbedConnection } from '../connections/connection-plans.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { describedField } from './described-field.js';
import { documentName, type OrganizationDocument, withoutDefaults } from './documents.js';
import { planOutdated } from './organization.error.js';
import { OrganizationChangesService, secretsOf, type SecretValues } from './organization-changes.service.js';
import { countsOf, type OrganizationPlan, type PlannedChange, type PlanOptions } from './organization-plan.js';
import { invalidDocuments, type LoadedPlan, OrganizationPlanService } from './organization-plan.service.js';
import type { OrganizationNames } from './organization-state.js';
import { OrganizationStateService } from './organization-state.service.js';

export interface OrganizationApplication extends PlanOptions {
  documents: readonly OrganizationDocument[];
  /** Of the plan that was shown. */
  hash: string;
  secrets: SecretValues;
}

interface AppliedChanges {
  plan: OrganizationPlan;
  /** Connections to verify. */
  unverified: string[];
}

/** All verifications of one application together: the schedule catches up on the others. */
const verificationMs = 60_000;
const parallelVerifications = 8;

/** Exports the organization as documents, and changes it to what documents say. */
@Injectable()
export class OrganizationService {
  private readonly submit: (principal: Principal, input: OrganizationApplication) => Promise<AppliedChanges>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly states: OrganizationStateService,
    private readonly plans: OrganizationPlanService,
    private readonly changes: OrganizationChangesService,
    private readonly connections: ConnectionsService,
    private readonly connectionPlans: ConnectionPlansService,
    private readonly groups: GroupsService,
    private readonly administration: AdministrationService,
  ) {
    this.submit = administration.register<
      OrganizationApplication,
      AppliedChanges,
      ReadonlyMap<string, ProbedConnection>
    >({
      kind: 'organization.apply',
      permission: 'organization:manage',
      acceptsTokens: true,
      prepareToApply: (principal, input) => this.probeNewConnections(principal, input),
      describe: (tx, principal, input) => this.describe(tx, principal, input),
      apply: (tx, principal, input, probes) => this.applyIn(tx, principal, input, probes),
      finish: (principal, applied) => this.verifyConnections(principal, applied),
    });
  }

  /** Documents without defaults, in a fixed order. Credentials are named, not contained. */
  export(principal: Principal, { withMembers = false } = {}): Promise<Record<string, unknown>[]> {
    return this.database.tenant(principal, async (tx) => {
      const { objects } = await this.states.load(tx, principal, withMembers ? { membersOf: 'all' } : {});
      await this.record(tx, principal, 'organization.exported', { objects: objects.size, withMembers });
      return [...objects.values()].map(({ document }) => withoutDefaults(document));
    });
  }

  plan(
    principal: Principal,
    documents: readonly OrganizationDocument[],
    options: PlanOptions = {},
  ): Promise<OrganizationPlan> {
    return this.database.tenant(
      principal,
      async (tx) => (await this.plans.make(tx, principal, documents, options)).plan,
    );
  }

  /** Whether the organization requires a second administrator for a change of the plan. */
  requiresSecondAdministrator(principal: Principal, { changes }: OrganizationPlan): Promise<boolean> {
    return this.database.tenant(principal, async (tx) => {
      const enabled = await this.administration.enabledAreas(tx, principal.tenantId);
      return changes.some(({ areas }) => areas.some((area) => enabled.has(area)));
    });
  }

  /**
   * Makes all changes of a plan in one transaction, or none. Throws `plan-outdated` if the plan would be another one by
   * now, and `change-proposed` if a person in a session has to confirm it first.
   */
  async apply(principal: Principal, input: OrganizationApplication): Promise<OrganizationPlan> {
    return (await this.submit(principal, input)).plan;
  }

  private async planShown(tx: Tx, principal: Principal, input: OrganizationApplication): Promise<LoadedPlan> {
    const loaded = await this.plans.make(tx, principal, input.documents, input);
    if (loaded.plan.hash !== input.hash) throw planOutdated('The changes are no longer those of the plan.');
    requireSecrets(input, loaded.plan.changes);
    return loaded;
  }

  private async describe(
    tx: Tx,
    principal: Principal,
    input: OrganizationApplication,
  ): Promise<ChangeDescription | null> {
    const { plan, state } = await this.planShown(tx, principal, input);
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

  /** Until a group approves, one administrator can add anyone to it: whoever confirms sees who is in it. */
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
      const id = groups.get(name.toLowerCase());
      const members = id ? await this.groups.describeMembers(tx, tenantId, id) : [];
      described.push({ label: `Members of ${name}`, before: null, after: members.join('\n') || 'None yet' });
    }
    return described;
  }

  private async applyIn(
    tx: Tx,
    principal: Principal,
    input: OrganizationApplication,
    probes: ReadonlyMap<string, ProbedConnection> = new Map(),
  ): Promise<AppliedChanges> {
    const { plan, state } = await this.planShown(tx, principal, input);
    const unverified: string[] = [];
    if (!plan.changes.length) return { plan, unverified };
    const context = { ids: state.ids, secrets: input.secrets, probes, unverified };
    await this.changes.applyAll(tx, principal, plan.changes, context);
    const counts = Object.groupBy(plan.changes, ({ action }) => action);
    await this.record(tx, principal, 'organization.applied', {
      hash: plan.hash,
      created: counts.create?.length ?? 0,
      updated: counts.update?.length ?? 0,
      deleted: counts.delete?.length ?? 0,
    });
    return { plan, unverified };
  }

  /** So that policies can name their tools. A connection that refers to a new configuration is verified afterwards. */
  private async probeNewConnections(
    principal: Principal,
    input: OrganizationApplication,
  ): Promise<ReadonlyMap<string, ProbedConnection>> {
    const { plan, state } = await this.database.tenant(principal, (tx) => this.planShown(tx, principal, input));
    const inputs = plan.changes.flatMap((change) => {
      const { wanted } = change;
      if (wanted?.kind !== 'connection' || change.current) return [];
      const named = this.connectionPlans.configurationSettings(wanted.connector);
      const isKnown = (name: string) => state.ids.configurations.has(String(wanted.settings[name]).toLowerCase());
      if (!named.every(isKnown)) return [];
      const { connector: kind, displayName, name: slug } = wanted;
      const settings = this.changes.settingsOf(wanted, state.ids);
      return [{ kind, name: displayName!, slug, settings, secrets: secretsOf(change, input.secrets) }];
    });
    const probes = new Map<string, ProbedConnection>();
    await inParallel(inputs, async (one) => {
      probes.set(one.slug, await this.connectionPlans.probe(principal, one));
    });
    return probes;
  }

  private async verifyConnections(principal: Principal, applied: AppliedChanges): Promise<AppliedChanges> {
    await inParallel(applied.unverified, (id) => this.connections.verify(principal, id));
    return applied;
  }

  private record(tx: Tx, principal: Principal, kind: string, detail: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id: principal.tenantId }, detail });
  }
}

function requireSecrets({ documents, secrets }: OrganizationApplication, changes: readonly PlannedChange[]): void {
  const faults = changes.flatMap(({ kind, name, secrets: needed }) =>
    needed
      .filter(({ secret }) => !secrets[name]?.[secret])
      .map(({ secret, environment }) => ({
        pointer: `/${documents.findIndex((one) => one.kind === kind && documentName(one) === name)}/secrets/${secret}`,
        detail: `${environment} is not set`,
      })),
  );
  if (faults.length) throw invalidDocuments(faults);
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const until = Date.now() + verificationMs;
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length && Date.now() < until) await run(waiting.shift()!);
  };
  await Promise.all(Array.from({ length: parallelVerifications }, worker));
}
