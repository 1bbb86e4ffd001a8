import type { TurnEnd } from '../agent/agent-model.port.js';
import type { DeferredTaskStatus } from '../connections/connections.error.js';
import type { TaskStatus } from './task.entity.js';

/* Builds every status that a caller can see. */

const timestampNow = (): string => new Date().toISOString();
const agentMessage = (text: string): TaskStatus['message'] => ({ role: 'agent', parts: [{ text }] });

export const submittedStatus = (): TaskStatus => ({ state: 'submitted', timestamp: timestampNow() });
export const workingStatus = (text?: string): TaskStatus => ({
  state: 'working',
  timestamp: timestampNow(),
  ...(text ? { message: agentMessage(text) } : {}),
});
export const canceledStatus = (): TaskStatus => ({ state: 'canceled', timestamp: timestampNow() });

export interface PendingApproval {
  tool: string;
  approvalId: string;
  expiresAt: Date;
  reason: string;
  /** Self-approved: the organization has one member, who is also responsible for the agent. */
  selfApproved: boolean;
}
export const awaitingApprovalStatus = ({
  tool,
  approvalId,
  expiresAt,
  reason,
  selfApproved,
}: PendingApproval): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(
    `"${tool}" needs an approval before it runs. ${withFullStop(reason)} A person in the organization can decide until ${expiresAt.toISOString()}; ` +
      'then the task continues automatically. You do not need to send anything, and a message cannot decide.' +
      (selfApproved ? ' Self-approved: the organization has only one member, who decides alone.' : ''),
  ),
  metadata: {
    reason: 'approval',
    approvalId,
    tool,
    expiresAt: expiresAt.toISOString(),
    ...(selfApproved ? { notFourEyes: true } : {}),
  },
});

/** A delegated agent waits. The status tells the caller which agent waits, and for what. */
export const waitingForAgentStatus = ({
  agent,
  callId,
  message,
  metadata,
}: DeferredTaskStatus & { callId: string }): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(`"${agent}" works on a part of the task and is waiting. ${message ?? ''}`.trimEnd()),
  metadata: { reason: 'information', ...(metadata as Partial<TaskStatus['metadata']>), agent, callId },
});

export const pausedStatus = (tool: string): TaskStatus => ({
  state: 'working',
  timestamp: timestampNow(),
  message: agentMessage(
    `An administrator has paused "${tool}" or something it depends on. The task continues automatically when it is resumed.`,
  ),
  metadata: { reason: 'pause', tool },
});

/** The current step has crashed two processes. */
export const quarantinedStatus = (): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(
    'Two processes of the server ended while they worked on the current step of this task, so it was quarantined. ' +
      'An administrator of the organization can retry or cancel it. You do not need to send anything, and a message does not release it.',
  ),
  metadata: { reason: 'quarantine' },
});

export function endStatus(end: TurnEnd): TaskStatus {
  switch (end.state) {
    case 'completed':
      return {
        state: 'completed',
        timestamp: timestampNow(),
        ...(end.message ? { message: agentMessage(end.message) } : {}),
        ...(end.answersWith ? { metadata: { answersWith: end.answersWith } } : {}),
      };
    case 'input-required':
      return {
        state: 'input-required',
        timestamp: timestampNow(),
        message: agentMessage(end.question),
        metadata: { reason: end.reason ?? 'information', ...(end.missing?.length ? { missing: end.missing } : {}) },
      };
    case 'failed':
      return failedStatus(end.code, end.detail, end.callId);
    case 'rejected':
      return rejectedStatus(end.code, end.detail);
  }
}

export const failedStatus = (code: string, detail: string, callId?: string): TaskStatus => ({
  state: 'failed',
  timestamp: timestampNow(),
  error: { code, detail, ...(callId ? { callId } : {}) },
});

export const rejectedStatus = (code: string, detail: string): TaskStatus => ({
  state: 'rejected',
  timestamp: timestampNow(),
  error: { code, detail },
});

const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The final status of a task that repeatedly could not be run. */
export const abandonedStatus = (): TaskStatus =>
  failedStatus('internal-error', 'The server could not run the task. The operator can find the reason in the log.');
