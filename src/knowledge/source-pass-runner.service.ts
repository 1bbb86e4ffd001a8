import { Injectable } from '@nestjs/common';
import { Connection } from '../connections/connection.entity.js';
import { UnreadableDocument } from '../connections/connections.error.js';
import { ConnectionsService } from '../connections/connections.service.js';
import type { DocumentsContext, SourceDocument } from '../connections/knowledge-source.port.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import type { Principal } from '../principal/principal.js';
import { documentKinds } from './document.entity.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { DocumentWriter } from './document-writer.js';
import { InactivityTimeout } from './inactivity-timeout.js';
import { IndexService } from './index.service.js';
import { FatalDocument, fingerprintOf, prepareDocument, type PreparedDocument } from './prepare-document.js';
import { partitionIdOf, type ReaderGroups } from './index-partition.js';
import { audienceIdOf } from './permissions/source-ids.js';
import { groupsByName, groupNamesOf } from './reader-groups.js';
import { listFingerprints, listStoredNames, type StoredFingerprint } from './sources.sql.js';
import type { SyncRun } from './sync-run.js';
import { SyncRunsService } from './sync-runs.service.js';

const erasuresPerTransaction = 50;
const namesPerStatement = 5_000;
const inactivityTimeoutSeconds = 300;

/** What the methods of this service share for one pass. */
interface OpenPass {
  principal: Principal;
  connection: Connection;
  run: SyncRun;
  timeout: InactivityTimeout;
  groupsNamed: Awaited<ReturnType<typeof groupsByName>>;
  /** Documents have to name an audience. */
  hasRoster: boolean;
}

/** A new or changed document. */
interface SelectedDocument {
  document: SourceDocument;
  /** The stored version has other readers. */
  hasOtherReaders: boolean;
  /** Starts the preparation. The result stores the document. */
  start: () => () => Promise<void>;
}

/** Runs a pass: reads the documents of a source, and stores those that are new or changed. */
@Injectable()
export class SourcePassRunner {
  constructor(
    private readonly database: DatabaseService,
    private readonly runs: SyncRunsService,
    private readonly connections: ConnectionsService,
    private readonly index: IndexService,
    private readonly quarantine: DocumentQuarantineService,
  ) {}

  async run(principal: Principal, connection: Connection, run: SyncRun, signal: AbortSignal): Promise<void> {
    const { connector, context } = await this.connections.open(principal, connection, signal);
    const groupsNamed = await this.database.tenant(principal, (tx) => groupsByName(tx, principal.tenantId));
    const timeout = new InactivityTimeout(signal, inactivityTimeoutSeconds);
    const pass: OpenPass = { principal, connection, run, timeout, groupsNamed, hasRoster: Boolean(connector.roster) };
    const writer = new DocumentWriter(
      { select: (batch) => this.select(pass, batch), erase: (externalId) => this.erase(pass, [externalId]) },
      timeout,
    );
    const documents: DocumentsContext = {
      ...context,
      progress: run.pass.progress,
      cursor: run.pass.cursor,
      skipped: (name, reason) => run.skip(name, reason),
      checkpoint: async (progress) => {
        await writer.drain();
        await timeout.whileWeWork(() => this.runs.checkpoint(principal, connection, run, progress));
      },
      setCursor: (cursor) => void (run.state.cursor = cursor),
      expects: (count) => void (run.state.expected = Number.isSafeInteger(count) && count >= 0 ? count : null),
      quota: (status) => void (run.quota = status),
    };
    const { cursor, hints, kind } = run.pass;
    const source =
      kind === 'changes' && cursor
        ? connector.changes!({ ...documents, cursor, hints })
        : connector.documents!(documents);
    try {
      for await (const item of timeout.iterate(source))
        if ('removed' in item || run.markSeen(item.externalId)) await writer.add(item);
    } finally {
      // documents that were read before a failure of the source are stored
      await writer.drain();
    }
    signal.throwIfAborted();
    if (kind === 'listing') await this.eraseMissing(pass);
    await this.runs.complete(principal, connection, run);
  }

  /** Selects documents whose stored version is outdated. */
  private async select(pass: OpenPass, batch: readonly SourceDocument[]): Promise<(() => () => Promise<void>)[]> {
    const { principal, connection } = pass;
    const names = batch.map(({ externalId }) => externalId.replaceAll('\0', '').toWellFormed());
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(listFingerprints, [principal.tenantId, connection.id, names]),
    );
    const stored = new Map(rows.map((row) => [row.external_id, row]));
    const selected = batch.flatMap(
      (document) => this.selectIfChanged(pass, document, stored.get(document.externalId)) ?? [],
    );
    await this.hide(
      pass,
      selected.flatMap(({ document, hasOtherReaders }) => (hasOtherReaders ? [document] : [])),
    );
    return selected.map(({ start }) => start);
  }

  private selectIfChanged(
    pass: OpenPass,
    document: SourceDocument,
    stored: StoredFingerprint | undefined,
  ): SelectedDocument | null {
    const { principal, connection, run, groupsNamed, hasRoster } = pass;
    const { externalId } = document;
    if (hasRoster && !document.audience) {
      run.skipDocument(externalId, 'names no audience, so no one could read it');
      run.unmarkSeen(externalId);
      return { document, hasOtherReaders: false, start: () => () => this.erase(pass, [externalId]) };
    }
    // without groups of its own, a document has the groups of its connection
    const { groups, unknown } = groupsNamed(document.groups ?? groupNamesOf(connection.settings));
    if (unknown.length)
      run.skipDocument(
        externalId,
        `is shared with groups that do not exist: ${unknown.map((name) => `"${name}"`).join(', ')}`,
      );
    if (stored?.fingerprint === fingerprintOf(document, groups)) return null;
    // a document of an unknown kind is erased when it is prepared
    const hasOtherReaders =
      stored !== undefined &&
      documentKinds.includes(document.kind) &&
      stored.partition_id !== partitionOf(connection.id, document, groups);
    const start = () => {
      const prepared = prepareDocument(principal.tenantId, document, groups, run.quarantined.get(externalId));
      // `storeWhenPrepared` handles the error; without it the run has ended, and its own error is reported
      prepared.catch(() => undefined);
      return () => this.storeWhenPrepared(pass, externalId, prepared, hasOtherReaders);
    };
    return { document, hasOtherReaders, start };
  }

  private async storeWhenPrepared(
    pass: OpenPass,
    externalId: string,
    preparing: Promise<PreparedDocument>,
    hasOtherReaders: boolean,
  ): Promise<void> {
    const { principal, connection, run, timeout } = pass;
    try {
      const prepared = await timeout.waitFor(preparing);
      await this.runs.fenced(principal, connection.id, run, async (tx) => {
        await this.index.store(tx, principal.tenantId, connection.id, prepared);
        run.state.changed++;
      });
      if (run.quarantined.has(externalId)) await this.quarantine.remove(principal, connection.id, [externalId]);
    } catch (error) {
      // a listing continues and is repeated soon; `changes` reports a document only once, so its pass has to be retried
      if (error instanceof IsolationError && error.failure === 'stalled' && run.pass.kind === 'listing') {
        run.defer(externalId);
        if (hasOtherReaders) await this.erase(pass, [externalId]); // it was hidden, so nothing of it is left
        return;
      }
      if (!(error instanceof UnreadableDocument)) throw error;
      if (error instanceof FatalDocument) await this.quarantine.add(principal, connection.id, externalId, error);
      run.skipDocument(externalId, error.message);
      run.unmarkSeen(externalId);
      // its stored version may have earlier readers, and a listing can take days
      await this.erase(pass, [externalId]);
    }
  }

  /**
   * Hides documents before their new versions are read, which may fail or have to wait: until then, the stored versions
   * would stay visible to the earlier readers.
   */
  private async hide({ principal, connection, run }: OpenPass, documents: readonly SourceDocument[]): Promise<void> {
    for (let at = 0; at < documents.length; at += erasuresPerTransaction) {
      await this.runs.fenced(principal, connection.id, run, async (tx) => {
        for (const document of documents.slice(at, at + erasuresPerTransaction))
          await this.index.hide(tx, principal.tenantId, connection.id, document);
      });
    }
  }

  private async eraseMissing(pass: OpenPass): Promise<void> {
    const { principal, connection, run } = pass;
    for (let after = ''; ;) {
      const rows = await this.database.tenant(principal, (tx) =>
        tx.run(listStoredNames, [principal.tenantId, connection.id, after, namesPerStatement]),
      );
      await this.erase(
        pass,
        rows.map((row) => row.external_id).filter((name) => run.isMissing(name)),
      );
      if (rows.length < namesPerStatement) break;
      after = rows[rows.length - 1].external_id;
    }
    await this.quarantine.remove(principal, connection.id, run.missingQuarantined());
  }

  private async erase({ principal, connection, run }: OpenPass, externalIds: readonly string[]): Promise<void> {
    const names = externalIds.filter(isStorableName);
    for (let at = 0; at < names.length; at += erasuresPerTransaction) {
      await this.runs.fenced(principal, connection.id, run, async (tx) => {
        for (const name of names.slice(at, at + erasuresPerTransaction))
          if (await this.index.erase(tx, principal.tenantId, connection.id, name)) run.state.removed++;
      });
    }
  }
}

/** No document is stored under another name, and the database refuses it. */
const isStorableName = (name: string): boolean => !name.includes('\0') && name.isWellFormed();

const partitionOf = (connectionId: string, { kind, audience }: SourceDocument, groups: ReaderGroups): string =>
  partitionIdOf({ connectionId, kind, groups, audienceId: audience ? audienceIdOf(connectionId, audience) : null });
