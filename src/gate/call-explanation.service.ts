import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import { PoliciesService } from '../policies/policies.service.js';
import { PolicyExplanationService } from '../policies/policy-explanation.service.js';
import { toEvaluatedTool } from '../policies/replay-decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { CallEvaluationService, type DecidableCall } from './call-evaluation.service.js';
import type { CallExplanation, ExplainCallArgs } from './call-explanation.object.js';
import { ExplainedCallersService } from './explained-callers.service.js';
import { ExplainedStepsService } from './explained-steps.service.js';
import { Refusal } from './refusal.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';

type DecidedCall = Omit<CallExplanation, 'approvalSteps'>;

/** Explains what the gate would decide on a call, with the evaluation of the gate. Makes no call. */
@Injectable()
export class CallExplanationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly policies: PoliciesService,
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
      const call = await this.prepare(caller, request);
      const decided = await this.decide(caller, call, request);
      return { ...decided, approvalSteps: await this.steps.explain(caller, request, decided.steps) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, reason, disclosed } = error;
      const faults = disclosed.faults ?? [];
      const decided = { verdict: 'deny' as const, steps: [], policies: [], revision: null, isHidden: false };
      return { ...decided, code, reason, faults, approvalSteps: [] };
    }
  }

  /** No transaction is open while a worker checks the arguments. */
  private async prepare(caller: Principal, request: ExplainCallArgs): Promise<DecidableCall> {
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
}
