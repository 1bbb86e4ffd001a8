import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { FatalFailure } from '../../../platform/isolation/isolation.error.js';
import { runInBatches, type BatchOutcome } from '../../../platform/isolation/repeated-runs.js';
import { QueueService } from '../../../platform/queue/queue.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { MetricsService } from '../../../platform/telemetry/metrics.service.js';
import { type Principal, systemPrincipal } from '../../../principal/principal.js';
import { ApprovedServersService } from '../approved/approved-servers.service.js';
import { entryRules, fileRules } from '../rules.js';
import { FindingsRepository } from './findings-repository.service.js';
import type { EvaluatedFile } from './evaluate-file.js';
import { evaluateFilesJob } from './evaluate-files.js';
import type { FileEvaluation } from './evaluate-files.isolated.js';
import {
  type FileRevision,
  type PendingFile,
  filesToEvaluate,
  deleteApprovedEntries,
  lockEvaluation,
  markEvaluated,
  upsertApprovedEntries,
  stillToEvaluate,
} from './evaluation.sql.js';
import { deleteEntries, lockServersOf, quarantineFiles, quarantineVersions, retireServers } from './quarantine.sql.js';
import { rulebookHash } from './rulebook.js';

const batch = 250;
const job = 'estate.judge';
const batching = {
  maxInputs: 125,
  maxBytes: 2 ** 20,
  bytesOf: ({ file }: { file: EvaluatedFile }) => 1000 * (1 + file.entries.length),
  maxFailures: 5,
};
const perFileRules = [...new Set([...entryRules, ...fileRules].map(({ id }) => id)), 'definition_changed' as const];

/**
 * Evaluates every file that has changed since its last evaluation, or that was evaluated with other rules: after an
 * upload, after a change of the approved list, and after a release with newer advisories. The next job continues an
 * incomplete one.
 */
@Injectable()
export class FindingEvaluationService implements OnModuleInit {
  /** Tests replace it with rules that fail. */
  evaluationJob = evaluateFilesJob;
  private readonly evaluatedHandlers: ((tx: Tx, principal: Principal) => Promise<void>)[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly approvedServers: ApprovedServersService,
    private readonly findings: FindingsRepository,
    private readonly audit: AuditService,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(
      job,
      async ({ tenantId }) => void (await this.evaluate(systemPrincipal(String(tenantId), 'estate'))),
    );
  }

  /**
   * Call in the transaction that stores or removes files or changes the approved list. After its commit, a job
   * evaluates in a transaction of its own: evaluations are serialized, and uploads do not wait for them.
   */
  async requestEvaluation(tx: Tx, { tenantId }: Principal): Promise<void> {
    await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}` });
  }

  /** Registers a handler that runs in the same transaction after files were evaluated. */
  onEvaluated(handler: (tx: Tx, principal: Principal) => Promise<void>): void {
    this.evaluatedHandlers.push(handler);
  }

  /** Evaluates all pending files in batches. Returns their number. */
  async evaluate(principal: Principal): Promise<number> {
    let evaluated = 0;
    for (let after: string | null = null; ;) {
      const last: string | null = await this.evaluateBatch(principal, after, (count) => (evaluated += count));
      if (last === null) return evaluated;
      after = last;
    }
  }

  /**
   * Evaluates a batch in worker processes, then writes the results of unchanged files. Returns the last file if there
   * may be more.
   */
  private async evaluateBatch(
    principal: Principal,
    after: string | null,
    count: (files: number) => void,
  ): Promise<string | null> {
    const { files, approved, rulebook } = await this.database.tenant(principal, async (tx) => {
      const { approved } = await this.approvedServers.list(tx, principal);
      const rulebook = rulebookHash(approved);
      const files = await tx.run(filesToEvaluate, [principal.tenantId, rulebook, after, batch]);
      return { approved, rulebook, files };
    });
    if (!files.length && after === null) return null;
    const inputs = files.map((file) => ({ file, approved }));
    const outcomes = await runInBatches(this.evaluationJob, inputs, principal.tenantId, batching);
    const judged = files.map((file, index) => ({ file, outcome: outcomes[index] }));
    const hasMore = files.length === batch;
    await this.database.tenant(principal, async (tx) => {
      await tx.execute(lockEvaluation, [principal.tenantId]);
      const current = await this.unchangedSince(tx, principal, rulebook, judged);
      if (!current) return;
      await this.write(tx, principal, rulebook, current);
      count(current.length);
      if (!hasMore) for (const handler of this.evaluatedHandlers) await handler(tx, principal);
    });
    return hasMore ? files.at(-1)!.id : null;
  }

  /** Drops files that changed meanwhile: the change has requested another job. */
  private async unchangedSince(
    tx: Tx,
    principal: Principal,
    rulebook: string,
    judged: readonly BatchItem[],
  ): Promise<BatchItem[] | null> {
    const { approved } = await this.approvedServers.list(tx, principal);
    if (rulebookHash(approved) !== rulebook) return null;
    const ids = judged.map(({ file }) => file.id);
    const still = await tx.run(stillToEvaluate, [principal.tenantId, rulebook, ids]);
    const current = new Map(still.map((one) => [one.id, fileRevisionKey(one)]));
    return judged.filter(({ file }) => current.get(file.id) === fileRevisionKey(file));
  }

  private async write(tx: Tx, principal: Principal, rulebook: string, judged: readonly BatchItem[]): Promise<void> {
    const done = judged.flatMap(({ outcome }) => ('output' in outcome ? [outcome.output] : []));
    for (const { file, outcome } of judged)
      if ('failure' in outcome) await this.quarantine(tx, principal, file.id, outcome.failure);
    const settled = judged.filter(({ outcome }) => !('isPostponed' in outcome));
    const files = settled.map(({ file }) => file);
    await this.findings.replaceInFiles(tx, principal, {
      files: files.map(({ id }) => id),
      rules: perFileRules,
      findings: done.flatMap(({ findings }) => findings),
    });
    await updateApprovalMemory(tx, principal, done);
    await tx.execute(markEvaluated, [
      principal.tenantId,
      rulebook,
      files.map(({ id }) => id),
      files.map(({ version }) => version),
      files.map(({ isGone }) => isGone),
      files.map(({ parser }) => parser),
    ]);
    // some files were postponed, because the machine is busy or the batch reached its limit of failures
    if (settled.length < judged.length) await this.requestEvaluation(tx, principal);
  }

  /** Rules of a new release may hang or crash on a file that is already stored. */
  private async quarantine(tx: Tx, principal: Principal, fileId: string, failure: FatalFailure): Promise<void> {
    const { tenantId } = principal;
    const reason = `is quarantined: evaluating it failed twice (${failure})`;
    const problems = JSON.stringify([{ place: '', reason }]);
    const [file] = await tx.run(quarantineFiles, [tenantId, [fileId], problems]);
    await tx.execute(quarantineVersions, [tenantId, [fileId], problems]);
    const entries = await tx.run(deleteEntries, [tenantId, [fileId]]);
    const serverIds = entries.map(({ serverId }) => serverId);
    await tx.execute(lockServersOf, [tenantId, serverIds]);
    await tx.execute(retireServers, [tenantId, serverIds]);
    this.metrics.quarantined.inc({ kind: 'estate_file' });
    this.log.warn({ tenantId, fileId, digest: file.digest, reason }, 'quarantined a configuration file');
    await this.audit.record(tx, principal, {
      kind: 'estate.file_quarantined',
      subject: { type: 'estate_file', id: fileId, name: file.path },
      detail: { reason, digest: file.digest },
    });
  }
}

interface BatchItem {
  file: PendingFile;
  outcome: BatchOutcome<FileEvaluation>;
}
const fileRevisionKey = ({ version, parser, isGone }: FileRevision): string => `${version} ${parser} ${isGone}`;

async function updateApprovalMemory(tx: Tx, { tenantId }: Principal, judged: readonly FileEvaluation[]): Promise<void> {
  const approved = judged.flatMap((file) => file.approved);
  const forgottenIds = judged.flatMap((file) => file.forgottenIds);
  if (approved.length) await tx.execute(upsertApprovedEntries, [tenantId, JSON.stringify(approved)]);
  if (forgottenIds.length) await tx.execute(deleteApprovedEntries, [tenantId, forgottenIds]);
}
