import type { JsonValue } from '../../platform/json/strict-json.js';
import { OpenError } from './errors.js';
import type { OpenAnswer, OpenArtifact, OpenMessage, OpenPart, OpenStatus, OpenTask, OpenUpdate } from './shapes.js';

/* Version 0.3 over JSON-RPC, from and to the words of version 1.0. */

type Loose = Record<string, unknown>;

const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Loose => (isObject(value) ? value : {});

const roles: Record<string, string> = { user: 'ROLE_USER', agent: 'ROLE_AGENT' };

/** What a send of 0.3 says. `isBlockingByDefault`: where it does not say whether it waits. */
export function sendOf(params: unknown, isBlockingByDefault = true): unknown {
  if (!isObject(params)) return params;
  const { message, configuration } = params;
  return { message: messageFrom(message), configuration: configurationFrom(configuration, isBlockingByDefault) };
}

export function configurationFrom(configuration: unknown, isBlockingByDefault: boolean): Loose {
  const { blocking = isBlockingByDefault, pushNotificationConfig, ...others } = objectOf(configuration);
  const push = pushNotificationConfig === undefined ? {} : { taskPushNotificationConfig: pushNotificationConfig };
  return { ...others, ...push, returnImmediately: blocking === false };
}

function messageFrom(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { role, parts } = message;
  return {
    ...message,
    role: roles[String(role)] ?? role,
    parts: Array.isArray(parts) ? parts.map(partFrom) : parts,
  };
}

const partKinds: readonly unknown[] = ['text', 'file', 'data'];

function partFrom(part: unknown): unknown {
  if (!isObject(part)) return part;
  const kind = part.kind ?? part.type; // as it was called before 0.3
  if (kind !== undefined && !partKinds.includes(kind))
    throw new OpenError('invalidParams', 'The kind of a part is text, file or data.');
  if (kind !== 'file') return part;
  const { bytes, uri, name, mimeType } = objectOf(part.file);
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
  };
}

export const legacyState = (state: string): string =>
  state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

export const legacyTask = ({ id, contextId, status, artifacts, history, metadata }: OpenTask) => ({
  kind: 'task' as const,
  id,
  contextId,
  status: legacyStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(legacyArtifact) } : {}),
  ...(history ? { history: history.map(legacyMessage) } : {}),
  ...(metadata ? { metadata } : {}),
});

export const legacyMessage = ({ role, parts, ...message }: OpenMessage) => ({
  kind: 'message' as const,
  ...message,
  role: role === 'ROLE_USER' ? ('user' as const) : ('agent' as const),
  parts: parts.map(legacyPart),
});

export const legacyAnswer = (answer: OpenAnswer) =>
  'task' in answer ? legacyTask(answer.task) : legacyMessage(answer.message);

/** `isLast`: the stream ends with it. */
export function legacyUpdate(update: OpenUpdate, isLast: boolean): object {
  if ('task' in update) return legacyTask(update.task);
  if ('message' in update) return legacyMessage(update.message);
  if ('artifactUpdate' in update) {
    const { artifact, ...rest } = update.artifactUpdate;
    return { kind: 'artifact-update', ...rest, artifact: legacyArtifact(artifact) };
  }
  const { status, ...rest } = update.statusUpdate;
  return { kind: 'status-update', ...rest, status: legacyStatus(status), final: isLast };
}

const legacyStatus = ({ state, message, timestamp }: OpenStatus) => ({
  state: legacyState(state),
  ...(message ? { message: legacyMessage(message) } : {}),
  timestamp,
});

const legacyArtifact = ({ parts, ...artifact }: OpenArtifact) => ({ ...artifact, parts: parts.map(legacyPart) });

function legacyPart({ text, data, raw, url, filename, mediaType }: OpenPart) {
  if (text !== undefined) return { kind: 'text' as const, text };
  if (data !== undefined) return { kind: 'data' as const, data: asObject(data) };
  const named = { ...(filename ? { name: filename } : {}), ...(mediaType ? { mimeType: mediaType } : {}) };
  return { kind: 'file' as const, file: raw === undefined ? { uri: url!, ...named } : { bytes: raw, ...named } };
}

/** Data is an object there. */
export const asObject = (data: JsonValue) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : { value: data };
