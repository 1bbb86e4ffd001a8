import { Injectable } from '@nestjs/common';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { CallAuditService, decisionEntry } from './call-audit.service.js';
import { CallCompletionService } from './call-completion.service.js';
import type { EvaluationContext } from './call-evaluation.service.js';
import { GrantedCallsService } from './granted-calls.service.js';
import { holdNewCall } from './call-moves.js';
import type { AdmissionResult } from './call-dispatch.service.js';
import type { CallIn } from './call-state.js';
import { insertToolCall, lockCaller } from './ledger.sql.js';
import { awaitingOutcome, type CallOutcome, toCallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import { ToolCall } from './tool-call.entity.js';

const maxPendingCalls = 20;

/** Holds a new call until people have approved it, unless a grant for its task covers it. */
@Injectable()
export class ApprovalRequestService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly steps: ApprovalStepsService,
    private readonly requesters: RequestersService,
    private readonly callCompletion: CallCompletionService,
    private readonly callAudit: CallAuditService,
    private readonly grantedCalls: GrantedCallsService,
  ) {}

  /** Null if an identical call was inserted concurrently. */
  async request(tx: Tx, call: CallIn<'requested'>, evaluation: EvaluationContext): Promise<AdmissionResult | null> {
    const granted = await this.grantedCalls.start(tx, call, evaluation);
    if (granted) return granted.run && { run: granted.run };
    const { principal, tool, decision } = evaluation;
    const { tenantId, id: callId, identity, configurationId, taskId } = call;
    await tx.execute(lockCaller, [`${tenantId} ${identity}`]);
    const pending = await tx.countBy(ToolCall, { tenantId, identity, state: 'awaiting_approval' });
    if (pending >= maxPendingCalls)
      throw new Refusal(
        'not-permitted',
        `This caller already has ${pending} calls waiting for approval. Try again when some of them are decided.`,
      );
    const { title, description, inputSchema } = tool;
    const held = holdNewCall(call, { title, description, inputSchema });
    if (!(await insertToolCall(tx, held, this.callAudit.serialize([decisionEntry(principal, held, 'requested')]))))
      return null;
    const callRequesters = await this.requesters.resolve(tx, principal);
    const approvals = await this.approvals.request(tx, principal, {
      callId,
      configurationId,
      taskId,
      tool: tool.name,
      stepNames: decision.steps,
      ...callRequesters,
    });
    if (!approvals) return { outcome: await this.denyUnreachable(tx, principal, held, decision.steps) };
    await tx.update(ToolCall, { tenantId, id: callId }, { expiresAt: lastExpiry(approvals) });
    return { outcome: awaitingOutcome(held, approvals, decision.reason) };
  }

  private async denyUnreachable(
    tx: Tx,
    principal: Principal,
    call: CallIn<'awaiting_approval'>,
    steps: string[],
  ): Promise<CallOutcome> {
    const named = steps.map((name) => `"${name}"`).join(' and ');
    const known = await this.steps.listIn(tx, principal.tenantId);
    const isSigned = known.some(({ name, requiresPasskey }) => requiresPasskey && steps.includes(name));
    const noPasskey = isSigned ? ', has no passkey that counts' : '';
    const reason = `Too few members can decide on this call. Everyone else named by the approval step ${named} requested it, knows a credential that it used${noPasskey}, or was introduced only by a requester. Administrators can open the call to see who needs a vouch${isSigned ? ' or a passkey' : ''}.`;
    const denied = await this.callCompletion.deny(tx, principal, call, {
      code: 'approval-unreachable',
      reason,
      retryKey: null,
      deliveredAt: new Date(),
    });
    return toCallOutcome(denied ?? call, null, false);
  }
}

/** The steps are decided in order, each within its own time: the call can run until the time of the last one is over. */
export const lastExpiry = (approvals: readonly { expiresAt: Date }[]): Date => approvals.at(-1)!.expiresAt;
