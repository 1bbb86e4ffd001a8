import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { lastExpiry } from './approval-request.service.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import type { CallIn } from './call-state.js';
import { toCallPrincipal } from './caller.js';
import type { CallEditResult } from './edit-call.input.js';
import { editUnreachable } from './gate.error.js';
import { RequestersService } from './requesters.service.js';
import { ToolCall } from './tool-call.entity.js';

type EditedCallResult = Omit<CallEditResult, 'argumentsHash'>;

/** Continues or ends a call whose arguments were edited. The caller holds the lock of the call. */
@Injectable()
export class EditedCallsService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly requesters: RequestersService,
    private readonly callCompletion: CallCompletionService,
    private readonly callSettlement: CallSettlementService,
  ) {}

  /** The policies deny the edited arguments, which ends the call. The caller learns why when it returns. */
  async deny(
    tx: Tx,
    principal: Principal,
    call: CallIn<'awaiting_approval'>,
    denial: string,
  ): Promise<EditedCallResult> {
    const reason = `An approver edited the call, and the policies deny the edited call: ${denial}`;
    await this.approvals.void(tx, principal, [call.id], reason, 'edited');
    await this.callCompletion.deny(tx, principal, call, { code: 'policy-denied', reason });
    await this.callSettlement.publish(tx, call);
    return { callId: call.id, state: 'denied', reason, approvalId: null, steps: [], candidates: [] };
  }

  /** Everyone who edited the call is one of its requesters. Throws if too few others can decide. */
  async requestApprovals(tx: Tx, principal: Principal, call: CallIn<'awaiting_approval'>): Promise<EditedCallResult> {
    const { tenantId, id: callId, configurationId, taskId, tool, steps, state, editedBy } = call;
    const callRequesters = await this.requesters.resolve(tx, toCallPrincipal(call));
    const requesters = [...new Set([...callRequesters.requesters, ...editedBy])];
    const request = { callId, configurationId, taskId, tool, stepNames: steps, ...callRequesters, requesters };
    const reason = `${principal.name} edited the arguments. The edited call has approvals of its own.`;
    await this.approvals.void(tx, principal, [callId], reason, 'edited');
    const approvals = await this.approvals.request(tx, principal, request);
    if (!approvals)
      throw editUnreachable(
        `The editor of a call cannot approve it, and too few others can decide on the step ${steps.map((name) => `"${name}"`).join(' and ')}. Deny the call with a reason instead.`,
      );
    await tx.update(ToolCall, { tenantId, id: callId }, { expiresAt: lastExpiry(approvals) });
    await this.callSettlement.publish(tx, call);
    const [candidates] = await this.approvals.candidatesOfNew(tx, tenantId, [request]);
    return { callId, state, reason: null, approvalId: approvals[0].id, steps, candidates };
  }
}
