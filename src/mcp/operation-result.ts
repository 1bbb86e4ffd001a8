import { ProtocolError, ProtocolErrorCode, type Result } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../gate/gate.service.js';
import { editMeta, noticeMeta } from './notice-meta.js';
import type { JsonObject } from '../platform/json/strict-json.js';

/** For operations other than tool calls: the protocol has no failed result for them, only errors. */
export function operationResult(outcome: CallOutcome): Result {
  if (outcome.state === 'succeeded' && !outcome.result.isError) {
    const result = outcome.result.structured as Result;
    const meta = { ...noticeMeta(outcome), ...editMeta(outcome) };
    return Object.keys(meta).length ? { ...result, _meta: { ...result._meta, ...meta } } : result;
  }
  throw toOperationError(outcome);
}

/** Hidden operations look the same as unknown ones. */
export const isUnknown = (outcome: CallOutcome): boolean =>
  (outcome.state === 'denied' && outcome.code === 'tool-not-found') || codeOf(outcome) === 'document-not-found';

/** The connected system reports an unknown name or invalid arguments. */
export function isMisnamed(outcome: CallOutcome): boolean {
  const { code } = (structuredOf(outcome)?.error ?? {}) as JsonObject;
  return code === ProtocolErrorCode.InvalidParams || code === ProtocolErrorCode.ResourceNotFound;
}

/** Our own tools return a code with a refusal. */
const codeOf = (outcome: CallOutcome): unknown => structuredOf(outcome)?.code;

const structuredOf = (outcome: CallOutcome): JsonObject | undefined =>
  outcome.state === 'failed' ? (outcome.result?.structured as JsonObject | undefined) : undefined;

function toOperationError(outcome: CallOutcome): ProtocolError {
  const { callId, state } = outcome;
  const data = { 'countersign/call': { id: callId, state } };
  switch (outcome.state) {
    case 'denied':
      return new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.reason, { ...data, code: outcome.code });
    case 'failed':
      return isMisnamed(outcome)
        ? new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.reason, data)
        : new ProtocolError(ProtocolErrorCode.InternalError, outcome.reason, data);
    case 'unsettled':
      return new ProtocolError(ProtocolErrorCode.InternalError, outcome.reason, data);
    case 'succeeded':
      return new ProtocolError(ProtocolErrorCode.InternalError, textOfContent(outcome.result.content), data);
    default:
      return new ProtocolError(ProtocolErrorCode.InternalError, 'The request is still running. Try again later.', data);
  }
}

const textOfContent = (content: { type: string }[]): string =>
  content.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('\n') ||
  'The connected system refused the request.';
