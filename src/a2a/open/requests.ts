import { ListTasksRequest, type Message, Role, SendMessageRequest, taskStateToJSON } from '@a2a-js/sdk';
import type { Fault } from '../../platform/errors/problem.js';
import { parseStrict, StrictJsonError } from '../../platform/json/strict-json.js';
import { type MessageLimits, textPart } from '../../tasks/messages.service.js';
import { isTaskId, type Part } from '../../tasks/tasks.service.js';
import type { OwnTasksFilter } from '../../tasks/own-tasks.service.js';
import { noPush, OpenError } from './errors.js';
import { tasksIn } from './shapes.js';

/*
 * What callers send, in the words of version 1.0: liberal in how it is written (numbers for names, snake_case, members that
 * nobody knows), strict in what it has to be.
 */

export interface OpenSend {
  taskId?: string;
  contextId?: string;
  messageId: string;
  parts: Part[];
  /** That text and data parts name; file parts have their own. */
  mediaTypes: string[];
  isBlocking: boolean;
  historyLength?: number;
}

const invalid = (pointer: string, detail: string) =>
  new OpenError('invalidParams', `${pointer.slice(1).replaceAll('/', '.')} ${detail}.`, [{ pointer, detail }]);

const mostHistory = 1000;
const mostPage = 100;
const ourOutput = ['text/plain', 'application/json'];
const longestId = 256;

/** `dataTexts`: what was written of each part's data, where it was written as JSON. */
export function readSend(params: unknown, dataTexts: readonly (string | undefined)[], limits: MessageLimits): OpenSend {
  const { message, configuration } = decoded(SendMessageRequest, params);
  if (!message) throw invalid('/message', 'is missing');
  refuseNoWords((params as { message: object }).message);
  const { messageId, taskId, contextId, role, parts } = message;
  if (!messageId) throw invalid('/message/messageId', 'is missing');
  if (messageId.length > longestId) throw invalid('/message/messageId', `has more than ${longestId} characters`);
  if (role !== Role.ROLE_USER) throw invalid('/message/role', 'has to be ROLE_USER');
  if (!parts.length) throw invalid('/message/parts', 'may not be empty');
  if (parts.length > limits.parts) throw invalid('/message/parts', `has more than ${limits.parts} parts`);
  if (contextId) checkContext(contextId, '/message/contextId');
  if (configuration?.taskPushNotificationConfig) throw noPush();
  refuseOutput(configuration?.acceptedOutputModes ?? []);
  return {
    ...(taskId ? { taskId } : {}),
    ...(contextId ? { contextId } : {}),
    messageId,
    parts: parts.map((part, nth) => readPart(part, `/message/parts/${nth}`, dataTexts[nth], limits)),
    mediaTypes: parts.flatMap(({ content, mediaType }) =>
      mediaType && (content?.$case === 'text' || content?.$case === 'data') ? [mediaType] : [],
    ),
    isBlocking: !configuration?.returnImmediately,
    historyLength: readHistoryLength(configuration?.historyLength, '/configuration/historyLength'),
  };
}

function checkContext(contextId: string, pointer: string): void {
  if (!isTaskId(contextId)) throw invalid(pointer, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : -');
}

/** Numbers as they come, from JSON or from an address. */
export function readHistoryLength(value: unknown, pointer = '/historyLength'): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const length = Number(value);
  if (!Number.isInteger(length) || length < 0) throw invalid(pointer, 'has to be 0 or a positive whole number');
  return Math.min(length, mostHistory);
}

export function readTaskId(value: unknown): string {
  if (typeof value !== 'string' || !value) throw invalid('/id', 'is missing');
  if (!isTaskId(value)) throw new OpenError('taskNotFound', `The task "${value.slice(0, 128)}" was not found.`);
  return value;
}

export interface OpenList {
  filter: OwnTasksFilter;
  pageSize: number;
  historyLength?: number;
  includeArtifacts: boolean;
}

/** Null for its filter's state: nothing is ever in it, so the list is empty. */
export function readList(params: unknown): OpenList & { isEmpty: boolean } {
  const asked = decoded(ListTasksRequest, params ?? {});
  const { contextId, pageToken, status, statusTimestampAfter, includeArtifacts = false } = asked;
  if (contextId) checkContext(contextId, '/contextId');
  const given = (params ?? {}) as Record<string, unknown>;
  const size = given.pageSize ?? given.page_size;
  const pageSize = size === undefined || size === '' ? 50 : Number(size);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > mostPage)
    throw invalid('/pageSize', `has to be a whole number from 1 to ${mostPage}`);
  const historyLength = readHistoryLength(given.historyLength ?? given.history_length);
  const name = taskStateToJSON(status);
  if (name === 'UNRECOGNIZED') throw invalid('/status', 'is not the name of a state');
  const wanted = name === 'TASK_STATE_UNSPECIFIED' ? {} : tasksIn(name);
  return {
    filter: {
      ...wanted,
      ...(contextId ? { contextId } : {}),
      ...(statusTimestampAfter ? { since: readTime(statusTimestampAfter) } : {}),
      ...(pageToken ? { cursor: pageToken } : {}),
      limit: pageSize,
    },
    isEmpty: wanted === null,
    pageSize,
    historyLength,
    includeArtifacts,
  };
}

/** As statuses have it: in UTC, with milliseconds. */
function readTime(value: unknown): string {
  const at = new Date(String(value));
  if (Number.isNaN(at.getTime())) throw invalid('/statusTimestampAfter', 'is not a time (RFC 3339)');
  return at.toISOString();
}

function decoded<T>(type: { fromJSON(object: unknown): T }, params: unknown): T {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new OpenError('invalidParams', 'The parameters have to be an object.');
  try {
    return type.fromJSON(params);
  } catch (error) {
    throw new OpenError('invalidParams', `The parameters are not of the documented form: ${(error as Error).message}`);
  }
}

const wordsOfMessages = new Set(['messageId', 'message_id', 'contextId', 'context_id', 'taskId', 'task_id']);
const wordsOfParts = new Set(['text', 'raw', 'url', 'filename', 'mediaType', 'media_type']);
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decoding makes words of whatever it finds: a number is what was meant, an object is not. */
function refuseNoWords(message: { parts?: unknown }): void {
  refuseObjects(message, wordsOfMessages, '/message');
  if (!Array.isArray(message.parts)) return;
  for (const [nth, part] of (message.parts as { raw?: unknown }[]).entries()) {
    refuseObjects(part, wordsOfParts, `/message/parts/${nth}`);
    if (typeof part.raw === 'string' && !base64.test(part.raw))
      throw invalid(`/message/parts/${nth}/raw`, 'is not base64');
  }
}

function refuseObjects(of: object, names: ReadonlySet<string>, pointer: string): void {
  for (const [name, value] of Object.entries(of))
    if (names.has(name) && typeof value === 'object' && value !== null)
      throw invalid(`${pointer}/${name}`, 'has to be a string');
}

function readPart(
  { content, filename, mediaType }: Message['parts'][number],
  pointer: string,
  dataText: string | undefined,
  limits: MessageLimits,
): Part {
  const named = { ...(mediaType ? { mediaType } : {}), ...(filename ? { filename } : {}) };
  switch (content?.$case) {
    case 'text':
      if (!content.value) throw invalid(`${pointer}/text`, 'may not be empty');
      return textPart(content.value, `${pointer}/text`, limits);
    case 'data':
      return dataPart(dataText ?? JSON.stringify(content.value), `${pointer}/data`, limits);
    case 'raw':
      return { raw: Buffer.from(content.value).toString('base64'), ...named };
    case 'url':
      if (!content.value) throw invalid(`${pointer}/url`, 'may not be empty');
      return { url: content.value, ...named };
    default:
      throw invalid(pointer, 'needs a text, data, raw or url');
  }
}

/** Data may become a call's arguments: it is kept as it was written, and refused where two readers could take it differently. */
function dataPart(dataText: string, pointer: string, { jsonDepth }: MessageLimits): Part {
  try {
    return { data: parseStrict(dataText, { maxDepth: jsonDepth }), dataText };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const fault: Fault = { pointer: pointer + error.pointer, detail: error.reason };
    throw new OpenError('invalidParams', `The data of a part is not accepted: ${error.reason}.`, [fault]);
  }
}

function refuseOutput(accepted: readonly string[]): void {
  if (!accepted.length || accepted.some((mode) => ourOutput.some((ours) => fits(ours, mode)))) return;
  throw new OpenError('contentTypeNotSupported', `This agent answers in ${ourOutput.join(' and ')}.`);
}

/** Patterns of RFC 9110, section 12.5.1, without their parameters. */
function fits(mediaType: string, pattern: string): boolean {
  const asked = pattern.split(';')[0].trim().toLowerCase();
  // what some clients call words
  if (asked === '*/*' || asked === '*' || asked === 'text') return true;
  return asked === mediaType || (asked.endsWith('/*') && mediaType.startsWith(asked.slice(0, -1)));
}
