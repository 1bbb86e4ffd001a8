import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/** What a server may request from the client whose call it is processing (MCP, client features). */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params?: JsonObject;
}

/** How a connected system reaches the caller during a call: the caller of this call, and no one else. */
export interface Conversation {
  /** As the caller's client declared them. Nothing else is requested. */
  readonly capabilities: {
    elicitation?: { form?: JsonObject; url?: JsonObject };
    sampling?: JsonObject;
    roots?: JsonObject;
  };
  /** The id under which the call is recorded; it may be that of an earlier call. Called before any question. */
  belongsTo?(callId: string): void;
  /** Returns the answers by request name. Throws if no one can answer, or the call no longer waits. */
  ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>>;
  progress(params: { progress: number; total?: number; message?: string }): void;
  log(params: { level: string; logger?: string; data: JsonValue }): void;
}
