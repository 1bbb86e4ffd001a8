import type { Connection } from '../../src/connections/connection.entity.js';
import type { ConnectionContext, Connector, ToolResult } from '../../src/connections/connector-registry.service.js';
import type {
  RosterEntry,
  SourceAudience,
  SourceAccount,
  SourceDocument,
} from '../../src/connections/knowledge-source.port.js';
import { UnreadableDocument } from '../../src/connections/connections.error.js';
import { newId } from '../../src/platform/crypto/ids.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { LogService } from '../../src/platform/telemetry/log.service.js';
import { documentsContext, type RecordedPass } from './documents-context.js';

type ReadDocument = SourceDocument & { text: string | null };

/** What a pass yields: documents with their texts, and ids that are gone. */
export interface ReadPass extends RecordedPass {
  documents: Map<string, ReadDocument>;
  removed: string[];
}

/** Runs a connector without a server, and decides from its roster who finds a document. */
export class SourceFixture {
  constructor(
    private readonly connector: Connector,
    private readonly outgoing: OutboundHttpClient,
    public settings: Record<string, unknown>,
    public secrets: Record<string, string>,
  ) {}

  context(signal: AbortSignal = AbortSignal.timeout(300_000)): ConnectionContext {
    return {
      connection: { id: newId(), slug: this.connector.id, kind: this.connector.id } as Connection,
      settings: this.settings,
      secret: (name) => this.secrets[name],
      outgoing: this.outgoing,
      signal,
      log: { debug() {}, info() {}, warn() {}, error() {} } as unknown as LogService,
    };
  }

  /** A complete pass. `known` are fingerprints of stored documents, whose texts are not read again. */
  async walk(progress: JsonObject | null = null, known = new Map<string, string>()): Promise<ReadPass> {
    const { documents, pass } = documentsContext(this.context(), progress);
    return this.read(this.connector.documents!(documents), pass, known);
  }

  async changes(cursor: JsonObject, hints: JsonObject[] = []): Promise<ReadPass> {
    const { documents, pass } = documentsContext({ ...this.context(), cursor, hints });
    return this.read(this.connector.changes!(documents), pass, new Map());
  }

  async roster(): Promise<ReadRoster> {
    const entries: RosterEntry[] = [];
    for await (const entry of this.connector.roster!(this.context())) entries.push(entry);
    return new ReadRoster(entries);
  }

  execute(tool: string, args: JsonObject): Promise<ToolResult> {
    return this.connector.execute!(this.context(), {
      operation: 'tool',
      tool,
      inputSchema: {},
      outputSchema: null,
      arguments: args,
      idempotencyKey: newId(),
    });
  }

  private async read(
    source: AsyncIterable<SourceDocument | { removed: string }>,
    pass: RecordedPass,
    known: ReadonlyMap<string, string>,
  ): Promise<ReadPass> {
    const read: ReadPass = Object.assign(pass, { documents: new Map<string, ReadDocument>(), removed: [] });
    for await (const document of source) {
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

/** Fails closed, as the product does. */
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
