import type { ToolResult } from '../connections/tools.service.js';
import type { ListedTool } from '../gate/gate.service.js';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/** One part of a message or an artifact, in its wire form. */
export type Part =
  | { text: string }
  /** `dataText` is the source text of `data`, byte for byte. Arguments are cut out of it and never serialized again. */
  | { data: JsonValue; dataText?: string }
  | FilePart;

/** A file: its bytes in Base64 (`raw`) or its URL. */
export type FilePart =
  { raw: string; mediaType?: string; filename?: string } | { url: string; mediaType?: string; filename?: string };

/** A call that a model requests. `ref` is unique in the transcript; `arguments` is JSON text. */
export interface ModelToolCall {
  ref: string;
  tool: string;
  arguments: string;
}

/** The outcome of a call, as much of it as a model needs. */
export interface CallReport {
  state: 'succeeded' | 'denied' | 'awaiting_approval' | 'executing' | 'failed' | 'unsettled';
  callId: string;
  code?: string;
  reason?: string;
  result?: ToolResult;
  /** People changed the arguments before they approved the call. */
  edit?: { editedBy: string[]; arguments: JsonObject };
  /** A member with break-glass rights overrode a pending approval of the call. */
  isOverridden?: boolean;
}

export type TranscriptItem =
  /**
   * `messageId`: the sender's id, if its protocol has one. `isDelegateReply`: a reply to an agent that the task was delegated
   * to, not a request to this model.
   */
  | { kind: 'message'; parts: Part[]; messageId?: string; isDelegateReply?: boolean }
  | { kind: 'turn'; text?: string; calls: ModelToolCall[]; question?: string }
  | { kind: 'result'; ref: string; outcome: CallReport };

export type { ListedTool };

export interface TurnInput {
  transcript: readonly TranscriptItem[];
  /** The tools that the gate lists now, including paused ones, whose calls wait. Loaded on demand: not every turn needs it. */
  tools(): Promise<readonly ListedTool[]>;
}

export interface Artifact {
  artifactId: string;
  name: string;
  description?: string;
  parts: Part[];
}

/**
 * A piece of an artifact that is shown while the task runs. `append`: add the parts to the earlier ones instead of replacing
 * them. `lastChunk`: the artifact has no further chunks.
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
  /** `artifacts`: all artifacts in full, including those that were shown in chunks. */
  | { state: 'completed'; artifacts: Artifact[]; message?: string; answersWith?: 'message' }
  | { state: 'input-required'; question: string; missing?: string[]; reason?: 'information' | 'credentials' }
  | { state: 'failed'; code: TaskFailureCode; detail: string; callId?: string }
  | { state: 'rejected'; code: TaskFailureCode; detail: string };

/** Intermediate output. The runner calls the model again after `afterMs` and holds nothing in memory meanwhile. */
export interface Progress {
  chunk?: ArtifactChunk;
  message?: string;
  afterMs: number;
}

export interface ModelTokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** One step of a model: exactly one of calls, progress or an end. If the model is paused, none of them. */
export interface Turn {
  text?: string;
  calls: ModelToolCall[];
  usage?: ModelTokenUsage;
  progress?: Progress;
  end?: TurnEnd;
  /** The model saw text of another system: tool definitions that no administrator has confirmed. */
  isTainted?: boolean;
  /** Names what is paused. The turn did not run; retry it later. */
  pausedBy?: string;
}

/**
 * Drives a task: maps the transcript to the next turn.
 * A model never acts directly. It requests calls; the runner sends them through the gate and appends their results.
 * The runner calls `next` only when every call of the last turn has a result. `next` throws `signal.reason` when aborted.
 * It reports every other failure of its own as an end with state `failed`.
 */
export interface AgentModel {
  readonly id: 'builtin' | 'llm' | 'sandbox';
  next(input: TurnInput, signal: AbortSignal): Promise<Turn>;
}
