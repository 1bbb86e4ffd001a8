import { Injectable } from '@nestjs/common';
import { AdministrationService } from '../access/administration/administration.service.js';
import { ConnectionBatchVerificationService } from '../connections/connection-batch-verification.service.js';
import { ConnectionPlansService, type ProbedConnection } from '../connections/connection-plans.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Problem } from '../platform/errors/problem.js';
import { inParallel } from '../platform/events/in-parallel.js';
import { PlannedPoliciesService } from '../policies/planned-policies.service.js';
import type { Principal } from '../principal/principal.js';
import { type RehearsedPolicy, secretsOf } from './application-context.js';
import { nameKey } from './documents.js';
import { planOutdated } from './organization.error.js';
import type { OrganizationApplication } from './organization-application.js';
import { OrganizationChangesService } from './organization-changes.service.js';
import { OrganizationPartsService } from './organization-parts.service.js';
import type { OrganizationPlan } from './organization-plan.js';
import { invalidDocuments, type LoadedPlan, OrganizationPlanService } from './organization-plan.service.js';

/*
 * An application responds in less than a minute even if many systems hang, because proxies and clients time out.
 */
/** For all new connections together. Longer than the timeout of one verification. */
const probeMs = 25_000;
const probeConcurrency = 16;
/** After the commit. Connections that take longer are verified in the background. */
const verificationWaitMs = 10_000;

/** What an application does before and after its transaction, because it takes too long for a transaction. */
@Injectable()
export class OrganizationPreparationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly administration: AdministrationService,
    private readonly plans: OrganizationPlanService,
    private readonly changes: OrganizationChangesService,
    private readonly parts: OrganizationPartsService,
    private readonly verifications: ConnectionBatchVerificationService,
    private readonly connectionPlans: ConnectionPlansService,
    private readonly plannedPolicies: PlannedPoliciesService,
  ) {}

  /** Verifies new connections, and checks policies. Throws if a policy has errors. */
  async prepare(principal: Principal, input: OrganizationApplication): Promise<ReadonlyMap<string, ProbedConnection>> {
    try {
      const loaded = await this.database.tenant(principal, (tx) => this.plans.makeShown(tx, principal, input));
      const probes = await this.probeNewConnections(principal, input, loaded);
      await this.checkPolicies(principal, input, loaded.plan, probes);
      return probes;
    } catch (error) {
      // the transaction finds out, too: a proposed change is then closed as outdated
      if (error instanceof Problem && error.code === planOutdated.code) return new Map();
      throw error;
    }
  }

  /** Checks the policies of a plan, unless they can name tools of integrations that are verified when it is applied. */
  async checkShownPolicies(
    principal: Principal,
    input: Omit<OrganizationApplication, 'secrets'>,
    plan: OrganizationPlan,
  ): Promise<void> {
    const needsProbes = plan.changes.some(
      ({ kind, action, secrets }) => kind === 'connection' && (action === 'create' || secrets.length),
    );
    if (!needsProbes) await this.checkPolicies(principal, { ...input, secrets: [] }, plan, new Map());
  }

  verify(principal: Principal, connectionIds: readonly string[]): Promise<void> {
    return this.verifications.verify(principal, connectionIds, verificationWaitMs);
  }

  /**
   * Probes new connections so that policies can name their tools. A connection is verified after the commit instead if
   * it refers to a new configuration, or if there was no time left to probe it.
   */
  private async probeNewConnections(
    principal: Principal,
    input: OrganizationApplication,
    { plan, state }: LoadedPlan,
  ): Promise<ReadonlyMap<string, ProbedConnection>> {
    const inputs = plan.changes.flatMap((change) => {
      const { wanted } = change;
      if (wanted?.kind !== 'connection' || change.current) return [];
      const named = this.connectionPlans.configurationSettings(wanted.connector);
      const isKnown = (name: string) => state.ids.configurations.has(nameKey(String(wanted.settings[name])));
      if (!named.every(isKnown)) return [];
      const { connector: kind, displayName, name: slug } = wanted;
      const settings = this.parts.settingsOf(wanted, state.ids);
      return [{ kind, name: displayName!, slug, settings, secrets: secretsOf(change, input.secrets) }];
    });
    const probes = new Map<string, ProbedConnection>();
    const deadline = AbortSignal.timeout(probeMs);
    await inParallel(inputs, probeConcurrency, async (one) => {
      const probe = deadline.aborted ? null : await this.connectionPlans.probe(principal, one, deadline);
      if (probe) probes.set(one.slug, probe);
    });
    return probes;
  }

  /** Makes the changes and takes them back, to check policies with the names that they will have. */
  private async checkPolicies(
    principal: Principal,
    input: OrganizationApplication,
    shown: OrganizationPlan,
    probes: ReadonlyMap<string, ProbedConnection>,
  ): Promise<void> {
    if (!shown.changes.some(({ kind }) => kind === 'policy')) return;
    const planned: RehearsedPolicy[] = [];
    const rehearsal = this.administration.inTurn(principal, async (tx) => {
      const { plan, state } = await this.plans.makeShown(tx, principal, input);
      const context = { ids: state.ids, secrets: input.secrets, probes, unverified: [], planned };
      await this.changes.applyAll(tx, principal, plan.changes, context);
      throw rehearsed;
    });
    await rehearsal.catch((error: unknown) => {
      if (error !== rehearsed) throw error;
    });
    for (const { configuration, policy } of planned) {
      const findings = await this.plannedPolicies.findErrors(principal, policy);
      const nth = input.documents.findIndex((one) => one.kind === 'policy' && one.configuration === configuration);
      const faults = findings.map(({ line, column, message }) => ({
        pointer: `/${nth}/text`,
        detail: `line ${line}, column ${column}: ${message}`,
      }));
      if (faults.length) throw invalidDocuments(faults);
    }
  }
}

/** Rolls a rehearsal back. */
const rehearsed = new Error('rehearsed');
