import { expect } from 'vitest';
import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { CallOutcome } from '../../src/gate/outcome.js';
import type { SourceDocument } from '../../src/connections/knowledge-source.port.js';
import { DocumentsService } from '../../src/knowledge/documents.service.js';
import { type ToolResult, ToolsService } from '../../src/connections/tools.service.js';
import type { GraphqlResponse, Organization } from './organization.js';
import type { TestServer } from './server.js';
import { runSql } from './run-sql.js';

type GraphqlRequestFunction = (query: string, variables?: object) => Promise<GraphqlResponse>;

export interface SourceView {
  state: 'pushed' | 'waiting' | 'running' | 'complete' | 'failed';
  completeAt: string | null;
  failure: string | null;
  seen: number;
  changed: number;
  removed: number;
  problemCount: number;
  problems: { externalId: string; reason: string }[];
  documentCount: number;
  passageCount: number;
}

/** A type, because an interface is not assignable from JSON. */
export type FoundPassage = {
  documentId: string;
  title: string;
  url: string | null;
  source: string;
  kind: string;
  position: string;
  heading: string;
  snippet: string;
  text: string;
  highlights: [number, number][];
  score: number;
  coverage: number;
};

/** The passages that a call of the search tool found. */
export function foundPassages(outcome: CallOutcome): FoundPassage[] {
  if (outcome.state !== 'succeeded') throw new Error(`the search is ${JSON.stringify(outcome)}`);
  return (outcome.result.structured as { passages: FoundPassage[] }).passages;
}

/** Manages sources as an administrator and calls knowledge tools like the gate. */
export class KnowledgeFixture {
  constructor(
    private readonly server: TestServer,
    private readonly organization: Organization,
    readonly request: GraphqlRequestFunction,
  ) {}

  async connect(input: {
    kind: string;
    slug: string;
    settings?: object;
    secrets?: object;
  }): Promise<{ id: string; slug: string; status: string; statusReason: string | null }> {
    const { data, errors } = await this.request(
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id slug status statusReason } }',
      { input: { name: input.slug, settings: {}, ...input } },
    );
    expect(errors).toBeUndefined();
    return data.createConnection;
  }

  /** Pushes a text to a connection of the kind "documents". The title is also its id. */
  async push(slug: string, title: string, content: string, more: Partial<SourceDocument> = {}): Promise<void> {
    await this.server.app.get(DocumentsService).push(this.organization.system, slug, {
      externalId: title,
      kind: 'doc',
      title,
      mediaType: 'text/plain',
      content,
      fingerprint: content,
      ...more,
    });
  }

  /** A message that names a ticket of another connection. Returns both connections. */
  async pushLinkedDocuments(): Promise<{ chatId: string; trackerId: string }> {
    const chat = await this.connect({ kind: 'documents', slug: 'chat' });
    const tracker = await this.connect({ kind: 'documents', slug: 'tracker' });
    await this.push(chat.slug, 'Export trouble', 'The zebra export is broken since Monday, see PROJ-123.', {
      kind: 'message',
      url: 'https://chat.example/export/1',
    });
    await this.push(tracker.slug, 'PROJ-123: Worker restarts', 'The worker runs out of memory.', {
      kind: 'ticket',
      url: 'https://tracker.example/browse/PROJ-123',
      container: 'Platform',
    });
    return { chatId: chat.id, trackerId: tracker.id };
  }

  /** Starts the sync immediately instead of within a second. */
  async startSync(connectionId: string): Promise<void> {
    const { errors } = await this.request(
      'mutation ($id: ID!) { syncKnowledgeSource(input: { connectionId: $id }) { state } }',
      { id: connectionId },
    );
    expect(errors).toBeUndefined();
  }

  async source(connectionId: string): Promise<SourceView> {
    const { data, errors } = await this.request(
      `query ($id: ID!) { knowledgeSource(connectionId: $id) {
        state completeAt failure seen changed removed problemCount problems { externalId reason } documentCount passageCount } }`,
      { id: connectionId },
    );
    expect(errors).toBeUndefined();
    return data.knowledgeSource;
  }

  /** When the source was and will be synced. */
  async times(connectionId: string): Promise<{ startedAt: string; nextAt: string }> {
    const { data, errors } = await this.request(
      'query ($id: ID!) { knowledgeSource(connectionId: $id) { startedAt nextAt } }',
      { id: connectionId },
    );
    expect(errors).toBeUndefined();
    return data.knowledgeSource;
  }

  async until(connectionId: string, isIt: (source: SourceView) => boolean, what: string): Promise<SourceView> {
    for (let tries = 0; tries < 600; tries++) {
      const source = await this.source(connectionId);
      if (source && isIt(source)) return source;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the source did not become ${what}: ${JSON.stringify(await this.source(connectionId))}`);
  }

  waitUntilComplete(connectionId: string): Promise<SourceView> {
    return this.until(connectionId, ({ state }) => state === 'complete', 'complete');
  }

  /** Changes the settings and waits for a sync that uses them: a sync that started earlier uses the old ones. */
  async update(connectionId: string, settings: object): Promise<SourceView> {
    const { data, errors } = await this.request(
      `query ($id: ID!) { knowledgeSource(connectionId: $id) { connection { revision } } }`,
      { id: connectionId },
    );
    expect(errors).toBeUndefined();
    const input = { id: connectionId, revision: data.knowledgeSource.connection.revision, settings };
    const answer = await this.request(
      'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { revision } }',
      { input },
    );
    expect(answer.errors).toBeUndefined();
    const { revision } = answer.data.updateConnection;
    await expect.poll(() => this.syncedRevision(connectionId), { timeout: 120_000, interval: 50 }).toBe(revision);
    return this.waitUntilComplete(connectionId);
  }

  /** The revision of the settings that the newest sync uses. */
  private syncedRevision(connectionId: string): Promise<number | null> {
    const { tenantId } = this.organization.system;
    return this.server.app.get(DatabaseService).tenant({ tenantId }, async (tx) => {
      const [{ revision }] = await runSql<{ revision: number | null }>(
        tx,
        'select connection_revision as revision from sources where tenant_id = $1 and connection_id = $2',
        [tenantId, connectionId],
      );
      return revision;
    });
  }

  /** Waits for a sync that started after this call. */
  async sync(connectionId: string): Promise<SourceView> {
    const before = await this.source(connectionId);
    await this.startSync(connectionId);
    return this.until(
      connectionId,
      ({ state, completeAt }) => state === 'complete' && completeAt !== before.completeAt,
      'complete again',
    );
  }

  /** Waits until a roster is complete that was read after this call. */
  async refreshRoster(connectionId: string): Promise<void> {
    const { tenantId } = this.organization.system;
    const database = this.server.app.get(DatabaseService);
    const readAt = () =>
      database.tenant({ tenantId }, async (tx) => {
        const [row] = await runSql<{ at: Date | null; started: Date | null }>(
          tx,
          'select complete_at as at, started_at as started from source_rosters where tenant_id = $1 and connection_id = $2',
          [tenantId, connectionId],
        );
        return Boolean(row?.at && row.started && row.started > began && row.at >= row.started);
      });
    const [{ now: began }] = await database.tenant({ tenantId }, (tx) =>
      runSql<{ now: Date }>(tx, 'select now() as now', []),
    );
    await this.startSync(connectionId);
    for (let tries = 0; !(await readAt()); tries++) {
      if (tries === 600) throw new Error('the roster was not read');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Executes a tool like the gate, for a reader in these groups. */
  async call(
    tool: 'search' | 'read',
    connectionIds: string[],
    args: JsonObject,
    readerGroups: string[] = [],
    memberId?: string,
  ): Promise<ToolResult> {
    const tools = this.server.app.get(ToolsService);
    const { system } = this.organization;
    const principal = memberId ? { ...system, kind: 'member' as const, memberId } : system;
    const bundle = { configurationId: newId(), connectionIds };
    const offered = await tools.find(principal, bundle, `knowledge__${tool}`);
    expect(offered).toMatchObject({ effect: 'read', isPaused: false, isPendingReview: false });
    return tools.execute(
      { principal, ...bundle, readerGroups, idempotencyKey: newId(), signal: new AbortController().signal },
      offered!,
      args,
    );
  }

  async search(
    connectionIds: string[],
    query: string,
    { groups = [], member, ...more }: { groups?: string[]; member?: string } & JsonObject = {},
  ) {
    const { structured } = await this.call('search', connectionIds, { query, ...more }, groups, member);
    return structured as { passages: FoundPassage[]; sources: number; documents: number };
  }
}
