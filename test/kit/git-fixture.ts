import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Connection } from '../../src/connections/connection.entity.js';
import type { Connector, Verification } from '../../src/connections/connector-registry.service.js';
import { UnreadableDocument } from '../../src/connections/connections.error.js';
import type { DocumentsContext, SourceDocument } from '../../src/connections/knowledge-source.port.js';
import { gitConnector } from '../../src/knowledge/git/git.connector.js';
import type { GitLimits } from '../../src/knowledge/git/git-repository.js';
import { Config } from '../../src/platform/config/config.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import { documentsContext, type RecordedPass } from './documents-context.js';
import { silentLog } from './logs.js';

interface PassOptions {
  progress?: JsonObject | null;
  signal?: AbortSignal;
  /** Stored fingerprints. The content of these documents is not read. */
  known?: ReadonlyMap<string, string>;
}

export interface GitPassResult extends RecordedPass {
  documents: Map<string, SourceDocument & { text: string | null }>;
  removed: string[];
  unreadable: Record<string, string>;
}

/** One connection to a repository, with its own empty data folder. */
export class GitFixture {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'countersign-git-'));
  readonly connector: Connector;
  readonly connection: Connection;
  readonly outgoing: OutboundHttpClient;

  constructor(
    public settings: Record<string, unknown>,
    public secrets: Record<string, string> = {},
    limits: Partial<GitLimits> = {},
    networks = '127.0.0.0/8',
  ) {
    const config = Config.from({ ALLOW_PRIVATE_NETWORKS: networks });
    this.outgoing = new OutboundHttpClient(config);
    this.connector = gitConnector({ root: this.root, allowedNetworks: config.allowPrivateNetworks, limits });
    this.connection = { tenantId: newId(), id: newId(), kind: 'git', name: 'Code', slug: 'code' } as Connection;
  }

  get folder(): string {
    return path.join(this.root, this.connection.tenantId, this.connection.id);
  }

  verify(signal = AbortSignal.timeout(60_000)): Promise<Verification> {
    return this.connector.verify(this.context(signal));
  }

  walk({ progress = null, signal, known }: PassOptions = {}): Promise<GitPassResult> {
    const { documents, pass } = documentsContext(this.context(signal), progress);
    return collect(documents, (context) => this.connector.documents!(context), pass, known);
  }

  changes(cursor: JsonObject | null, { progress = null, signal, known }: PassOptions = {}): Promise<GitPassResult> {
    const { documents, pass } = documentsContext(this.context(signal), progress);
    const changes = (context: DocumentsContext) => this.connector.changes!({ ...context, cursor: cursor!, hints: [] });
    return collect(documents, changes, pass, known);
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private context(signal = AbortSignal.timeout(60_000)) {
    const { connection, settings, outgoing } = this;
    return { connection, settings, outgoing, signal, log: silentLog, secret: (name: string) => this.secrets[name] };
  }
}

/** Reads contents while the source continues. Like a sync, a checkpoint waits for all of them. */
async function collect(
  context: DocumentsContext,
  open: (context: DocumentsContext) => AsyncIterable<SourceDocument | { removed: string }>,
  pass: RecordedPass,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<GitPassResult> {
  const documents: GitPassResult['documents'] = new Map();
  const removed: string[] = [];
  const unreadable: Record<string, string> = {};
  const reading: Promise<void>[] = [];
  const checkpoint = async (progress: JsonObject) => {
    await Promise.all(reading);
    await context.checkpoint(progress);
  };
  for await (const one of open({ ...context, checkpoint })) {
    if ('removed' in one) removed.push(one.removed);
    else if (known.get(one.externalId) === one.fingerprint) documents.set(one.externalId, { ...one, text: null });
    else reading.push(read(one));
    if (reading.length >= 8) await reading.shift();
  }
  await Promise.all(reading);
  return { ...pass, documents, removed, unreadable };

  async function read(document: SourceDocument): Promise<void> {
    const { externalId, content } = document;
    documents.set(externalId, { ...document, text: null });
    try {
      const bytes = await (content as () => Promise<Uint8Array>)();
      documents.get(externalId)!.text = Buffer.from(bytes).toString();
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      unreadable[externalId] = error.message;
    }
  }
}
