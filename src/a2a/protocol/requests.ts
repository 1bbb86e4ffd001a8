import { ListTasksRequest, type Message, Role, SendMessageRequest, taskStateToJSON } from '@a2a-js/sdk';
import type { InvalidField } from '../../platform/errors/problem.js';
import { parseStrict, StrictJsonError } from '../../platform/json/strict-json.js';
import { type MessageLimits, textPart } from '../../tasks/messages.port.js';
import { isTaskId, type Part } from '../../tasks/tasks.service.js';
import type { OwnTasksFilter } from '../../tasks/own-tasks.service.js';
import { pushNotificationsUnsupported, A2aError } from './errors.js';
import { taskFilterOfState } from './task-mapping.js';

/*
 * Parses requests of version 1.0. Accepts numbers for enum names, snake_case and unknown members, but validates all values
 * strictly.
 */

export interface A2aSendRequest {
  taskId?: string;
  contextId?: string;
  messageId: string;
  parts: Part[];
  /** Media types of text and data parts. File parts carry their own. */
  mediaTypes: string[];
  isBlocking: boolean;
  historyLength?: number;
}

const invalidParam = (pointer: string, detail: string) =>
  new A2aError('invalidParams', `${pointer.slice(1).replaceAll('/', '.')} ${detail}.`, [{ pointer, detail }]);

const maxRequestedHistory = 1000;
const maxPageSize = 100;
const supportedOutputModes = ['text/plain', 'application/json'];
const maxMessageIdLength = 256;

/** `dataTexts`: the source text of each part's data, if the request was JSON. */
export function parseSendRequest(
  params: unknown,
  dataTexts: readonly (string | undefined)[],
  limits: MessageLimits,
): A2aSendRequest {
  const { message, configuration } = decodeParams(SendMessageRequest, params);
  if (!message) throw invalidParam('/message', 'is missing');
  requireStrings((params as { message: object }).message);
  const { messageId, taskId, contextId, role, parts } = message;
  if (!messageId) throw invalidParam('/message/messageId', 'is missing');
  if (messageId.length > maxMessageIdLength)
    throw invalidParam('/message/messageId', `has more than ${maxMessageIdLength} characters`);
  if (role !== Role.ROLE_USER) throw invalidParam('/message/role', 'has to be ROLE_USER');
  if (!parts.length) throw invalidParam('/message/parts', 'may not be empty');
  if (parts.length > limits.parts) throw invalidParam('/message/parts', `has more than ${limits.parts} parts`);
  if (contextId) requireContextId(contextId, '/message/contextId');
  if (configuration?.taskPushNotificationConfig) throw pushNotificationsUnsupported();
  requireSupportedOutput(configuration?.acceptedOutputModes ?? []);
  return {
    ...(taskId ? { taskId } : {}),
    ...(contextId ? { contextId } : {}),
    messageId,
    parts: parts.map((part, nth) => parsePart(part, `/message/parts/${nth}`, dataTexts[nth], limits)),
    mediaTypes: parts.flatMap(({ content, mediaType }) =>
      mediaType && (content?.$case === 'text' || content?.$case === 'data') ? [mediaType] : [],
    ),
    isBlocking: !configuration?.returnImmediately,
    historyLength: parseHistoryLength(configuration?.historyLength, '/configuration/historyLength'),
  };
}

function requireContextId(contextId: string, pointer: string): void {
  if (!isTaskId(contextId)) throw invalidParam(pointer, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : -');
}

/** Accepts numbers from JSON and numeric strings from a query. */
export function parseHistoryLength(value: unknown, pointer = '/historyLength'): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const length = Number(value);
  if (!Number.isInteger(length) || length < 0) throw invalidParam(pointer, 'has to be 0 or a positive whole number');
  return Math.min(length, maxRequestedHistory);
}

export function parseTaskId(value: unknown): string {
  if (typeof value !== 'string' || !value) throw invalidParam('/id', 'is missing');
  if (!isTaskId(value)) throw new A2aError('taskNotFound', `The task "${value.slice(0, 128)}" was not found.`);
  return value;
}

export interface A2aListRequest {
  filter: OwnTasksFilter;
  pageSize: number;
  historyLength?: number;
  includeArtifacts: boolean;
}

/** `isEmpty`: no task of ours is ever in the requested state. */
export function parseListRequest(params: unknown): A2aListRequest & { isEmpty: boolean } {
  const request = decodeParams(ListTasksRequest, params ?? {});
  const { contextId, pageToken, status, statusTimestampAfter, includeArtifacts = false } = request;
  if (contextId) requireContextId(contextId, '/contextId');
  const given = (params ?? {}) as Record<string, unknown>;
  const size = given.pageSize ?? given.page_size;
  const pageSize = size === undefined || size === '' ? 50 : Number(size);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxPageSize)
    throw invalidParam('/pageSize', `has to be a whole number from 1 to ${maxPageSize}`);
  const historyLength = parseHistoryLength(given.historyLength ?? given.history_length);
  const name = taskStateToJSON(status);
  if (name === 'UNRECOGNIZED') throw invalidParam('/status', 'is not the name of a state');
  const stateFilter = name === 'TASK_STATE_UNSPECIFIED' ? {} : taskFilterOfState(name);
  return {
    filter: {
      ...stateFilter,
      ...(contextId ? { contextId } : {}),
      ...(statusTimestampAfter ? { since: parseTimestamp(statusTimestampAfter) } : {}),
      ...(pageToken ? { cursor: pageToken } : {}),
      limit: pageSize,
    },
    isEmpty: stateFilter === null,
    pageSize,
    historyLength,
    includeArtifacts,
  };
}

/** In the format of status timestamps: UTC with milliseconds. */
function parseTimestamp(value: unknown): string {
  const at = new Date(String(value));
  if (Number.isNaN(at.getTime())) throw invalidParam('/statusTimestampAfter', 'is not a time (RFC 3339)');
  return at.toISOString();
}

function decodeParams<T>(type: { fromJSON(object: unknown): T }, params: unknown): T {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new A2aError('invalidParams', 'The parameters must be an object.');
  try {
    return type.fromJSON(params);
  } catch (error) {
    throw new A2aError(
      'invalidParams',
      `The parameters do not match the documented schema: ${(error as Error).message}`,
    );
  }
}

const messageStringFields = new Set(['messageId', 'message_id', 'contextId', 'context_id', 'taskId', 'task_id']);
const partStringFields = new Set(['text', 'raw', 'url', 'filename', 'mediaType', 'media_type']);
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The decoder converts any value to a string. That is right for a number, but not for an object. */
function requireStrings(message: { parts?: unknown }): void {
  requireStringFields(message, messageStringFields, '/message');
  if (!Array.isArray(message.parts)) return;
  for (const [nth, part] of (message.parts as { raw?: unknown }[]).entries()) {
    requireStringFields(part, partStringFields, `/message/parts/${nth}`);
    if (typeof part.raw === 'string' && !base64.test(part.raw))
      throw invalidParam(`/message/parts/${nth}/raw`, 'is not base64');
  }
}

function requireStringFields(of: object, names: ReadonlySet<string>, pointer: string): void {
  for (const [name, value] of Object.entries(of))
    if (names.has(name) && typeof value === 'object' && value !== null)
      throw invalidParam(`${pointer}/${name}`, 'has to be a string');
}

function parsePart(
  { content, filename, mediaType }: Message['parts'][number],
  pointer: string,
  dataText: string | undefined,
  limits: MessageLimits,
): Part {
  const named = { ...(mediaType ? { mediaType } : {}), ...(filename ? { filename } : {}) };
  switch (content?.$case) {
    case 'text':
      if (!content.value) throw invalidParam(`${pointer}/text`, 'may not be empty');
      return textPart(content.value, `${pointer}/text`, limits);
    case 'data':
      return dataPart(dataText ?? JSON.stringify(content.value), `${pointer}/data`, limits);
    case 'raw':
      return { raw: Buffer.from(content.value).toString('base64'), ...named };
    case 'url':
      if (!content.value) throw invalidParam(`${pointer}/url`, 'may not be empty');
      return { url: content.value, ...named };
    default:
      throw invalidParam(pointer, 'needs a text, data, raw or url');
  }
}

/** Data may become arguments of a call: stores its source text and rejects data that two parsers could read differently. */
function dataPart(dataText: string, pointer: string, { jsonDepth }: MessageLimits): Part {
  try {
    return { data: parseStrict(dataText, { maxDepth: jsonDepth }), dataText };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const fault: InvalidField = { pointer: pointer + error.pointer, detail: error.reason };
    throw new A2aError('invalidParams', `The data of a part is not accepted: ${error.reason}.`, [fault]);
  }
}

function requireSupportedOutput(accepted: readonly string[]): void {
  if (!accepted.length || accepted.some((mode) => supportedOutputModes.some((ours) => matchesMediaRange(ours, mode))))
    return;
  throw new A2aError(
    'contentTypeNotSupported',
    `This agent supports only the output modes ${supportedOutputModes.join(' and ')}.`,
  );
}

/** Patterns of RFC 9110, section 12.5.1, without their parameters. */
function matchesMediaRange(mediaType: string, pattern: string): boolean {
  const range = pattern.split(';')[0].trim().toLowerCase();
  // some clients write `text` for `text/plain`
  if (range === '*/*' || range === '*' || range === 'text') return true;
  return range === mediaType || (range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1)));
}
