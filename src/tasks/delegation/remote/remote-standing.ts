import { type Message, type Part as SdkPart, Role, type Task, TaskState } from '@a2a-js/sdk';
import type { ToolResult } from '../../../connections/tools.service.js';
import type { Part } from '../../../agent/agent-model.service.js';
import { failure } from '../standing.js';
import type { JsonValue } from '../../../platform/json/strict-json.js';
import { quoted } from '../../../platform/text/quoted.js';
import { joined, separate, type Words } from '../words.js';
import { short } from './remote-card.js';

/** How a task of an agent elsewhere stands, in words that are kept. */
export interface RemoteStanding {
  state: 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';
  /** What the agent says about it. */
  message?: string;
  /** What we found out about it. */
  notice?: string;
  /** What came out. */
  answer?: string;
}

const longestName = 80;
const longestMessage = 4000;
const longestAnswer = 500_000;

const states: Partial<Record<TaskState, RemoteStanding['state']>> = {
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
};

export function standingOfTask({ status, artifacts, history }: Task): RemoteStanding {
  const state = (status && states[status.state]) ?? 'working';
  const message = short(wordsOf(status?.message?.parts ?? []), longestMessage);
  const said = message ? { state, message } : { state };
  if (state !== 'completed') return said;
  const lastSaid = history.findLast(({ role }) => role === Role.ROLE_AGENT)?.parts ?? [];
  const answer =
    separate(artifacts.map(({ parts }) => joined(parts.flatMap((part) => wordOf(part) ?? [])))) ||
    message ||
    wordsOf(lastSaid);
  return { ...said, answer: short(answer, longestAnswer) };
}

export const standingOfMessage = ({ parts }: Message): RemoteStanding => ({
  state: 'completed',
  answer: short(wordsOf(parts), longestAnswer),
});

export const isEnded = ({ state }: RemoteStanding): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';

/** Text from outside, whatever it says. */
export function remoteResult(agent: string, { state, message, notice, answer }: RemoteStanding): ToolResult {
  if (state !== 'completed') {
    const text = message ?? notice;
    const why = message ? `${quoted(message)}.` : notice;
    return failure(
      `"${agent}" ended ${state}${text ? `: ${text}` : '.'}`,
      true,
      `${quoted(agent, longestName)} ended ${state}${why ? `: ${why}` : '.'}`,
    );
  }
  const text = answer || `"${agent}" has completed the task without a word.`;
  return { content: [{ type: 'text', text }], isError: false, outside: true };
}

function wordsOf(parts: readonly SdkPart[]): string {
  return separate(parts.flatMap((part) => wordOf(part)?.text ?? []));
}

function wordOf({ content, filename, mediaType }: SdkPart): Words | undefined {
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
  short(wordsOf(message?.parts ?? []), longestMessage);

/** An artifact as it is passed on: files are named, and not passed on themselves. */
export const passedOnParts = (parts: readonly SdkPart[]): Part[] =>
  parts.flatMap((part): Part[] => {
    if (part.content?.$case === 'data') return isJson(part.content.value) ? [{ data: part.content.value }] : [];
    const text = wordOf(part)?.text.toWellFormed().replaceAll('\0', '');
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
