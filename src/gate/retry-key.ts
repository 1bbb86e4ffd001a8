import { sha256 } from '../platform/crypto/digest.js';
import type { EvaluationContext } from './call-evaluation.service.js';
import type { ToolCall } from './tool-call.entity.js';

const pausedIntervalMs = 10 * 60 * 1000;

/**
 * Calls with the same key count as one call and its retries. A read that runs at once gets no key: it simply runs
 * again.
 */
export function assignRetryKey(call: ToolCall, { principal, args, decision }: EvaluationContext): void {
  const runsAtOnce = decision.verdict === 'allow' && !call.isDelegation;
  if (call.effect === 'read' && runsAtOnce) return;
  const { taskId, identity, configurationId, tool, definitionHash } = call;
  call.retryKey = keyOf([
    taskId,
    identity, // the agent, or the member with the client
    principal.surface,
    configurationId,
    tool,
    definitionHash,
    args.hash.toString('hex'),
  ]);
}

/** Tasks retry every few seconds during a pause: one denied call covers all retries of an interval. */
export function pausedRetryKey(call: ToolCall, requestedTool: string, now: Date): Buffer {
  const { identity, taskId, configurationId, argumentsHash } = call;
  const interval = Math.floor(now.getTime() / pausedIntervalMs);
  const hash = argumentsHash?.toString('hex') ?? null;
  return keyOf(['paused', identity, taskId, configurationId, requestedTool, hash, interval]);
}

const keyOf = (parts: (string | number | null)[]): Buffer => sha256(JSON.stringify(parts));
