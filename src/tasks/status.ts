import type { TurnEnd } from '../agent/agent-model.service.js';
import type { Standing } from '../connections/connections.error.js';
import type { TaskStatus } from './task.entity.js';

/* The statuses that a caller may meet, each made in one place. */

const at = (): string => new Date().toISOString();
const says = (text: string): TaskStatus['message'] => ({ role: 'agent', parts: [{ text }] });

export const submitted = (): TaskStatus => ({ state: 'submitted', timestamp: at() });
export const working = (text?: string): TaskStatus => ({
  state: 'working',
  timestamp: at(),
  ...(text ? { message: says(text) } : {}),
});
export const canceled = (): TaskStatus => ({ state: 'canceled', timestamp: at() });

export interface PendingApproval {
  tool: string;
  approvalId: string;
  expiresAt: Date;
  reason: string;
  /** The organization has one member: who decides is who answers for the agent. */
  notFourEyes: boolean;
}
export const awaitsApproval = ({ tool, approvalId, expiresAt, reason, notFourEyes }: PendingApproval): TaskStatus => ({
  state: 'input-required',
  timestamp: at(),
  message: says(
    `"${tool}" needs an approval before it runs. ${sentence(reason)} A person of the organization has to decide until ${expiresAt.toISOString()}; ` +
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
export const waitsBelow = ({ agent, callId, message, metadata }: Standing & { callId: string }): TaskStatus => ({
  state: 'input-required',
  timestamp: at(),
  message: says(`"${agent}" is at a part of the task and waits. ${message ?? ''}`.trimEnd()),
  metadata: { reason: 'information', ...(metadata as Partial<TaskStatus['metadata']>), agent, callId },
});

export const isPaused = (tool: string): TaskStatus => ({
  state: 'working',
  timestamp: at(),
  message: says(
    `An administrator has paused "${tool}" or something it depends on. The task goes on by itself when the pause is over.`,
  ),
  metadata: { reason: 'pause', tool },
});

/** Its current step has cost two processes their life. */
export const quarantined = (): TaskStatus => ({
  state: 'input-required',
  timestamp: at(),
  message: says(
    'Two processes of the server ended while they worked on the current step of this task, so it was quarantined. ' +
      'An administrator of the organization can retry or cancel it. Nothing has to be sent meanwhile, and no message releases it.',
  ),
  metadata: { reason: 'quarantine' },
});

export function ended(end: TurnEnd): TaskStatus {
  switch (end.state) {
    case 'completed':
      return {
        state: 'completed',
        timestamp: at(),
        ...(end.message ? { message: says(end.message) } : {}),
        ...(end.answersWith ? { metadata: { answersWith: end.answersWith } } : {}),
      };
    case 'input-required':
      return {
        state: 'input-required',
        timestamp: at(),
        message: says(end.question),
        metadata: { reason: end.reason ?? 'information', ...(end.missing?.length ? { missing: end.missing } : {}) },
      };
    case 'failed':
      return failed(end.code, end.detail, end.callId);
    case 'rejected':
      return rejected(end.code, end.detail);
  }
}

export const failed = (code: string, detail: string, callId?: string): TaskStatus => ({
  state: 'failed',
  timestamp: at(),
  error: { code, detail, ...(callId ? { callId } : {}) },
});

export const rejected = (code: string, detail: string): TaskStatus => ({
  state: 'rejected',
  timestamp: at(),
  error: { code, detail },
});

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
