import { Injectable } from '@nestjs/common';
import { AdministrationService } from '../access/administration/administration.service.js';
import { AuditService } from '../audit/audit.service.js';
import type { ProbedConnection } from '../connections/connection-plans.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { type OrganizationDocument, withoutDefaults } from './documents.js';
import type { AppliedChanges, OrganizationApplication } from './organization-application.js';
import { OrganizationChangesService } from './organization-changes.service.js';
import type { OrganizationPlan, OrganizationPlanOptions } from './organization-plan.js';
import { OrganizationPlanService } from './organization-plan.service.js';
import { OrganizationPreparationService } from './organization-preparation.service.js';
import { OrganizationProposalsService } from './organization-proposals.service.js';
import { OrganizationStateService } from './organization-state.service.js';

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
    private readonly preparation: OrganizationPreparationService,
    private readonly proposals: OrganizationProposalsService,
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
      prepareToApply: (principal, input) => this.preparation.prepare(principal, input),
      describe: (tx, principal, input) => this.proposals.describe(tx, principal, input),
      apply: (tx, principal, input, probes) => this.applyIn(tx, principal, input, probes),
      finish: async (principal, applied) => {
        await this.preparation.verify(principal, applied.unverified);
        return applied;
      },
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

  /** Throws if a document is invalid. Changes nothing. */
  async plan(
    principal: Principal,
    documents: readonly OrganizationDocument[],
    options: OrganizationPlanOptions = {},
  ): Promise<OrganizationPlan> {
    const { plan } = await this.database.tenant(principal, (tx) => this.plans.make(tx, principal, documents, options));
    await this.preparation.checkShownPolicies(principal, { ...options, documents, hash: plan.hash }, plan);
    return plan;
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

  private async applyIn(
    tx: Tx,
    principal: Principal,
    input: OrganizationApplication,
    probes: ReadonlyMap<string, ProbedConnection> = new Map(),
  ): Promise<AppliedChanges> {
    const { plan, state } = await this.plans.makeShown(tx, principal, input);
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

  private record(tx: Tx, principal: Principal, kind: string, detail: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id: principal.tenantId }, detail });
  }
}
