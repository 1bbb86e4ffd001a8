import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import type { ConnectionContext } from './connection-context.port.js';
import type { Conversation } from './conversation.port.js';
import type { ResultNotice } from './result-rules.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  RosterEntry,
  SourceContainer,
  SourceDelivery,
  SourceDocument,
  SourceNotification,
} from './knowledge-source.port.js';
import type { Operation } from './tool.entity.js';

export type { ConnectionContext } from './connection-context.port.js';

export type ConnectorCapability = 'tools' | 'knowledge' | 'model' | 'embeddings' | 'spend' | 'estate';

/** A value that a person enters. Values of type `secret` are sealed and never shown again. */
export interface ConnectorField {
  /** Key in `settings`, or the name of the secret. */
  name: string;
  label: string;
  /** `containers`: ids from the connector's `containers`; empty means all. */
  type: 'text' | 'url' | 'secret' | 'choice' | 'number' | 'list' | 'configuration' | 'containers';
  required: boolean;
  help: string;
  options?: readonly string[];
  /** How people read the options, in the same order. Default: the options themselves. */
  optionLabels?: readonly string[];
  /**
   * Decides who receives the credential: host, command, account. A change clears the credential. Always true for `url`;
   * its scheme, host and port count.
   */
  isTarget?: boolean;
  /** Permits line breaks in a secret, such as a key in PEM. Single-line form fields can remove them. */
  isMultiline?: boolean;
}

/** How a person adds a webhook in the connected system. */
export interface ConnectorWebhook {
  /** One sentence: where to add it, and which events to choose. */
  setUp: string;
  /** The field with the secret that both sides know. */
  secretField: string;
}

export interface Verification {
  status: 'connected' | 'limited' | 'failed';
  /** What a person should know or do. Always set unless connected, where it is an optional note. */
  reason?: string;
}

/** A tool as the connected system describes it; all of it is an unverified claim. */
export interface DiscoveredTool {
  name: string;
  /** Default: `tool`. */
  operation?: Operation;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  /** The server that offers it: its own name and address. Part of the definition. */
  server?: JsonObject;
}

export interface ConnectorCall {
  operation: Operation;
  /** The upstream's own name for the tool. */
  tool: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  /** The server that offers it, according to the definition that was decided about. */
  server?: JsonObject | null;
  arguments: JsonObject;
  /** One per intended effect, the same for retries. Sent upstream if the protocol can carry it. */
  idempotencyKey: string;
  /** Present if someone can answer questions during the call. */
  conversation?: Conversation;
  /** Only for operations that delegate the call. */
  origin?: CallOrigin;
}

/** On whose behalf and from where a call is made. */
export interface CallOrigin {
  principal: Principal;
  configurationId: string;
  /** Null if no task made the call. */
  taskId: string | null;
  /** Number of this execution attempt. Increases only when a person has the call run again. */
  attempt: number;
  /** The task that makes the call has read external text. */
  isTainted: boolean;
  /** Rules may change the result, so that nothing of it may be shown before the call has ended. */
  isResultHeld: boolean;
}

/** The shapes of MCP. External text must never be treated as instructions. */
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
   * For an error: the reason, as a sentence of ours that quotes the other system. If a connector omits it, `foreign.ts`
   * quotes the first text of the content.
   */
  reason?: string;
  /** Where a person can see what was done. */
  url?: string;
  /** Contains external text, which taints the task that reads it. */
  outside: boolean;
  /** What the rules of the connection found, redacted or withheld. `content` says it, too. */
  notice?: ResultNotice;
  /** SHA-256, in hex, of the result before the rules were applied. For the ledger only. */
  originalHash?: string;
  /** Its artifacts were already streamed on the task while the call ran, and belong to the result. */
  isShown?: boolean;
}

/**
 * Executes a call. Throws `NotSent` if the upstream did nothing and `OutcomeUnknown` if it may have; an error that the
 * upstream returns is a result with `isError`. Any other error counts as an unknown outcome.
 */
export type ExecuteCall = (context: ConnectionContext, call: ConnectorCall) => Promise<ToolResult>;

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

/** What a system lists besides its tools, in the shapes of MCP. */
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
  /** For the catalog: one sentence on what it connects. */
  about?: string;
  /** Shown next to the form: where to get the credential and which rights it needs. Plain text. */
  setUp: string;
  fields: readonly ConnectorField[];
  offers: readonly ConnectorCapability[];
  /** How often knowledge, spend and estate are synced: "15m", "1d". */
  pullCadence?: string;
  /**
   * Its results, failures and definitions are text of this application or the organization, and each outcome says
   * whether it contains external text. Never set for a connector that reaches another system.
   */
  speaksForUs?: true;
  /** Shows parts of a result while the call runs. New connections then have no rules for results. */
  showsPartialResults?: true;
  /** Checks across fields; pointers start with /settings or /secrets. */
  check?(settings: Record<string, unknown>): InvalidField[];
  /** Read-only; respects the signal. May throw: the error's message becomes the reason. */
  verify(context: ConnectionContext): Promise<Verification>;
  tools?(context: ConnectionContext): Promise<DiscoveredTool[]>;
  execute?: ExecuteCall;
  /**
   * What the account of this context can list. May be cached briefly; a change that the system announces is visible at
   * once.
   */
  list?<L extends keyof Listings>(context: ConnectionContext, listing: L): Promise<Listings[L][]>;
  /**
   * Reports changes of one resource until the signal aborts or the connection is lost. Throws if the system offers no
   * subscriptions.
   */
  follow?(context: ConnectionContext, uri: string, follower: ResourceFollower): Promise<void>;
  /** All documents. A complete pass deletes those that are missing from it. */
  documents?(context: DocumentsContext): AsyncIterable<SourceDocument>;
  /**
   * What changed since the cursor of the last pass. Throws `CursorExpired` if the source no longer accepts the cursor.
   * Complete passes still run, to find changes that the source does not report.
   */
  changes?(context: ChangesContext): AsyncIterable<SourceDocument | RemovedDocument>;
  /** How often `documents` runs for a connector with `changes`. Default: "1d". */
  completeEvery?: string;
  /** How often `roster` runs. Default: "15m". */
  rosterCadence?: string;
  /**
   * The accounts, groups and audiences of the source. A complete run replaces the earlier roster; after an error, the
   * earlier one stays. Required if documents name an `audience`.
   */
  roster?(context: ConnectionContext): AsyncIterable<RosterEntry>;
  /**
   * The containers that the credential can read (projects, spaces, channels), for the field of type `containers`. The
   * first sync starts when the selection is saved, or when a person starts it.
   */
  containers?(context: ConnectionContext): Promise<SourceContainer[]>;
  /** Verifies and parses a webhook. Returns null if the source did not send it; the request is then refused. */
  receive?(context: ConnectionContext, delivery: SourceDelivery): Promise<SourceNotification | null>;
  /** The console shows it with the webhook address. */
  webhook?: ConnectorWebhook;
  /** Releases what it holds open when the process stops. Calls that were admitted last may still run. */
  close?(): Promise<void>;
}

/** The catalog of connectors. Each module registers its connectors in `onModuleInit`. */
@Injectable()
export class ConnectorRegistry implements BeforeApplicationShutdown {
  private readonly connectors = new Map<string, Connector>();

  register(connector: Connector): void {
    if (this.connectors.has(connector.id)) throw new Error(`connector "${connector.id}" is registered twice`);
    const inherited = connector.fields.find(({ name }) => name in {} || name === 'prototype');
    if (inherited)
      throw new Error(`connector "${connector.id}" has a field "${inherited.name}", which every JavaScript object has`);
    this.connectors.set(connector.id, connector);
  }

  find(id: string): Connector | null {
    return this.connectors.get(id) ?? null;
  }

  get(id: string): Connector {
    const connector = this.find(id);
    if (!connector) throw new Error(`no connector "${id}" is registered`);
    return connector;
  }

  list(): Connector[] {
    return [...this.connectors.values()].sort((a, b) => a.title.localeCompare(b.title));
  }

  /**
   * Closes the connectors here and not in their own modules: every module that makes calls imports this one, so it has
   * drained its calls before.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const closed = await Promise.allSettled(this.list().map(async (connector) => connector.close?.()));
    const failures = closed.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failures.length) throw new AggregateError(failures, 'connectors could not be closed');
  }
}
