import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import { PoliciesService } from '../policies/policies.service.js';
import { PolicyExplanationService } from '../policies/policy-explanation.service.js';
import { toEvaluatedTool } from '../policies/replay-decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { type Arguments, readArguments } from './arguments.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import type { CallExplanation, ExplainCallArgs } from './call-explanation.object.js';
import { ExplainedCallersService } from './explained-callers.service.js';
import { ExplainedStepsService } from './explained-steps.service.js';
import { catchRefusal, type Refusal, unknownTool } from './refusal.js';
import { IsolatedCheckRequired } from './schema-check.js';
import { type EvaluationTarget, ToolCatalog } from './tool-catalog.service.js';

type DecidedCall = Omit<CallExplanation, 'approvalSteps'>;

/** Explains what the gate would decide on a call, with the evaluation of the gate. Makes no call. */
@Injectable()
export class CallExplanationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly policies: PoliciesService,
    private readonly toolCatalog: ToolCatalog,
    private readonly callEvaluation: CallEvaluationService,
    private readonly policyExplanations: PolicyExplanationService,
    private readonly callers: ExplainedCallersService,
    private readonly steps: ExplainedStepsService,
  ) {}

  /** Refuses a text that cannot be published. */
  async explain(principal: Principal, request: ExplainCallArgs): Promise<CallExplanation> {
    const { configurationId, text } = request;
    if (text != null) await this.policies.requireValid(principal, configurationId, text);
    const caller = await this.callers.find(principal, request);
    try {
      await this.callers.requireAccess(caller, configurationId);
      const target = await this.findTarget(caller, request);
      const decided = await this.decideOrRefuse(caller, target, request);
      return { ...decided, approvalSteps: await this.steps.explain(caller, request, decided.steps) };
    } catch (error) {
      return { ...toDenial(catchRefusal(error)), approvalSteps: [] };
    }
  }

  private findTarget(caller: Principal, { configurationId, tool }: ExplainCallArgs): Promise<EvaluationTarget> {
    return this.database.tenant(caller, (tx) =>
      this.toolCatalog.resolveTarget(new TransactionCache(tx), caller, configurationId, tool),
    );
  }

  /** The gate conceals from the caller why it refuses a hidden tool. */
  private async decideOrRefuse(
    caller: Principal,
    target: EvaluationTarget,
    request: ExplainCallArgs,
  ): Promise<DecidedCall> {
    try {
      return await this.decide(caller, target, await this.checkArguments(caller, target, request), request);
    } catch (error) {
      const denial = toDenial(catchRefusal(error));
      const { isHidden } = await this.decide(caller, target, readArguments('{}'), request);
      return isHidden ? { ...denial, isHidden, code: unknownTool(request.tool).code } : denial;
    }
  }

  private async checkArguments(
    caller: Principal,
    { tool }: EvaluationTarget,
    request: ExplainCallArgs,
  ): Promise<Arguments> {
    try {
      return this.callEvaluation.requireDecidable(caller, tool, request.arguments);
    } catch (error) {
      if (!(error instanceof IsolatedCheckRequired)) throw error;
      return this.callEvaluation.requireDecidable(caller, tool, request.arguments, await error.run());
    }
  }

  private async decide(
    principal: Principal,
    { tool, own }: EvaluationTarget,
    args: Arguments,
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
}

const toDenial = ({ code, reason, disclosed: { faults = [] } }: Refusal): DecidedCall => ({
  verdict: 'deny',
  steps: [],
  policies: [],
  revision: null,
  isHidden: false,
  code,
  reason,
  faults,
});
