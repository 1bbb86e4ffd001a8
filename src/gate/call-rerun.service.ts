import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Principal } from '../principal/principal.js';
import { lastExpiry } from './approval-request.service.js';
import { toCallPrincipal } from './caller.js';
import { callNotRepeatable } from './gate.error.js';
import { type EvaluationContext, CallEvaluationService } from './call-evaluation.service.js';
import { approvalUnreachable } from './call-outcome.error.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import type { Resolution } from './call-moves.js';
import type { CallIn } from './call-state.js';
import type { ToolCall } from './tool-call.entity.js';

/** Reruns a call whose outcome is unknown. The policies decide on it as on a new call. */
@Injectable()
export class CallRerunService {
  constructor(
    private readonly callEvaluation: CallEvaluationService,
    private readonly requesters: RequestersService,
    private readonly approvals: ApprovalsService,
  ) {}

  /**
   * Returns the new values of the call: it waits for the approval steps that the policies name now, or is approved if
   * they name none and nobody edited it. The member who requests the rerun becomes a requester. Throws `call-not-repeatable` or
   * `approval-unreachable` and then leaves the call unchanged.
   */
  async request(tx: Tx, principal: Principal, call: CallIn<'unsettled'>): Promise<Resolution> {
    const { decision, tool } = await this.reevaluate(tx, call);
    const { policyIds, revision: policyRevision, narrowedBy, verdict } = decision;
    // the caller did not choose edited arguments: they need an approval even if the policies allow them
    const steps = verdict === 'allow' && call.editedBy.length ? call.steps : decision.steps;
    const reopened = { code: null, reason: null, executingUntil: null, endedAt: null, grantId: null };
    const decided = { policyIds, policyRevision, steps, narrowedBy, ...reopened };
    if (!steps.length) return { ...decided, state: 'approved', expiresAt: null };
    const { id: callId, configurationId, taskId } = call;
    const callRequesters = await this.requesters.resolve(tx, toCallPrincipal(call));
    const requesters = [...new Set([...callRequesters.requesters, ...call.editedBy, principal.memberId!])];
    const approvalRequest = {
      callId,
      configurationId,
      taskId,
      tool: call.tool,
      stepNames: steps,
      ...callRequesters,
      requesters,
    };
    const approvals = await this.approvals.request(tx, principal, approvalRequest);
    if (!approvals)
      throw approvalUnreachable(`Too few members can decide on the approval steps ${steps.join(', ')} of this call.`);
    const { title, description, inputSchema } = tool;
    return {
      ...decided,
      state: 'awaiting_approval',
      expiresAt: lastExpiry(approvals),
      definition: { title, description, inputSchema },
    };
  }

  private async reevaluate(tx: Tx, call: ToolCall): Promise<EvaluationContext> {
    try {
      return await this.callEvaluation.reevaluate(tx, call);
    } catch (error) {
      if (error instanceof Refusal) throw callNotRepeatable(error.reason, { cause: error });
      throw error;
    }
  }
}
