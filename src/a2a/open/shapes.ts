import type { JsonValue } from '../../platform/json/strict-json.js';
import { asksCaller, isTerminal, type TaskState, type TaskStatus } from '../../tasks/task.entity.js';
import type { TaskUpdate } from '../../tasks/task-feed.service.js';
import type { Artifact, Part, Said, TaskView } from '../../tasks/tasks.service.js';

/* Tasks in the words of version 1.0, as JSON: what every binding is made from. */

export interface OpenPart {
  text?: string;
  raw?: string;
  url?: string;
  data?: JsonValue;
  filename?: string;
  mediaType?: string;
}
export interface OpenMessage {
  messageId: string;
  contextId: string;
  taskId: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: OpenPart[];
  metadata?: object;
}
export interface OpenStatus {
  state: string;
  message?: OpenMessage;
  timestamp: string;
}
export interface OpenArtifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: OpenPart[];
}
export interface OpenTask {
  id: string;
  contextId: string;
  status: OpenStatus;
  artifacts?: OpenArtifact[];
  history?: OpenMessage[];
  metadata?: object;
}
export interface OpenStatusUpdate {
  taskId: string;
  contextId: string;
  status: OpenStatus;
  metadata?: object;
}
export interface OpenArtifactUpdate {
  taskId: string;
  contextId: string;
  artifact: OpenArtifact;
  append: boolean;
  lastChunk: boolean;
}
export type OpenUpdate =
  | { task: OpenTask }
  | { message: OpenMessage }
  | { statusUpdate: OpenStatusUpdate }
  | { artifactUpdate: OpenArtifactUpdate };
export type OpenAnswer = { task: OpenTask } | { message: OpenMessage };

/** What a task or a message is part of. */
export interface Place {
  taskId: string;
  contextId: string;
}
export const placeOf = ({ id, contextId }: Pick<TaskView, 'id' | 'contextId'>): Place => ({
  taskId: id,
  contextId: contextId ?? id,
});

const stateNames: Record<TaskState, string> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
};
const needsCredentials = 'TASK_STATE_AUTH_REQUIRED';

export const stateOf = ({ state, metadata }: TaskStatus): string =>
  metadata?.reason === 'credentials' ? needsCredentials : stateNames[state];

/** Which tasks a state of the protocol means. Null: none of ours is ever in it. */
export function tasksIn(name: string): { state: TaskState; needsCredentials?: boolean } | null {
  if (name === needsCredentials) return { state: 'input-required', needsCredentials: true };
  const state = (Object.keys(stateNames) as TaskState[]).find((one) => stateNames[one] === name);
  if (!state) return null;
  return state === 'input-required' ? { state, needsCredentials: false } : { state };
}

/** A caller has nothing to wait for: the task has ended, or goes on with the caller's next message only. */
export const isHandedBack = (status: TaskStatus): boolean => isTerminal(status.state) || asksCaller(status.metadata);
/** Which update a stream ends with; `isToEnd`: only with the task. */
export const isLastOf =
  (isToEnd = false) =>
  ({ status, chunk }: Pick<TaskUpdate, 'status' | 'chunk'>): boolean =>
    !chunk && (isToEnd ? isTerminal(status.state) : isHandedBack(status));
/** A blocking send comes back, for a person's decision too, which may take days. */
export const isInterrupted = ({ state }: TaskStatus): boolean => isTerminal(state) || state === 'input-required';

export const isBareMessage = ({ metadata }: TaskStatus): boolean => metadata?.answersWith === 'message';

export function taskOf(task: TaskView, history?: Said[]): OpenTask {
  const place = placeOf(task);
  const metadata = metadataOf(task.status);
  return {
    id: place.taskId,
    contextId: place.contextId,
    status: statusOf(task.status, place),
    ...(task.artifacts?.length ? { artifacts: task.artifacts.map(artifactOf) } : {}),
    ...(history ? { history: history.map((said, nth) => saidOf(said, nth, place)) } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

export function statusOf(status: TaskStatus, place: Place): OpenStatus {
  const { timestamp, message, error } = status;
  const text = message?.parts.map((part) => part.text).join('\n') ?? error?.detail;
  return {
    state: stateOf(status),
    ...(text === undefined ? {} : { message: agentSays(`${place.taskId}:${timestamp}`, [{ text }], place) }),
    timestamp,
  };
}

/** What the task came to, as one message. */
export const answerOf = ({ status, artifacts, ...task }: TaskView): OpenMessage => {
  const place = placeOf(task);
  const parts = (artifacts ?? []).flatMap((artifact) => artifact.parts.map(partOf));
  return agentSays(`${place.taskId}:${status.timestamp}`, parts, place);
};

const agentSays = (messageId: string, parts: OpenPart[], place: Place): OpenMessage => ({
  messageId,
  ...place,
  role: 'ROLE_AGENT',
  parts,
});

const saidOf = ({ role, parts, messageId }: Said, nth: number, place: Place): OpenMessage => ({
  messageId: messageId ?? `${place.taskId}:${nth + 1}`,
  ...place,
  role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
  parts: parts.map(partOf),
});

/** What is ours stands below one name, so that it is in nobody's way. */
export function metadataOf({ metadata, error }: TaskStatus): object | undefined {
  const own = { ...metadata, ...(error ? { error: { code: error.code, callId: error.callId } } : {}) };
  return Object.keys(own).length ? { countersign: own } : undefined;
}

export const artifactOf = ({ artifactId, name, description, parts }: Artifact): OpenArtifact => ({
  artifactId,
  name,
  ...(description ? { description } : {}),
  parts: parts.map(partOf),
});

export function partOf(part: Part): OpenPart {
  if ('data' in part) return { data: part.data, mediaType: 'application/json' };
  if ('text' in part) return { text: part.text, mediaType: 'text/plain' };
  return part;
}

/** Tells a stream's reader of a task's updates; what was shown, with the task or piece by piece, is not told again whole. */
export class Narration {
  private readonly shown: Set<string>;

  constructor(private readonly task: Pick<TaskView, 'id' | 'contextId' | 'artifacts'>) {
    this.shown = new Set(task.artifacts?.map(({ artifactId }) => artifactId));
  }

  of({ status, artifacts, chunk }: TaskUpdate): OpenUpdate[] {
    const place = placeOf(this.task);
    if (chunk) {
      this.shown.add(chunk.artifactId);
      const { artifactId, name, parts, append, lastChunk } = chunk;
      const artifact = { artifactId, ...(name ? { name } : {}), parts: parts.map(partOf) };
      return [{ artifactUpdate: { ...place, artifact, append, lastChunk } }];
    }
    if (isBareMessage(status)) return [{ message: answerOf({ ...this.task, status, artifacts } as TaskView) }];
    const whole = (artifacts ?? []).filter(({ artifactId }) => !this.shown.has(artifactId));
    const metadata = metadataOf(status);
    return [
      ...whole.map((artifact) => ({
        artifactUpdate: { ...place, artifact: artifactOf(artifact), append: false, lastChunk: true },
      })),
      { statusUpdate: { ...place, status: statusOf(status, place), ...(metadata ? { metadata } : {}) } },
    ];
  }
}
