import type { JsonValue } from '../../platform/json/strict-json.js';
import { awaitsCaller, isTerminal, type TaskState, type TaskStatus } from '../../tasks/task.entity.js';
import type { TaskUpdate } from '../../tasks/task-feed.service.js';
import type { Artifact, Part, HistoryMessage, TaskView } from '../../tasks/tasks.service.js';

/* Maps tasks to the JSON of version 1.0, from which all other bindings are derived. */

export interface A2aPart {
  text?: string;
  raw?: string;
  url?: string;
  data?: JsonValue;
  filename?: string;
  mediaType?: string;
}
export interface A2aMessage {
  messageId: string;
  contextId: string;
  taskId: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: A2aPart[];
  metadata?: object;
}
export interface A2aTaskStatus {
  state: string;
  message?: A2aMessage;
  timestamp: string;
}
export interface A2aArtifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: A2aPart[];
}
export interface A2aTask {
  id: string;
  contextId: string;
  status: A2aTaskStatus;
  artifacts?: A2aArtifact[];
  history?: A2aMessage[];
  metadata?: object;
}
export interface A2aStatusUpdate {
  taskId: string;
  contextId: string;
  status: A2aTaskStatus;
  metadata?: object;
}
export interface A2aArtifactUpdate {
  taskId: string;
  contextId: string;
  artifact: A2aArtifact;
  append: boolean;
  lastChunk: boolean;
}
export type A2aStreamResponse =
  | { task: A2aTask }
  | { message: A2aMessage }
  | { statusUpdate: A2aStatusUpdate }
  | { artifactUpdate: A2aArtifactUpdate };
export type A2aSendResponse = { task: A2aTask } | { message: A2aMessage };

export interface TaskReference {
  taskId: string;
  contextId: string;
}
export const taskReferenceOf = ({ id, contextId }: Pick<TaskView, 'id' | 'contextId'>): TaskReference => ({
  taskId: id,
  contextId: contextId ?? id,
});

const a2aStateNames: Record<TaskState, string> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
};
const authRequiredState = 'TASK_STATE_AUTH_REQUIRED';

export const toA2aState = ({ state, metadata }: TaskStatus): string =>
  metadata?.reason === 'credentials' ? authRequiredState : a2aStateNames[state];

/** Maps a protocol state to a filter for tasks. Null: no task of ours is ever in this state. */
export function taskFilterOfState(name: string): { state: TaskState; needsCredentials?: boolean } | null {
  if (name === authRequiredState) return { state: 'input-required', needsCredentials: true };
  const state = (Object.keys(a2aStateNames) as TaskState[]).find((one) => a2aStateNames[one] === name);
  if (!state) return null;
  return state === 'input-required' ? { state, needsCredentials: false } : { state };
}

/** The task has ended, or continues only after the caller's next message. */
export const isCallersTurn = (status: TaskStatus): boolean => isTerminal(status.state) || awaitsCaller(status.metadata);
/** Whether a stream ends with this update. `isUntilTerminal`: only the end of the task ends the stream. */
export const isLastUpdate =
  (isUntilTerminal = false) =>
  ({ status, chunk }: Pick<TaskUpdate, 'status' | 'chunk'>): boolean =>
    !chunk && (isUntilTerminal ? isTerminal(status.state) : isCallersTurn(status));
/** A blocking send also returns when the task waits for an approval, which may take days. */
export const endsBlockingSend = ({ state }: TaskStatus): boolean => isTerminal(state) || state === 'input-required';

export const isAnsweredByMessage = ({ metadata }: TaskStatus): boolean => metadata?.answersWith === 'message';

export function toA2aTask(task: TaskView, history?: HistoryMessage[]): A2aTask {
  const reference = taskReferenceOf(task);
  const metadata = toA2aMetadata(task.status);
  return {
    id: reference.taskId,
    contextId: reference.contextId,
    status: toA2aStatus(task.status, reference),
    ...(task.artifacts?.length ? { artifacts: task.artifacts.map(toA2aArtifact) } : {}),
    ...(history ? { history: history.map((message, nth) => toA2aHistoryMessage(message, nth, reference)) } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

export function toA2aStatus(status: TaskStatus, place: TaskReference): A2aTaskStatus {
  const { timestamp, message, error } = status;
  const text = message?.parts.map((part) => part.text).join('\n') ?? error?.detail;
  return {
    state: toA2aState(status),
    ...(text === undefined ? {} : { message: a2aAgentMessage(`${place.taskId}:${timestamp}`, [{ text }], place) }),
    timestamp,
  };
}

/** The result of the task as one message. */
export const toA2aAnswer = ({ status, artifacts, ...task }: TaskView): A2aMessage => {
  const reference = taskReferenceOf(task);
  const parts = (artifacts ?? []).flatMap((artifact) => artifact.parts.map(toA2aPart));
  return a2aAgentMessage(`${reference.taskId}:${status.timestamp}`, parts, reference);
};

const a2aAgentMessage = (messageId: string, parts: A2aPart[], place: TaskReference): A2aMessage => ({
  messageId,
  ...place,
  role: 'ROLE_AGENT',
  parts,
});

const toA2aHistoryMessage = (
  { role, parts, messageId }: HistoryMessage,
  nth: number,
  place: TaskReference,
): A2aMessage => ({
  messageId: messageId ?? `${place.taskId}:${nth + 1}`,
  ...place,
  role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
  parts: parts.map(toA2aPart),
});

/** Our own metadata is under one key, to avoid conflicts with other extensions. */
export function toA2aMetadata({ metadata, error }: TaskStatus): object | undefined {
  const own = { ...metadata, ...(error ? { error: { code: error.code, callId: error.callId } } : {}) };
  return Object.keys(own).length ? { countersign: own } : undefined;
}

export const toA2aArtifact = ({ artifactId, name, description, parts }: Artifact): A2aArtifact => ({
  artifactId,
  name,
  ...(description ? { description } : {}),
  parts: parts.map(toA2aPart),
});

export function toA2aPart(part: Part): A2aPart {
  if ('data' in part) return { data: part.data, mediaType: 'application/json' };
  if ('text' in part) return { text: part.text, mediaType: 'text/plain' };
  return part;
}

/** Maps task updates to stream responses. Does not repeat artifacts that were sent with the task or in chunks. */
export class TaskUpdateMapper {
  private readonly sentArtifactIds: Set<string>;

  constructor(private readonly task: Pick<TaskView, 'id' | 'contextId' | 'artifacts'>) {
    this.sentArtifactIds = new Set(task.artifacts?.map(({ artifactId }) => artifactId));
  }

  toStreamResponses({ status, artifacts, chunk }: TaskUpdate): A2aStreamResponse[] {
    const reference = taskReferenceOf(this.task);
    if (chunk) {
      this.sentArtifactIds.add(chunk.artifactId);
      const { artifactId, name, parts, append, lastChunk } = chunk;
      const artifact = { artifactId, ...(name ? { name } : {}), parts: parts.map(toA2aPart) };
      return [{ artifactUpdate: { ...reference, artifact, append, lastChunk } }];
    }
    if (isAnsweredByMessage(status)) return [{ message: toA2aAnswer({ ...this.task, status, artifacts } as TaskView) }];
    const whole = (artifacts ?? []).filter(({ artifactId }) => !this.sentArtifactIds.has(artifactId));
    const metadata = toA2aMetadata(status);
    return [
      ...whole.map((artifact) => ({
        artifactUpdate: { ...reference, artifact: toA2aArtifact(artifact), append: false, lastChunk: true },
      })),
      { statusUpdate: { ...reference, status: toA2aStatus(status, reference), ...(metadata ? { metadata } : {}) } },
    ];
  }
}
