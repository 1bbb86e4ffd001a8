import { asObject, configurationFrom } from './legacy.js';
import type { OpenAnswer, OpenArtifact, OpenMessage, OpenPart, OpenStatus, OpenTask, OpenUpdate } from './shapes.js';

/* Version 0.3 over HTTP: the JSON of its protocol buffers, which is not the JSON of its JSON-RPC. */

type Loose = Record<string, unknown>;
const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Loose => (isObject(value) ? value : {});

/** A message stands under `message`; some clients write the field's older name. */
export const legacyMessageField = (body: Loose): 'message' | 'request' =>
  body.message === undefined ? 'request' : 'message';

export function httpSendOf(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { configuration } = body;
  // a flag that is not written is false there; without a configuration nothing was said
  const isBlockingByDefault = configuration === undefined;
  return {
    message: messageFrom(body[legacyMessageField(body)]),
    configuration: configurationFrom(withPush(configuration), isBlockingByDefault),
  };
}

function withPush(configuration: unknown): unknown {
  const { pushNotification, push_notification: snake, ...others } = objectOf(configuration);
  const push = pushNotification ?? snake;
  return push === undefined ? others : { ...others, pushNotificationConfig: push };
}

function messageFrom(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content, parts = content } = message;
  return { ...message, parts: Array.isArray(parts) ? parts.map(partFrom) : parts };
}

function partFrom(part: unknown): unknown {
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

export const httpTask = ({ status, artifacts, history, ...task }: OpenTask) => ({
  ...task,
  status: httpStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(httpArtifact) } : {}),
  ...(history ? { history: history.map(httpMessage) } : {}),
});

export const httpMessage = ({ parts, ...message }: OpenMessage) => ({ ...message, content: parts.map(httpPart) });

export const httpAnswer = (answer: OpenAnswer) =>
  'task' in answer ? { task: httpTask(answer.task) } : { message: httpMessage(answer.message) };

/** `isLast`: the stream ends with it. */
export function httpUpdate(update: OpenUpdate, isLast: boolean): object {
  if ('task' in update || 'message' in update) return httpAnswer(update);
  if ('artifactUpdate' in update) {
    const { artifact, ...rest } = update.artifactUpdate;
    return { artifactUpdate: { ...rest, artifact: httpArtifact(artifact) } };
  }
  const { status, ...rest } = update.statusUpdate;
  return { statusUpdate: { ...rest, status: httpStatus(status), final: isLast } };
}

const httpStatus = ({ state, message, timestamp }: OpenStatus) => ({
  // spelt otherwise there
  state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
  ...(message ? { message: httpMessage(message) } : {}),
  timestamp,
});

const httpArtifact = ({ parts, ...artifact }: OpenArtifact) => ({ ...artifact, parts: parts.map(httpPart) });

function httpPart({ text, data, raw, url, filename, mediaType }: OpenPart) {
  if (text !== undefined) return { text };
  if (data !== undefined) return { data: { data: asObject(data) } };
  const named = { ...(filename ? { name: filename } : {}), ...(mediaType ? { mimeType: mediaType } : {}) };
  return { file: raw === undefined ? { fileWithUri: url!, ...named } : { fileWithBytes: raw, ...named } };
}
