import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import type { Effect } from './tool.entity.js';

/** A tool as the gate sees it, whoever carries it out. */
export interface OfferedTool {
  /** `<slug>__<tool>` */
  name: string;
  /** null: one of ours (knowledge, delegation). */
  connectionId: string | null;
  connectionSlug: string;
  connectionRevision: number;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  effect: Effect;
  definitionHash: string;
  /** The tool or its connection was paused. */
  paused: boolean;
  /** Its definition changed since an administrator confirmed it. */
  heldBack: boolean;
}

/** The shapes of MCP; text of the outside world is never to be taken for instructions. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } }
  | { type: 'resource_link'; uri: string; name: string; title?: string; description?: string; mimeType?: string };

export interface ToolResult {
  content: Content[];
  structured?: JsonValue;
  isError: boolean;
  /** Where a person can look at what was done. */
  url?: string;
  /** Holds text from outside: it taints the task that reads it. */
  outside: boolean;
}

export interface ExecutionContext {
  principal: Principal;
  configurationId: string;
  connectionIds: string[];
  /** Groups of whom the caller reads for: a member's own, an agent's configuration's. */
  readerGroups: string[];
  idempotencyKey: string;
  signal: AbortSignal;
}

/** Tools of a room of ours. `slug` is what their names begin with. */
export interface ToolProvider {
  slug: string;
  tools(principal: Principal, configurationId: string): Promise<OfferedTool[]>;
  execute(context: ExecutionContext, toolName: string, args: JsonObject): Promise<ToolResult>;
}

export interface Bundle {
  configurationId: string;
  connectionIds: string[];
  tx?: EntityManager;
}
