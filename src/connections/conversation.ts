import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/** What a server may ask of the client whose call it is working on (MCP, client features). */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params?: JsonObject;
}

/** How a connected system, in the middle of a call, reaches whoever made the call: this call's caller, and nobody else. */
export interface Conversation {
  /** As the caller's client declared them. What is not here is not asked for. */
  readonly capabilities: {
    elicitation?: { form?: JsonObject; url?: JsonObject };
    sampling?: JsonObject;
    roots?: JsonObject;
  };
  /** Under which id the call is kept: it may be one that was made before. Told before anything is asked. */
  belongsTo?(callId: string): void;
  /** The answers by the names of their requests. Throws where nobody is there to answer, or to wait for. */
  ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>>;
  progress(params: { progress: number; total?: number; message?: string }): void;
  log(params: { level: string; logger?: string; data: JsonValue }): void;
}
