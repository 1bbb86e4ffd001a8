import { type Message, type Part as SdkPart, Role, type Task, TaskState } from '@a2a-js/sdk';
import type { ToolResult } from '../../../connections/tools.service.js';
import type { Part } from '../../../agent/agent-model.port.js';
import { failedResult } from '../delegation-result.js';
import type { JsonValue } from '../../../platform/json/strict-json.js';
import { quoteExternalText } from '../../../platform/text/quote-external-text.js';
import { joinFragments, joinParagraphs, type TextFragment } from '../text-fragment.js';
import { truncateText } from './remote-card.js';

/** The stored status of a remote task. */
export interface RemoteTaskStatus {
  state: 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';
  /** The agent's status message. */
  message?: string;
  /** Our own explanation, for example of a refusal. */
  notice?: string;
  /** The result. */
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

/** The result is always external text. */
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
  const text = answer || `"${agent}" completed the task without any output.`;
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

/** The agent's progress message. */
export const progressOf = (message: Message | undefined): string =>
  truncateText(toPlainText(message?.parts ?? []), maxMessageLength);

/** The parts of an artifact to publish. A file is only named, its content is not forwarded. */
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
