import { Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import type { Principal } from '../principal/principal.js';
import type { LogService } from '../platform/telemetry/log.service.js';
import type { Connection } from './connection.entity.js';
import type { Conversation } from './conversation.js';
import type { Operation } from './tool.entity.js';

export type ConnectorCapability = 'tools' | 'knowledge' | 'model' | 'spend' | 'estate';

/** One value that a person enters. What is `secret` is sealed and never shown again. */
export interface ConnectorField {
  /** Key in `settings`, or name of the secret. */
  name: string;
  label: string;
  type: 'text' | 'url' | 'secret' | 'choice' | 'number' | 'list' | 'configuration';
  required: boolean;
  help: string;
  options?: readonly string[];
  /**
   * Whom the credential is shown to: host, command, account. Changing it clears the credential. Always so for `url`, of which
   * scheme, host and port count.
   */
  isTarget?: boolean;
}

export interface ConnectionContext {
  connection: Connection;
  settings: Record<string, unknown>;
  /** For whom something is done; undefined where it is for nobody in particular. */
  member?: string;
  /** A credential in the clear; undefined when none is set. */
  secret(name: string): string | undefined;
  outgoing: OutboundHttpClient;
  signal: AbortSignal;
  log: LogService;
}

export interface Verification {
  status: 'connected' | 'limited' | 'failed';
  /** What a person should know or do. Always there unless connected. */
  reason?: string;
}

/** A tool as the connected system describes it; every word of it is a claim. */
export interface DiscoveredTool {
  name: string;
  /** Calling a tool, where nothing else is said. */
  operation?: Operation;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  /** Who offers it: the server's own name and where it is reached. Part of the definition. */
  server?: JsonObject;
}

export interface ConnectorCall {
  operation: Operation;
  /** The upstream's own name for the tool. */
  tool: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  /** Who offers it, by the definition that was decided about. */
  server?: JsonObject | null;
  arguments: JsonObject;
  /** One per intended effect, the same when a call is repeated. Sent upstream where the protocol can carry it. */
  idempotencyKey: string;
  /** Where there is somebody who can be asked. */
  conversation?: Conversation;
  /** Of operations that hand it on. */
  origin?: CallOrigin;
}

/** For whom a call is made, and from where. */
export interface CallOrigin {
  principal: Principal;
  configurationId: string;
  /** Null: no task made the call. */
  taskId: string | null;
  /** How often the call was begun; again only where a person has it sent again. */
  attempt: number;
  /** The task that makes it has met text from outside. */
  isTainted: boolean;
}

/** The shapes of MCP; text of the outside world is never to be taken for instructions. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } }
  | { type: 'resource_link'; uri: string; name: string; title?: string; description?: string; mimeType?: string };

export interface ToolResult {
  content: ToolContent[];
  structured?: JsonValue;
  isError: boolean;
  /**
   * Of an error: why, in words of ours that quote the other system's. Where a connector leaves it out, `foreign.ts` quotes the first
   * text of the content.
   */
  reason?: string;
  /** Where a person can look at what was done. */
  url?: string;
  /** Holds text from outside: it taints the task that reads it. */
  outside: boolean;
  /** Artifacts of it were shown on the task's stream while it was under way, and belong to what comes out. */
  isShown?: boolean;
}

/**
 * Carries a call out. Throws `NotSent` when the upstream surely did nothing and `Uncertain` when it may have; an answer that
 * says "failed" is a result with `isError`. Any other error counts as uncertain.
 */
export type ExecuteCall = (context: ConnectionContext, call: ConnectorCall) => Promise<ToolResult>;

export interface SourceDocument {
  externalId: string;
  kind: 'code' | 'ticket' | 'doc' | 'message';
  title: string;
  author?: string;
  url?: string;
  /** Where in a larger whole it stands: a path, a page. */
  position?: string;
  updatedAt?: Date;
  mediaType: string;
  /**
   * A function where reading costs something; it is called only if `fingerprint` is new. `UnreadableDocument` leaves this one
   * out; any other error breaks the walk off, and it is tried again.
   */
  content: string | Uint8Array | (() => Promise<string | Uint8Array>);
  /** Groups that may read it; null or absent: everybody whose configuration bundles the connection. */
  groups?: string[] | null;
  /** Unchanged means that the document is unchanged. */
  fingerprint: string;
}

export interface DocumentsContext extends ConnectionContext {
  /** Tells about something that was met and cannot be taken in. */
  skipped(externalId: string, reason: string): void;
}

interface ListedItem {
  name: string;
  title?: string;
  description?: string;
}

export interface ListedResource extends ListedItem {
  uri: string;
  mimeType?: string;
  size?: number;
  annotations?: JsonObject;
}

export interface ListedTemplate extends ListedItem {
  uriTemplate: string;
  mimeType?: string;
  annotations?: JsonObject;
}

export interface ListedPrompt extends ListedItem {
  arguments?: (ListedItem & { required?: boolean })[];
}

/** What a system lists beside its tools, in the shapes of MCP. */
export interface Listings {
  resources: ListedResource;
  templates: ListedTemplate;
  prompts: ListedPrompt;
}

export interface ResourceFollower {
  onReady(): void;
  onUpdate(): void;
}

export interface Connector {
  id: string;
  title: string;
  /** In the catalogue: what is connected by it, in a sentence. */
  about?: string;
  /** Stands beside the form: where to get the credential, which rights it needs. Plain text. */
  setUp: string;
  fields: readonly ConnectorField[];
  offers: readonly ConnectorCapability[];
  /** How often knowledge, spend and estate are pulled: "15m", "1d". */
  pullCadence?: string;
  /**
   * Its results, failures and definitions are words of ours or of the organization, and each outcome says itself whether it
   * holds others. Never of a kind that reaches another system.
   */
  speaksForUs?: true;
  /** What the fields' own rules cannot say; pointers start with /settings or /secrets. */
  check?(settings: Record<string, unknown>): InvalidField[];
  /** Read-only; ends within the signal's time. May throw: the error's message becomes the reason. */
  verify(context: ConnectionContext): Promise<Verification>;
  tools?(context: ConnectionContext): Promise<DiscoveredTool[]>;
  execute?: ExecuteCall;
  /** What the account of this context finds. May be a little old; a change that the system tells of is seen at once. */
  list?<L extends keyof Listings>(context: ConnectionContext, listing: L): Promise<Listings[L][]>;
  /** Tells of changes of one resource until the signal ends or the line is lost; throws where the system does not tell. */
  follow?(context: ConnectionContext, uri: string, follower: ResourceFollower): Promise<void>;
  /** Everything that is there; what is missing from a complete walk is gone. */
  documents?(context: DocumentsContext): AsyncIterable<SourceDocument>;
}

/** The catalogue: what can be connected. Each room registers its kinds in `onModuleInit`. */
@Injectable()
export class ConnectorRegistry {
  private readonly connectors = new Map<string, Connector>();

  register(connector: Connector): void {
    if (this.connectors.has(connector.id)) throw new Error(`connection kind "${connector.id}" is registered twice`);
    this.connectors.set(connector.id, connector);
  }

  find(id: string): Connector | null {
    return this.connectors.get(id) ?? null;
  }

  get(id: string): Connector {
    const connector = this.find(id);
    if (!connector) throw new Error(`no connection kind "${id}" is registered`);
    return connector;
  }

  list(): Connector[] {
    return [...this.connectors.values()].sort((a, b) => a.title.localeCompare(b.title));
  }
}
