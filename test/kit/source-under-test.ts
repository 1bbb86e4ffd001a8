import type { Connector, DiscoveredTool, ToolResult } from '../../src/connections/connector-registry.service.js';
import type { Connection } from '../../src/connections/connection.entity.js';
import type {
  DocumentsContext,
  RemovedDocument,
  SourceAccount,
  SourceAudience,
  SourceContainer,
  SourceDelivery,
  SourceDocument,
  SourceGroup,
  SourceNews,
} from '../../src/connections/knowledge-source.port.js';
import { newId } from '../../src/platform/crypto/ids.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { LogService } from '../../src/platform/telemetry/log.service.js';
import { documentsContext, type RecordedPass } from './documents-context.js';

interface SourceAccess {
  outgoing: OutboundHttpClient;
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
}

export type ReadDocument = SourceDocument & { body: string | Uint8Array };

export interface ReadRoster {
  accounts: Record<string, SourceAccount>;
  groups: Record<string, readonly string[]>;
  /** By the last part of their ids. */
  audiences: Record<string, SourceAudience>;
}

/** Runs a connector with knowledge as the server does, without a database. */
export class SourceUnderTest {
  /** What the last pass reported. */
  pass!: RecordedPass;
  private readonly connection: Connection;

  constructor(
    private readonly connector: Connector,
    private readonly access: SourceAccess,
  ) {
    this.connection = { id: newId(), tenantId: newId(), slug: connector.id, name: connector.title } as Connection;
  }

  async *walk(progress: JsonObject | null = null): AsyncGenerator<SourceDocument> {
    yield* this.connector.documents!(this.context(progress));
  }

  /** A complete pass, with all content. */
  async documents(progress: JsonObject | null = null): Promise<ReadDocument[]> {
    const read: ReadDocument[] = [];
    for await (const document of this.walk(progress))
      read.push({
        ...document,
        body: typeof document.content === 'function' ? await document.content() : document.content,
      });
    return read;
  }

  async ids(progress: JsonObject | null = null): Promise<string[]> {
    const ids: string[] = [];
    for await (const { externalId } of this.walk(progress)) ids.push(externalId);
    return ids;
  }

  async changes(cursor: JsonObject, hints: JsonObject[] = []): Promise<(SourceDocument | RemovedDocument)[]> {
    const context = { ...this.context(null), cursor, hints };
    const changes: (SourceDocument | RemovedDocument)[] = [];
    for await (const change of this.connector.changes!(context)) changes.push(change);
    return changes;
  }

  async roster(): Promise<ReadRoster> {
    const accounts = new Map<string, SourceAccount>();
    const groups = new Map<string, SourceGroup>();
    const audiences = new Map<string, SourceAudience>();
    for await (const entry of this.connector.roster!(this.context(null))) {
      if ('account' in entry) accounts.set(entry.account.id, entry.account);
      else if ('group' in entry) groups.set(entry.group.id, entry.group);
      else audiences.set(entry.audience.id.split('/').at(-1)!, entry.audience);
    }
    return {
      accounts: Object.fromEntries(accounts),
      groups: Object.fromEntries([...groups].map(([id, group]) => [id, group.accounts])),
      audiences: Object.fromEntries(audiences),
    };
  }

  /** The names of the people who may read the documents of an audience. */
  async readersOf(audience: string): Promise<string[] | 'unreadable' | 'everyone'> {
    const { accounts, groups, audiences } = await this.roster();
    const { readers } = audiences[audience];
    if (typeof readers === 'string') return readers;
    const sets = readers.map(
      (set) => new Set([...(set.accounts ?? []), ...(set.groups ?? []).flatMap((group) => groups[group] ?? [])]),
    );
    return Object.values(accounts)
      .filter(({ id, email }) => email !== undefined && sets.every((set) => set.has(id)))
      .map(({ name }) => name)
      .sort();
  }

  containers(): Promise<SourceContainer[]> {
    return this.connector.containers!(this.context(null));
  }

  verify(): ReturnType<Connector['verify']> {
    return this.connector.verify(this.context(null));
  }

  receive({ headers, body }: { headers: Record<string, string>; body: string }): Promise<SourceNews | null> {
    const delivery: SourceDelivery = { headers, body: Buffer.from(body) };
    return this.connector.receive!(this.context(null), delivery);
  }

  async call(tool: string, args: JsonObject, idempotencyKey: string = newId()): Promise<ToolResult> {
    const { inputSchema } = await this.tool(tool);
    return this.connector.execute!(this.context(null), {
      operation: 'tool',
      tool,
      inputSchema,
      outputSchema: null,
      arguments: args,
      idempotencyKey,
    });
  }

  async tool(name: string): Promise<DiscoveredTool> {
    const tools = await this.connector.tools!(this.context(null));
    return tools.find((tool) => tool.name === name)!;
  }

  private context(progress: JsonObject | null): DocumentsContext {
    const { settings, secrets, outgoing } = this.access;
    const { documents, pass } = documentsContext(
      {
        connection: this.connection,
        settings,
        secret: (name) => secrets[name],
        outgoing,
        signal: AbortSignal.timeout(120_000),
        log,
      },
      progress,
    );
    this.pass = pass;
    return documents;
  }
}

const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as LogService;
