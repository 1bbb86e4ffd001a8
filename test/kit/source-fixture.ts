import type { Connection } from '../../src/connections/connection.entity.js';
import type {
  ConnectionContext,
  Connector,
  DiscoveredTool,
  ToolResult,
} from '../../src/connections/connector-registry.service.js';
import type {
  RemovedDocument,
  RosterEntry,
  SourceAccount,
  SourceAudience,
  SourceContainer,
  SourceDocument,
  SourceNotification,
} from '../../src/connections/knowledge-source.port.js';
import { UnreadableDocument } from '../../src/connections/connections.error.js';
import { newId } from '../../src/platform/crypto/ids.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import { documentsContext, type RecordedPass } from './documents-context.js';
import { silentLog } from './logs.js';

export type ReadDocument = SourceDocument & { text: string | null };

/** The result of a pass: documents with their text, and removed ids. */
export interface ReadPass extends RecordedPass {
  documents: Map<string, ReadDocument>;
  removed: string[];
  /** The ids of both, in order. Removed ones begin with "-". */
  ids: string[];
}

interface SourceAccess {
  outgoing: OutboundHttpClient;
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
}

/** Runs a connector without a server, and evaluates its roster. */
export class SourceFixture {
  /** The reports of the last pass. */
  pass!: RecordedPass;
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  private readonly outgoing: OutboundHttpClient;

  constructor(
    private readonly connector: Connector,
    { outgoing, settings, secrets }: SourceAccess,
  ) {
    this.outgoing = outgoing;
    this.settings = settings;
    this.secrets = secrets;
  }

  context(signal: AbortSignal = AbortSignal.timeout(300_000)): ConnectionContext {
    return {
      connection: { id: newId(), tenantId: newId(), slug: this.connector.id, kind: this.connector.id } as Connection,
      settings: this.settings,
      secret: (name) => this.secrets[name],
      outgoing: this.outgoing,
      signal,
      log: silentLog,
    };
  }

  /** A complete pass that stores no documents. */
  each(progress: JsonObject | null = null): AsyncIterable<SourceDocument> {
    const { documents, pass } = documentsContext(this.context(), progress);
    this.pass = pass;
    return this.connector.documents!(documents);
  }

  async documents(): Promise<ReadDocument[]> {
    return [...(await this.walk()).documents.values()];
  }

  /** A complete pass that loads no content. */
  async ids(progress: JsonObject | null = null): Promise<string[]> {
    const ids: string[] = [];
    for await (const { externalId } of this.each(progress)) ids.push(externalId);
    return ids;
  }

  /** A complete pass. `known` are the fingerprints of stored documents, whose content is not loaded again. */
  async walk(progress: JsonObject | null = null, known = new Map<string, string>()): Promise<ReadPass> {
    const { documents, pass } = documentsContext(this.context(), progress);
    return this.read(this.connector.documents!(documents), pass, known);
  }

  async changes(cursor: JsonObject, hints: JsonObject[] = []): Promise<ReadPass> {
    const { documents, pass } = documentsContext({ ...this.context(), cursor, hints });
    return this.read(this.connector.changes!(documents), pass, new Map());
  }

  async rosterEntries(): Promise<RosterEntry[]> {
    const entries: RosterEntry[] = [];
    for await (const entry of this.connector.roster!(this.context())) entries.push(entry);
    return entries;
  }

  async roster(): Promise<ReadRoster> {
    return new ReadRoster(await this.rosterEntries());
  }

  /** The names of people with an address who can read the documents of an audience. */
  async readersOf(audience: string): Promise<string[] | 'unreadable' | 'everyone'> {
    const roster = await this.roster();
    const { id, readers } = roster.audience(audience);
    if (typeof readers === 'string') return readers;
    return [...roster.accounts.values()]
      .filter((account) => account.email !== undefined && roster.canRead(account.id, { audience: id }))
      .map(({ name }) => name)
      .sort();
  }

  containers(): Promise<SourceContainer[]> {
    return this.connector.containers!(this.context());
  }

  verify(): ReturnType<Connector['verify']> {
    return this.connector.verify(this.context());
  }

  receive({ headers, body }: { headers: Record<string, string>; body: string }): Promise<SourceNotification | null> {
    return this.connector.receive!(this.context(), { headers, body: Buffer.from(body) });
  }

  async tool(name: string): Promise<DiscoveredTool> {
    const tools = await this.connector.tools!(this.context());
    return tools.find((tool) => tool.name === name)!;
  }

  execute(tool: string, args: JsonObject, idempotencyKey: string = newId()): Promise<ToolResult> {
    return this.connector.execute!(this.context(), {
      operation: 'tool',
      tool,
      inputSchema: {},
      outputSchema: null,
      arguments: args,
      idempotencyKey,
    });
  }

  private async read(
    source: AsyncIterable<SourceDocument | RemovedDocument>,
    pass: RecordedPass,
    known: ReadonlyMap<string, string>,
  ): Promise<ReadPass> {
    const read: ReadPass = Object.assign(pass, { documents: new Map<string, ReadDocument>(), removed: [], ids: [] });
    this.pass = pass;
    for await (const document of source) {
      read.ids.push('removed' in document ? `-${document.removed}` : document.externalId);
      if ('removed' in document) read.removed.push(document.removed);
      else if (known.get(document.externalId) === document.fingerprint)
        read.documents.set(document.externalId, { ...document, text: null });
      else {
        const text = await textOf(document).catch((error: unknown) => {
          if (!(error instanceof UnreadableDocument)) throw error;
          pass.skipped.push({ externalId: document.externalId, reason: error.message });
          return undefined;
        });
        if (text !== undefined) read.documents.set(document.externalId, { ...document, text });
      }
    }
    return read;
  }
}

/** Evaluates a roster. Unknown audiences are unreadable, as in the product. */
export class ReadRoster {
  readonly accounts = new Map<string, SourceAccount>();
  readonly groups = new Map<string, readonly string[]>();
  readonly audiences = new Map<string, SourceAudience>();

  constructor(entries: readonly RosterEntry[]) {
    for (const entry of entries)
      if ('account' in entry) this.accounts.set(entry.account.id, entry.account);
      else if ('group' in entry) this.groups.set(entry.group.id, entry.group.accounts);
      else {
        if (this.audiences.has(entry.audience.id)) throw new Error(`audience ${entry.audience.id} is listed twice`);
        this.audiences.set(entry.audience.id, entry.audience);
      }
  }

  /** Finds an audience by the last part of its id. */
  audience(last: string): SourceAudience {
    return [...this.audiences.values()].find(({ id }) => id.split('/').at(-1) === last)!;
  }

  canRead(accountId: string, { audience }: Pick<SourceDocument, 'audience'>): boolean {
    const readers = this.audiences.get(audience ?? '')?.readers ?? 'unreadable';
    if (!this.accounts.has(accountId) || readers === 'unreadable') return false;
    if (readers === 'everyone') return true;
    return readers.every(
      ({ accounts = [], groups = [] }) =>
        accounts.includes(accountId) || groups.some((group) => this.groups.get(group)?.includes(accountId)),
    );
  }
}

async function textOf({ content }: SourceDocument): Promise<string> {
  const body = typeof content === 'function' ? await content() : content;
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
