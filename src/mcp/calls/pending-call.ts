import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../../gate/gate.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { GateCall } from './call-answer.js';

export type PendingCallOutcome = Extract<CallOutcome, { state: 'awaiting_approval' }>;

export const approvalUrlOf = ({ approvalId }: PendingCallOutcome, baseUrl: string): string =>
  `${baseUrl}/approvals/${approvalId}`;

/** Shown to the user of the client. */
export const approvalMessageOf = ({ reason, selfApproved }: PendingCallOutcome): string =>
  selfApproved ? `${reason} You can approve it yourself.` : `${reason} A person must approve it.`;

/**
 * For a client that can neither wait longer nor be notified later. A tool call returns a normal result, because models
 * respond to an error by trying other ways. Other operations have no result for this, so they throw.
 */
export function pendingResult(pending: PendingCallOutcome, { operation }: GateCall, baseUrl: string): JsonObject {
  const { callId, approvalId, expiresAt, reason } = pending;
  const url = approvalUrlOf(pending, baseUrl);
  const text =
    `Pending approval ${approvalId}: ${url}\n${reason} Nothing has been done yet. After approval, the call runs automatically, once. ` +
    'Call again with the same arguments to get the outcome.';
  const approval = { id: approvalId, url, expiresAt: expiresAt.toISOString() };
  if (operation !== 'tool')
    throw new ProtocolError(ProtocolErrorCode.InternalError, text, { code: 'approval-pending', callId, approval });
  const _meta = { 'countersign/call': { id: callId, state: 'awaiting_approval' }, 'countersign/approval': approval };
  return { content: [{ type: 'text', text }], isError: false, _meta };
}
