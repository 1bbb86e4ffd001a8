import type { JsonValue } from '../../platform/json/strict-json.js';
import { A2aError } from './errors.js';
import type {
  A2aSendResponse,
  A2aArtifact,
  A2aMessage,
  A2aPart,
  A2aTaskStatus,
  A2aTask,
  A2aStreamResponse,
} from './task-mapping.js';
import { isObject, objectOrEmpty, type UncheckedJson } from './unchecked-json.js';

/* Converts version 0.3 over JSON-RPC from and to version 1.0. */

const roles: Record<string, string> = { user: 'ROLE_USER', agent: 'ROLE_AGENT' };

/** `isBlockingByDefault`: applies if the configuration has no `blocking` flag. */
export function fromLegacySend(params: unknown, isBlockingByDefault = true): unknown {
  if (!isObject(params)) return params;
  const { message, configuration } = params;
  return {
    message: parseLegacyMessage(message),
    configuration: fromLegacyConfiguration(configuration, isBlockingByDefault),
  };
}

export function fromLegacyConfiguration(configuration: unknown, isBlockingByDefault: boolean): UncheckedJson {
  const { blocking = isBlockingByDefault, pushNotificationConfig, ...others } = objectOrEmpty(configuration);
  const push = pushNotificationConfig === undefined ? {} : { taskPushNotificationConfig: pushNotificationConfig };
  return { ...others, ...push, returnImmediately: blocking === false };
}

function parseLegacyMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { role, parts } = message;
  return {
    ...message,
    role: roles[String(role)] ?? role,
    parts: Array.isArray(parts) ? parts.map(parseLegacyPart) : parts,
  };
}

const partKinds: readonly unknown[] = ['text', 'file', 'data'];

function parseLegacyPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  const kind = part.kind ?? part.type; // `type` is the name before 0.3
  if (kind !== undefined && !partKinds.includes(kind))
    throw new A2aError('invalidParams', 'The kind of a part must be text, file or data.');
  if (kind !== 'file') return part;
  const { bytes, uri, name, mimeType } = objectOrEmpty(part.file);
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
  };
}

export const toLegacyState = (state: string): string =>
  state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

export const toLegacyTask = ({ id, contextId, status, artifacts, history, metadata }: A2aTask) => ({
  kind: 'task' as const,
  id,
  contextId,
  status: toLegacyStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(toLegacyArtifact) } : {}),
  ...(history ? { history: history.map(toLegacyMessage) } : {}),
  ...(metadata ? { metadata } : {}),
});

export const toLegacyMessage = ({ role, parts, ...message }: A2aMessage) => ({
  kind: 'message' as const,
  ...message,
  role: role === 'ROLE_USER' ? ('user' as const) : ('agent' as const),
  parts: parts.map(toLegacyPart),
});

export const toLegacyResponse = (answer: A2aSendResponse) =>
  'task' in answer ? toLegacyTask(answer.task) : toLegacyMessage(answer.message);

/** `isLast`: the stream ends with this update. */
export function toLegacyUpdate(update: A2aStreamResponse, isLast: boolean): object {
  if ('task' in update) return toLegacyTask(update.task);
  if ('message' in update) return toLegacyMessage(update.message);
  if ('artifactUpdate' in update) {
    const { artifact, ...rest } = update.artifactUpdate;
    return { kind: 'artifact-update', ...rest, artifact: toLegacyArtifact(artifact) };
  }
  const { status, ...rest } = update.statusUpdate;
  return { kind: 'status-update', ...rest, status: toLegacyStatus(status), final: isLast };
}

const toLegacyStatus = ({ state, message, timestamp }: A2aTaskStatus) => ({
  state: toLegacyState(state),
  ...(message ? { message: toLegacyMessage(message) } : {}),
  timestamp,
});

const toLegacyArtifact = ({ parts, ...artifact }: A2aArtifact) => ({ ...artifact, parts: parts.map(toLegacyPart) });

function toLegacyPart({ text, data, raw, url, filename, mediaType }: A2aPart) {
  if (text !== undefined) return { kind: 'text' as const, text };
  if (data !== undefined) return { kind: 'data' as const, data: wrapInObject(data) };
  const named = { ...(filename ? { name: filename } : {}), ...(mediaType ? { mimeType: mediaType } : {}) };
  return { kind: 'file' as const, file: raw === undefined ? { uri: url!, ...named } : { bytes: raw, ...named } };
}

/** 0.3 requires data to be an object. */
export const wrapInObject = (data: JsonValue) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : { value: data };
