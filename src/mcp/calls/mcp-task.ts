import type { OwnCall } from '../../gate/own-calls.service.js';
import type { Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { toolResult } from '../tool-result.js';
import { approvalUrlOf, approvalMessageOf } from './pending-call.js';

/* SEP-2663, tasks: represents a call that waits for approval. The task id is the call id in the ledger. */

const pollIntervalMs = 3000;
const dayMs = 24 * 60 * 60 * 1000;

export const toCreatedTask = (call: OwnCall, config: Config): JsonObject => ({
  resultType: 'task',
  ...taskFields(call, config),
  status: 'working',
  ...taskMessage(call, config),
});

export function toDetailedTask(call: OwnCall, config: Config): JsonObject {
  const task = taskFields(call, config);
  if (call.state === 'awaiting_approval' || call.state === 'executing')
    return { ...task, status: 'working', ...taskMessage(call, config) };
  if (call.state === 'denied' && call.code === 'withdrawn')
    return { ...task, status: 'cancelled', statusMessage: call.reason };
  // "failed" is for protocol errors only: denials and tool failures are results
  return { ...task, status: 'completed', result: { resultType: 'complete', ...(toolResult(call) as JsonObject) } };
}

const taskFields = ({ callId, requestedAt, stateChangedAt }: OwnCall, { task }: Config): JsonObject => ({
  taskId: callId,
  createdAt: requestedAt.toISOString(),
  lastUpdatedAt: stateChangedAt.toISOString(),
  ttlMs: task.retentionDays * dayMs,
  pollIntervalMs,
});

const taskMessage = (call: OwnCall, { baseUrl }: Config): JsonObject =>
  call.state === 'awaiting_approval'
    ? { statusMessage: `${approvalMessageOf(call)} ${approvalUrlOf(call, baseUrl)}` }
    : {};
