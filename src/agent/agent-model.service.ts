import type { ToolResult } from '../connections/tools.service.js';
import type { ListedTool } from '../gate/gate.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';

/** One part of a message or an artifact, as it travels on the wire. */
export type Part =
  | { text: string }
  /** `dataText` is the source text of `data`, byte for byte as it arrived; arguments are cut out of it, never re-serialised. */
  | { data: JsonValue; dataText?: string }
  | { url: string; mediaType?: string };

/** A call that a model asks for. `ref` is unique within the transcript, `arguments` is JSON text. */
export interface CallRequest {
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
  | { kind: 'message'; parts: Part[] }
  | { kind: 'turn'; text?: string; calls: CallRequest[]; question?: string }
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

/** The failure codes that a model may end a task with; `task-timeout` belongs to the runner. */
export type FailureCode =
  | 'policy-denied'
  | 'approval-denied'
  | 'approval-expired'
  | 'approval-unreachable'
  | 'upstream-failed'
  | 'outcome-unsettled'
  | 'model-unavailable';

export type TurnEnd =
  | { state: 'completed'; artifacts: Artifact[] }
  | { state: 'input-required'; question: string; missing?: string[] }
  | { state: 'failed'; code: FailureCode; detail: string; callId?: string };

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** One step of a model: either calls to make, or an end, never both; or nothing, where the model itself is paused. */
export interface Turn {
  text?: string;
  calls: CallRequest[];
  usage?: Usage;
  end?: TurnEnd;
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
  readonly id: 'builtin' | 'llm';
  next(input: TurnInput, signal: AbortSignal): Promise<Turn>;
}
