import type { ToolResult } from '../connections/tools.service.js';
import type { ListedTool } from '../gate/gate.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';

/** One part of a message or an artifact, as it travels on the wire. */
export type Part =
  | { text: string }
  /** `dataText` is the source text of `data`, byte for byte as it arrived; arguments are cut out of it, never re-serialised. */
  | { data: JsonValue; dataText?: string }
  | FilePart;

/** A file: its bytes, base64 in `raw`, or where it lies. */
export type FilePart =
  { raw: string; mediaType?: string; filename?: string } | { url: string; mediaType?: string; filename?: string };

/** A call that a model asks for. `ref` is unique within the transcript, `arguments` is JSON text. */
export interface ModelToolCall {
  ref: string;
  tool: string;
  arguments: string;
}

/** What became of a call, as far as a model has to know. */
export interface CallReport {
  state: 'succeeded' | 'denied' | 'awaiting_approval' | 'executing' | 'failed' | 'unsettled';
  callId: string;
  code?: string;
  reason?: string;
  result?: ToolResult;
}

export type TranscriptItem =
  /**
   * `messageId`: the sender's own, where its protocol has one. `isReplyBelow`: it answered an agent that the task was handed on
   * to, and is no request of its own.
   */
  | { kind: 'message'; parts: Part[]; messageId?: string; isDelegateReply?: boolean }
  | { kind: 'turn'; text?: string; calls: ModelToolCall[]; question?: string }
  | { kind: 'result'; ref: string; outcome: CallReport };

export type { ListedTool };

export interface TurnInput {
  transcript: readonly TranscriptItem[];
  /** What the gate lists now, with what is paused: a call of that waits. Not every turn needs it. */
  tools(): Promise<readonly ListedTool[]>;
}

export interface Artifact {
  artifactId: string;
  name: string;
  description?: string;
  parts: Part[];
}

/**
 * A piece of an artifact that is shown while the task is being worked on. `append`: its parts come after those shown before,
 * else they take their place; `lastChunk`: nothing more comes of this artifact.
 */
export interface ArtifactChunk {
  artifactId: string;
  name?: string;
  parts: Part[];
  append: boolean;
  lastChunk: boolean;
}

/** The failure codes that a model may end a task with; `task-timeout` belongs to the runner. */
export type TaskFailureCode =
  | 'policy-denied'
  | 'approval-denied'
  | 'approval-expired'
  | 'approval-unreachable'
  | 'upstream-failed'
  | 'outcome-unsettled'
  | 'model-unavailable'
  | 'sandbox';

export type TurnEnd =
  /** `artifacts`: all of them, whole, those included that were shown in chunks. */
  | { state: 'completed'; artifacts: Artifact[]; message?: string; answersWith?: 'message' }
  | { state: 'input-required'; question: string; missing?: string[]; reason?: 'information' | 'credentials' }
  | { state: 'failed'; code: TaskFailureCode; detail: string; callId?: string }
  | { state: 'rejected'; code: TaskFailureCode; detail: string };

/** What is shown meanwhile; the model is asked again `afterMs` later, and nothing waits for it in memory. */
export interface Progress {
  chunk?: ArtifactChunk;
  message?: string;
  afterMs: number;
}

export interface ModelTokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** One step of a model: calls to make, or progress to show, or an end, and one of them only; or nothing, where the model itself is paused. */
export interface Turn {
  text?: string;
  calls: ModelToolCall[];
  usage?: ModelTokenUsage;
  progress?: Progress;
  end?: TurnEnd;
  /** The model was shown words of another system: definitions of tools that nobody has confirmed. */
  isTainted?: boolean;
  /** What is paused: the turn was not taken, and is to be tried again later. */
  pausedBy?: string;
}

/**
 * What drives a task: from what was said and done so far to the next turn.
 * A model never acts by itself. It asks for calls, the runner takes them through the gate and appends their results.
 * `next` is asked only when every call of the last turn has its result. It throws `signal.reason` when aborted; every
 * other trouble of its own becomes an end with state `failed`.
 */
export interface AgentModel {
  readonly id: 'builtin' | 'llm' | 'sandbox';
  next(input: TurnInput, signal: AbortSignal): Promise<Turn>;
}
