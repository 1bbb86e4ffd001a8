import { sha256 } from '../platform/crypto/digest.js';
import { canonicalJson } from '../platform/json/strict-json.js';
import type { EvaluationContext } from './call-evaluation.service.js';
import type { ToolCall } from './tool-call.entity.js';

export interface RetryIdentity {
  taskId: string | null;
  /** The agent identity, or the member with the client. */
  identity: string;
  surface: string;
  configurationId: string;
  tool: string;
  definitionHash: string;
  argumentsHash: Buffer;
}

/** Two calls with the same key count as one call and its retry. */
export function retryKey({
  taskId,
  identity,
  surface,
  configurationId,
  tool,
  definitionHash,
  argumentsHash,
}: RetryIdentity): Buffer {
  return sha256(
    canonicalJson([taskId, identity, surface, configurationId, tool, definitionHash, argumentsHash.toString('hex')]),
  );
}

export const retryKeyOf = (call: ToolCall, { principal, args }: EvaluationContext): Buffer =>
  retryKey({ ...call, surface: principal.surface, definitionHash: call.definitionHash!, argumentsHash: args.hash });
