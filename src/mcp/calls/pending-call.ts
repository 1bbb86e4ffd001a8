import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../../gate/gate.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { GateCall } from './call-answer.js';

export type PendingCallOutcome = Extract<CallOutcome, { state: 'awaiting_approval' }>;

export const approvalUrlOf = ({ approvalId }: PendingCallOutcome, baseUrl: string): string =>
  `${baseUrl}/approvals/${approvalId}`;

/** For the person in front of the client. */
export const approvalMessageOf = ({ reason, notFourEyes }: PendingCallOutcome): string =>
  notFourEyes ? `${reason} You may confirm it yourself.` : `${reason} A person has to decide on it.`;

/**
 * For a client that can neither wait longer nor be told later. Of a tool it is no error, or models would try other ways; the
 * other operations have no result that could say it.
 */
export function pendingResult(pending: PendingCallOutcome, { operation }: GateCall, baseUrl: string): JsonObject {
  const { callId, approvalId, expiresAt, reason } = pending;
  const url = approvalUrlOf(pending, baseUrl);
  const text =
    `Pending approval ${approvalId}: ${url}\n${reason} Nothing was done yet. Once it is approved, the call is carried out by itself, once. ` +
    'Call again with the same arguments to learn the outcome.';
  const approval = { id: approvalId, url, expiresAt: expiresAt.toISOString() };
  if (operation !== 'tool')
    throw new ProtocolError(ProtocolErrorCode.InternalError, text, { code: 'approval-pending', callId, approval });
  const _meta = { 'countersign/call': { id: callId, state: 'awaiting_approval' }, 'countersign/approval': approval };
  return { content: [{ type: 'text', text }], isError: false, _meta };
}
