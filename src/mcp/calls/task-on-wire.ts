import type { OwnCall } from '../../gate/own-calls.service.js';
import type { Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { toolResult } from '../tool-result.js';
import { linkOf, waitsFor } from './pending.js';

/* SEP-2663, tasks: a call that waits for a person, under the id that it has in the ledger. */

const pollIntervalMs = 3000;
const dayMs = 24 * 60 * 60 * 1000;

export const createdTask = (call: OwnCall, config: Config): JsonObject => ({
  resultType: 'task',
  ...base(call, config),
  status: 'working',
  ...message(call, config),
});

export function detailedTask(call: OwnCall, config: Config): JsonObject {
  const task = base(call, config);
  if (call.state === 'awaiting_approval' || call.state === 'executing')
    return { ...task, status: 'working', ...message(call, config) };
  if (call.state === 'denied' && call.code === 'withdrawn')
    return { ...task, status: 'cancelled', statusMessage: call.reason };
  // "failed" is for errors of the protocol; a refusal, and a tool that failed, are results
  return { ...task, status: 'completed', result: { resultType: 'complete', ...(toolResult(call) as JsonObject) } };
}

const base = ({ callId, requestedAt, movedAt }: OwnCall, { task }: Config): JsonObject => ({
  taskId: callId,
  createdAt: requestedAt.toISOString(),
  lastUpdatedAt: movedAt.toISOString(),
  ttlMs: task.retentionDays * dayMs,
  pollIntervalMs,
});

const message = (call: OwnCall, { baseUrl }: Config): JsonObject =>
  call.state === 'awaiting_approval' ? { statusMessage: `${waitsFor(call)} ${linkOf(call, baseUrl)}` } : {};
