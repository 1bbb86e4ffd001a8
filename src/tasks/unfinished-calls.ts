import type { DeferredTaskStatus } from '../connections/connections.error.js';
import type { CallOutcome } from '../gate/gate.service.js';
import { awaitsCaller, type TaskStatus } from './task.entity.js';

/* What a task waits for when its calls have no result yet. */

/** Time until the next poll of a call that another process executes. */
export const executingPollSeconds = 1;

/** The status of a delegated agent, and the call that delegated to it. */
export type DelegatedAgentStatus = DeferredTaskStatus & { callId: string };

export const isDeferred = (outcome: CallOutcome): boolean => outcome.state === 'executing' && Boolean(outcome.deferred);

export const listAgentStatuses = (outcomes: CallOutcome[]): DelegatedAgentStatus[] =>
  outcomes.flatMap((outcome) =>
    outcome.state === 'executing' && outcome.deferred ? [{ ...outcome.deferred, callId: outcome.callId }] : [],
  );

/** Time until the earliest poll. */
export const earliestPollSeconds = (outcomes: CallOutcome[]): number =>
  Math.min(
    ...outcomes.flatMap((outcome) =>
      outcome.state === 'executing' ? [outcome.pollSeconds ?? executingPollSeconds] : [],
    ),
  );

/**
 * Prefers questions to approvals, because only the caller can answer them, and the question already shown while it is
 * open.
 */
export function selectShownStatus(
  statuses: DelegatedAgentStatus[],
  { metadata: shown }: TaskStatus,
): DelegatedAgentStatus | null {
  const asking = statuses.filter(({ metadata }) => awaitsCaller(metadata as TaskStatus['metadata']));
  const same = asking.find(({ callId }) => callId === shown?.callId);
  return same ?? asking[0] ?? statuses.find(({ state }) => state === 'input-required') ?? null;
}

export function hasResult(outcome: CallOutcome): boolean {
  if (outcome.state === 'awaiting_approval' || outcome.state === 'executing') return false;
  return !(outcome.state === 'denied' && outcome.code === 'paused');
}
