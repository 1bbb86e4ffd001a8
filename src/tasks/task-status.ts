import type { TurnEnd } from '../agent/agent-model.port.js';
import type { DeferredTaskStatus } from '../connections/connections.error.js';
import type { TaskStatus } from './task.entity.js';

/* The statuses that a caller may meet, each made in one place. */

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
  /** The organization has one member: who decides is who answers for the agent. */
  notFourEyes: boolean;
}
export const awaitingApprovalStatus = ({
  tool,
  approvalId,
  expiresAt,
  reason,
  notFourEyes,
}: PendingApproval): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(
    `"${tool}" needs an approval before it runs. ${withFullStop(reason)} A person of the organization has to decide until ${expiresAt.toISOString()}; ` +
      'after that the task goes on by itself. Nothing has to be sent meanwhile, and no message can decide.' +
      (notFourEyes ? ' Not four eyes: the organization has one member, who confirms it alone.' : ''),
  ),
  metadata: {
    reason: 'approval',
    approvalId,
    tool,
    expiresAt: expiresAt.toISOString(),
    ...(notFourEyes ? { notFourEyes } : {}),
  },
});

/** Another agent, which the task was handed on to, waits: the caller is told for what, and for whom. */
export const waitingForAgentStatus = ({
  agent,
  callId,
  message,
  metadata,
}: DeferredTaskStatus & { callId: string }): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(`"${agent}" is at a part of the task and waits. ${message ?? ''}`.trimEnd()),
  metadata: { reason: 'information', ...(metadata as Partial<TaskStatus['metadata']>), agent, callId },
});

export const pausedStatus = (tool: string): TaskStatus => ({
  state: 'working',
  timestamp: timestampNow(),
  message: agentMessage(
    `An administrator has paused "${tool}" or something it depends on. The task goes on by itself when the pause is over.`,
  ),
  metadata: { reason: 'pause', tool },
});

/** Its current step has cost two processes their life. */
export const quarantinedStatus = (): TaskStatus => ({
  state: 'input-required',
  timestamp: timestampNow(),
  message: agentMessage(
    'Two processes of the server ended while they worked on the current step of this task, so it was quarantined. ' +
      'An administrator of the organization can retry or cancel it. Nothing has to be sent meanwhile, and no message releases it.',
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
