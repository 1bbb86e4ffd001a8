import { wrapInObject, fromLegacyConfiguration } from './legacy.js';
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

/* Version 0.3 over HTTP: uses the JSON of its protocol buffers, which differs from the JSON of its JSON-RPC binding. */

/** Some clients use the older name `request` of the field `message`. */
export const legacyMessageField = (body: UncheckedJson): 'message' | 'request' =>
  body.message === undefined ? 'request' : 'message';

export function fromLegacyHttpSend(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { configuration } = body;
  // In ProtoJSON, an omitted flag is false. Without a configuration, the protocol's default applies: blocking.
  const isBlockingByDefault = configuration === undefined;
  return {
    message: parseLegacyHttpMessage(body[legacyMessageField(body)]),
    configuration: fromLegacyConfiguration(withPushConfig(configuration), isBlockingByDefault),
  };
}

function withPushConfig(configuration: unknown): unknown {
  const { pushNotification, push_notification: snake, ...others } = objectOrEmpty(configuration);
  const push = pushNotification ?? snake;
  return push === undefined ? others : { ...others, pushNotificationConfig: push };
}

function parseLegacyHttpMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content, parts = content } = message;
  return { ...message, parts: Array.isArray(parts) ? parts.map(parseLegacyHttpPart) : parts };
}

function parseLegacyHttpPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (isObject(part.data) && 'data' in part.data) return { ...part, data: part.data.data };
  if (!isObject(part.file)) return part;
  const { file } = part;
  const [uri, bytes] = [
    file.fileWithUri ?? file.file_with_uri ?? file.uri,
    file.fileWithBytes ?? file.file_with_bytes ?? file.bytes,
  ];
  const [name, type] = [file.name, file.mimeType ?? file.mime_type];
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(type === undefined ? {} : { mediaType: type }),
  };
}

export const toLegacyHttpTask = ({ status, artifacts, history, ...task }: A2aTask) => ({
  ...task,
  status: toLegacyHttpStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(toLegacyHttpArtifact) } : {}),
  ...(history ? { history: history.map(toLegacyHttpMessage) } : {}),
});

export const toLegacyHttpMessage = ({ parts, ...message }: A2aMessage) => ({
  ...message,
  content: parts.map(toLegacyHttpPart),
});

export const toLegacyHttpResponse = (answer: A2aSendResponse) =>
  'task' in answer ? { task: toLegacyHttpTask(answer.task) } : { message: toLegacyHttpMessage(answer.message) };

/** `isLast`: the stream ends with this update. */
export function toLegacyHttpUpdate(update: A2aStreamResponse, isLast: boolean): object {
  if ('task' in update || 'message' in update) return toLegacyHttpResponse(update);
  if ('artifactUpdate' in update) {
    const { artifact, ...rest } = update.artifactUpdate;
    return { artifactUpdate: { ...rest, artifact: toLegacyHttpArtifact(artifact) } };
  }
  const { status, ...rest } = update.statusUpdate;
  return { statusUpdate: { ...rest, status: toLegacyHttpStatus(status), final: isLast } };
}

const toLegacyHttpStatus = ({ state, message, timestamp }: A2aTaskStatus) => ({
  // 0.3 protocol buffers spell it with two L
  state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
  ...(message ? { message: toLegacyHttpMessage(message) } : {}),
  timestamp,
});

const toLegacyHttpArtifact = ({ parts, ...artifact }: A2aArtifact) => ({
  ...artifact,
  parts: parts.map(toLegacyHttpPart),
});

function toLegacyHttpPart({ text, data, raw, url, filename, mediaType }: A2aPart) {
  if (text !== undefined) return { text };
  if (data !== undefined) return { data: { data: wrapInObject(data) } };
  const named = { ...(filename ? { name: filename } : {}), ...(mediaType ? { mimeType: mediaType } : {}) };
  return { file: raw === undefined ? { fileWithUri: url!, ...named } : { fileWithBytes: raw, ...named } };
}
