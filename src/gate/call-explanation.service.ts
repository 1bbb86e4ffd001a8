import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { A2aKey } from '../configurations/a2a-key.entity.js';
import { AgentsService } from '../configurations/agents.service.js';
import { KeysService } from '../configurations/keys.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { PolicyExplanationService } from '../policies/policy-explanation.service.js';
import { toEvaluatedTool } from '../policies/replay-decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { CallEvaluationService, type DecidableCall } from './call-evaluation.service.js';
import type { CallExplanation, ExplainCallArgs, ExplainedStep } from './call-explanation.object.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';

type DecidedCall = Omit<CallExplanation, 'approvalSteps'>;

/** Explains what the gate would decide on a call, with the evaluation of the gate. Makes no call. */
@Injectable()
export class CallExplanationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly members: MembersService,
    private readonly agents: AgentsService,
    private readonly keys: KeysService,
    private readonly policies: PoliciesService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly policyExplanations: PolicyExplanationService,
    private readonly requesters: RequestersService,
    private readonly approvals: ApprovalsService,
    private readonly steps: ApprovalStepsService,
  ) {}

  /** Refuses a text that cannot be published. */
  async explain(principal: Principal, request: ExplainCallArgs): Promise<CallExplanation> {
    const { configurationId, text } = request;
    if (text != null) await this.policies.requireValid(principal, configurationId, text);
    const caller = await this.findCaller(principal, request);
    try {
      await this.requireGroup(caller, configurationId);
      const call = await this.prepare(caller, request);
      const decided = await this.decide(caller, call, request);
      return { ...decided, approvalSteps: await this.explainSteps(caller, request, decided.steps) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, reason, disclosed } = error;
      const faults = disclosed.faults ?? [];
      const decided = { verdict: 'deny' as const, steps: [], policies: [], revision: null, isHidden: false };
      return { ...decided, code, reason, faults, approvalSteps: [] };
    }
  }

  /** The caller as the gate would see it. An agent calls with its newest usable key. */
  private async findCaller(
    principal: Principal,
    { configurationId, callerKind, callerId, surface }: ExplainCallArgs,
  ): Promise<Principal> {
    const { tenantId } = principal;
    await this.database.tenant(principal, (tx) => this.configurationPartsRegistry.load(tx, tenantId, configurationId));
    const shared = {
      tenantId,
      scopes: ['api:read', 'api:write'] as const,
      permissions: new Set<never>(),
      chain: [],
    };
    if (callerKind === 'member') {
      const { id: memberId, name } = await this.members.get(principal, callerId);
      return { ...shared, kind: 'member', name, memberId, surface: surface ?? 'mcp' };
    }
    const agent = await this.agents.get(principal, callerId);
    if (agent.configurationId !== configurationId)
      throw invalidRequest('The agent belongs to another configuration.', {
        errors: [{ pointer: '/callerId', detail: 'must be an agent of the configuration' }],
      });
    const [keys] = await this.keys.listOf(principal, [agent.id]);
    const keyId = (keys.find(isUsable) ?? keys.at(0))?.id;
    const { id: agentId, name } = agent;
    return { ...shared, kind: 'agent', name, agentId, configurationId, keyId, surface: surface ?? 'a2a' };
  }

  /** The gate does not tell a member without access that the configuration exists. */
  private async requireGroup(caller: Principal, configurationId: string): Promise<void> {
    if (caller.memberId === undefined) return;
    const { tenantId, memberId } = caller;
    const own = await this.members.listGroupIds(caller, memberId);
    const { groupIds } = await this.database.tenant(caller, (tx) =>
      this.configurationPartsRegistry.load(tx, tenantId, configurationId),
    );
    if (!own.some((id) => groupIds.includes(id)))
      throw new Refusal('not-permitted', 'The member is in no group that may use this configuration.');
  }

  /** No transaction is open while a worker checks the arguments. */
  private async prepare(caller: Principal, request: ExplainCallArgs): Promise<DecidableCall> {
    if (caller.kind === 'agent' && !caller.keyId)
      throw new Refusal('not-permitted', 'The agent has no key, so it cannot call tools.');
    let completedCheck: ArgumentCheck | undefined;
    for (;;) {
      try {
        return await this.database.tenant(caller, (tx) =>
          this.callEvaluation.prepare(new TransactionCache(tx), caller, request, completedCheck),
        );
      } catch (error) {
        if (!(error instanceof IsolatedCheckRequired)) throw error;
        completedCheck = await error.run();
      }
    }
  }

  private async decide(
    principal: Principal,
    { target: { tool, own }, args }: DecidableCall,
    { text, tainted }: ExplainCallArgs,
  ): Promise<DecidedCall> {
    const { kind, agentId, memberId, surface } = principal;
    const refused = { code: null, faults: [] };
    if (text == null) {
      const input = { ...own, principal, tool, args: args.value, tainted };
      return { ...refused, ...this.policyExplanations.explainPublished(input) };
    }
    const explained = await this.policyExplanations.explainText(principal.tenantId, {
      text,
      tool: toEvaluatedTool(tool),
      call: {
        principal: kind === 'agent' ? { type: 'Agent', id: agentId! } : { type: 'Member', id: memberId! },
        groups: own.groups,
        surface,
        tainted,
        requestedAt: new Date(),
        canonical: args.canonical,
      },
    });
    return { ...refused, ...explained, revision: null };
  }

  private async explainSteps(
    caller: Principal,
    request: ExplainCallArgs,
    names: readonly string[],
  ): Promise<ExplainedStep[]> {
    if (!names.length) return [];
    return this.database.tenant(caller, async (tx) => {
      const steps: ExplainedStep[] = [];
      for (const name of names) steps.push(await this.explainStep(tx, caller, request, name));
      return steps;
    });
  }

  private async explainStep(
    tx: Tx,
    caller: Principal,
    { configurationId, tool }: ExplainCallArgs,
    name: string,
  ): Promise<ExplainedStep> {
    const callRequesters = await this.requesters.resolve(tx, caller);
    const call = { callId: newId(), configurationId, taskId: null, tool, stepNames: [name], ...callRequesters };
    const [candidates] = await this.approvals.candidatesOfNew(tx, caller.tenantId, [call]);
    const step = await this.steps.find(tx, caller.tenantId, name);
    const deciders = candidates.filter(({ mayDecide }) => mayDecide);
    return { name, step, isReachable: step !== null && deciders.length >= step.quorum, candidates };
  }
}

const isUsable = ({ revokedAt, pausedAt, expiresAt }: A2aKey): boolean =>
  !revokedAt && !pausedAt && !(expiresAt && expiresAt <= new Date());
