import { type Message, type Part as SdkPart, Role, type Task, TaskState } from '@a2a-js/sdk';
import type { ToolResult } from '../../../connections/tools.service.js';
import type { Part } from '../../../agent/agent-model.port.js';
import { failedResult } from '../delegation-result.js';
import type { JsonValue } from '../../../platform/json/strict-json.js';
import { quoteExternalText } from '../../../platform/text/quote-external-text.js';
import { joinFragments, joinParagraphs, type TextFragment } from '../text-fragment.js';
import { truncateText } from './remote-card.js';

/** How a task of an agent elsewhere stands, in words that are kept. */
export interface RemoteTaskStatus {
  state: 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';
  /** What the agent says about it. */
  message?: string;
  /** What we found out about it. */
  notice?: string;
  /** What came out. */
  answer?: string;
}

const maxAgentNameLength = 80;
const maxMessageLength = 4000;
const maxAnswerLength = 500_000;

const remoteStates: Partial<Record<TaskState, RemoteTaskStatus['state']>> = {
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
};

export function toRemoteStatus({ status, artifacts, history }: Task): RemoteTaskStatus {
  const state = (status && remoteStates[status.state]) ?? 'working';
  const message = truncateText(toPlainText(status?.message?.parts ?? []), maxMessageLength);
  const summary = message ? { state, message } : { state };
  if (state !== 'completed') return summary;
  const lastSaid = history.findLast(({ role }) => role === Role.ROLE_AGENT)?.parts ?? [];
  const answer =
    joinParagraphs(artifacts.map(({ parts }) => joinFragments(parts.flatMap((part) => toTextFragment(part) ?? [])))) ||
    message ||
    toPlainText(lastSaid);
  return { ...summary, answer: truncateText(answer, maxAnswerLength) };
}

export const completedByMessage = ({ parts }: Message): RemoteTaskStatus => ({
  state: 'completed',
  answer: truncateText(toPlainText(parts), maxAnswerLength),
});

export const isEnded = ({ state }: RemoteTaskStatus): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';

/** Text from outside, whatever it says. */
export function remoteResult(agent: string, { state, message, notice, answer }: RemoteTaskStatus): ToolResult {
  if (state !== 'completed') {
    const text = message ?? notice;
    const why = message ? `${quoteExternalText(message)}.` : notice;
    return failedResult(
      `"${agent}" ended ${state}${text ? `: ${text}` : '.'}`,
      true,
      `${quoteExternalText(agent, maxAgentNameLength)} ended ${state}${why ? `: ${why}` : '.'}`,
    );
  }
  const text = answer || `"${agent}" has completed the task without a word.`;
  return { content: [{ type: 'text', text }], isError: false, outside: true };
}

function toPlainText(parts: readonly SdkPart[]): string {
  return joinParagraphs(parts.flatMap((part) => toTextFragment(part)?.text ?? []));
}

function toTextFragment({ content, filename, mediaType }: SdkPart): TextFragment | undefined {
  switch (content?.$case) {
    case 'text':
      return { isText: true, text: content.value };
    case 'data':
      return { isText: false, text: JSON.stringify(content.value) };
    case 'url':
      return { isText: false, text: content.value };
    case 'raw':
      return { isText: false, text: `[file ${filename || mediaType || 'without a name'}]` };
    default:
      return undefined;
  }
}

/** What an agent says while it works. */
export const progressOf = (message: Message | undefined): string =>
  truncateText(toPlainText(message?.parts ?? []), maxMessageLength);

/** An artifact as it is passed on: files are named, and not passed on themselves. */
export const toForwardedParts = (parts: readonly SdkPart[]): Part[] =>
  parts.flatMap((part): Part[] => {
    if (part.content?.$case === 'data') return isJson(part.content.value) ? [{ data: part.content.value }] : [];
    const text = toTextFragment(part)?.text.toWellFormed().replaceAll('\0', '');
    return text ? [{ text }] : [];
  });

const isJson = (value: unknown): value is JsonValue => {
  const text = JSON.stringify(value) as string | undefined;
  return text !== undefined && text.isWellFormed() && !text.includes('\\u0000');
};

export function toSdkPart(part: Part): SdkPart {
  const { mediaType = '', filename = '' } = part as { mediaType?: string; filename?: string };
  const named = { metadata: undefined, mediaType, filename };
  if ('text' in part) return { ...named, content: { $case: 'text', value: part.text } };
  if ('data' in part) return { ...named, content: { $case: 'data', value: part.data } };
  if ('url' in part) return { ...named, content: { $case: 'url', value: part.url } };
  return { ...named, content: { $case: 'raw', value: Buffer.from(part.raw, 'base64') } };
}
