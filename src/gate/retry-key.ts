import { sha256 } from '../platform/crypto/digest.js';
import { canonical } from '../platform/json/strict-json.js';
import type { Case } from './judgement.service.js';
import type { ToolCall } from './tool-call.entity.js';

export interface SameCall {
  taskId: string | null;
  /** The agent identity, or the member with the client. */
  identity: string;
  surface: string;
  configurationId: string;
  tool: string;
  definitionHash: string;
  argumentsHash: Buffer;
}

/** Two calls with the same key are one call, asked for again. */
export function retryKey({
  taskId,
  identity,
  surface,
  configurationId,
  tool,
  definitionHash,
  argumentsHash,
}: SameCall): Buffer {
  return sha256(
    canonical([taskId, identity, surface, configurationId, tool, definitionHash, argumentsHash.toString('hex')]),
  );
}

export const keyOf = (call: ToolCall, { principal, args }: Case): Buffer =>
  retryKey({ ...call, surface: principal.surface, definitionHash: call.definitionHash!, argumentsHash: args.hash });
