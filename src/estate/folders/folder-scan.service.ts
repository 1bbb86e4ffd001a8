import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Connection } from '../../connections/connection.entity.js';
import { Config } from '../../platform/config/config.js';
import { derivedId, newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { readFailureReason } from '../../platform/files/read-failure-reason.js';
import { FolderNotAllowed, resolveFolder } from '../../platform/files/allowed-folder.js';
import { type JobOutcome, QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal, type Principal } from '../../principal/principal.js';
import { EstateSource } from '../estate-source.entity.js';
import type { CollectedFile } from '../intake/collected-file.js';
import { IntakeService } from '../intake/intake.service.js';
import { findConfigurations } from './find-configurations.js';
import { ScanRun } from './scan-run.js';
import { claimScan, completeScan, endScans, failScan, renewScan, releaseScan } from './scans.sql.js';
import { insertFolderSource, listNewFolders, claimDueFolders } from './scans.system.sql.js';

export const scanJob = 'estate.scan';
export const scanKey = (sourceId: string) => `${scanJob}:${sourceId}`;

const everySeconds = 900;
const batch = 100;

/** Another process has taken over the scan. This run must not write anymore. */
class ScanSuperseded extends Error {}

/** Scans connected folders and git checkouts for configurations of AI clients. Files are only read. */
@Injectable()
export class FolderScanService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly config: Config,
    private readonly audit: AuditService,
    private readonly log: LogService,
    private readonly intake: IntakeService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(scanJob, ({ tenantId, sourceId }, signal) =>
      this.scan(systemPrincipal(String(tenantId), 'Estate'), String(sourceId), signal),
    );
    this.queue.every('estate.due', 2, () => this.enqueueDue());
  }

  private enqueueDue(): Promise<void> {
    return this.database.system('estate due', async (tx) => {
      const folders = await tx.run(listNewFolders);
      for (const { tenantId, connectionId, name } of folders)
        await tx.execute(insertFolderSource, [
          tenantId,
          derivedId(tenantId, 'folder', connectionId),
          connectionId,
          name,
        ]);
      const due = await tx.run(claimDueFolders);
      for (const { tenantId, sourceId } of due)
        await this.queue.add(tx, scanJob, { tenantId, sourceId }, { key: scanKey(sourceId), maxAttempts: 1 });
    });
  }

  private async scan(principal: Principal, sourceId: string, signal: AbortSignal): Promise<JobOutcome> {
    const { tenantId } = principal;
    const found = await this.database.tenant(principal, async (tx) => {
      const source = await tx.findOneBy(EstateSource, { tenantId, id: sourceId });
      const connection =
        source?.connectionId && (await tx.findOneBy(Connection, { tenantId, id: source.connectionId }));
      return connection ? { source, connection } : null;
    });
    if (!found) return;
    const { connection } = found;
    if (connection.removedAt) return this.removeFiles(principal, sourceId, connection);
    if (connection.pausedAt) return;
    const run = await this.claim(principal, sourceId, connection);
    if (!run) return 'postponed';
    try {
      await this.scanFiles(principal, sourceId, connection, run, signal);
    } catch (error) {
      if (error instanceof ScanSuperseded) return;
      if (signal.aborted)
        await this.database.tenant(principal, (tx) => tx.execute(releaseScan, [tenantId, sourceId, run.id]));
      else await this.fail(principal, sourceId, run, error);
    }
  }

  private claim(principal: Principal, sourceId: string, { revision, name }: Connection): Promise<ScanRun | null> {
    const run = new ScanRun(newId());
    return this.database.tenant(principal, async (tx) => {
      const claimed = await tx.one(claimScan, [principal.tenantId, sourceId, run.id, revision, name, everySeconds]);
      return claimed && run;
    });
  }

  private async scanFiles(
    principal: Principal,
    sourceId: string,
    connection: Connection,
    run: ScanRun,
    signal: AbortSignal,
  ): Promise<void> {
    const root = await resolveFolder(String(connection.settings.path ?? ''), this.config.folderRoots);
    let files: CollectedFile[] = [];
    const storeBatch = async () => {
      await this.intake.parseAndStore(principal, sourceId, files, (parsed) =>
        this.fenced(principal, sourceId, run, async (tx) => {
          const { metIds, added, changed, skipped } = await this.intake.storeFiles(tx, principal, parsed);
          run.metIds.push(...metIds);
          run.added += added;
          run.changed += changed;
          for (const { index, reason } of skipped) run.skip(files[index].path, reason);
        }),
      );
      files = [];
    };
    for await (const file of findConfigurations({ root, signal, skipped: (name, reason) => run.skip(name, reason) })) {
      files.push(file);
      if (files.length === batch) await storeBatch();
    }
    signal.throwIfAborted();
    await storeBatch();
    await this.complete(principal, sourceId, connection, run);
  }

  /** Files that the scan did not find are marked as gone. */
  private complete(principal: Principal, sourceId: string, connection: Connection, run: ScanRun): Promise<void> {
    const { metIds, unreadableFolders, added, changed, problems, problemCount } = run;
    return this.fenced(principal, sourceId, run, async (tx) => {
      const gone = await this.intake.markMissing(tx, principal, sourceId, metIds, unreadableFolders);
      await tx.execute(completeScan, [principal.tenantId, sourceId, run.id, JSON.stringify(problems), problemCount]);
      if (added || changed || gone)
        await this.audit.record(tx, principal, {
          kind: 'estate.scanned',
          subject: { type: 'connection', id: connection.id, name: connection.name },
          detail: { added, changed, gone },
        });
    });
  }

  private fenced(
    principal: Principal,
    sourceId: string,
    run: ScanRun,
    write: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const renewed = await tx.one(renewScan, [principal.tenantId, sourceId, run.id]);
      if (!renewed) throw new ScanSuperseded();
      await write(tx);
    });
  }

  private async fail(principal: Principal, sourceId: string, run: ScanRun, error: unknown): Promise<void> {
    const reason = error instanceof FolderNotAllowed ? error.message : `The folder ${readFailureReason(error)}.`;
    this.log.warn({ sourceId, reason }, 'folder scan for AI configurations failed');
    await this.database.tenant(principal, (tx) =>
      tx.execute(failScan, [principal.tenantId, sourceId, run.id, reason.slice(0, 1000)]),
    );
  }

  /** Marks all files of a removed connection as gone. Their history remains. */
  private removeFiles(principal: Principal, sourceId: string, { id, name }: Connection): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const gone = await this.intake.markMissing(tx, principal, sourceId, []);
      await tx.execute(endScans, [principal.tenantId, sourceId]);
      const subject = { type: 'connection', id, name };
      if (gone) await this.audit.record(tx, principal, { kind: 'estate.scanned', subject, detail: { gone } });
    });
  }
}
