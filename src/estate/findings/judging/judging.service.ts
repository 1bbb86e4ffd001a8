import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import { Database } from '../../../platform/database/database.service.js';
import type { FatalFailure } from '../../../platform/isolation/isolation.error.js';
import { runInBatches, type BatchOutcome } from '../../../platform/isolation/repeated-runs.js';
import { Queue } from '../../../platform/queue/queue.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { Metrics } from '../../../platform/telemetry/metrics.service.js';
import { type Principal, systemPrincipal } from '../../../principal/principal.js';
import { ApprovedServers } from '../approved/approved-servers.service.js';
import { entryRules, fileRules } from '../rules.js';
import { FindingsTable } from './findings-table.service.js';
import type { JudgedFile } from './judge-file.js';
import { judgeFilesJob } from './judge-files.js';
import type { FileJudged } from './judge-files.isolated.js';
import {
  type FileToJudge,
  filesToJudge,
  forgetApproved,
  judgeAlone,
  markJudged,
  rememberApproved,
  stillToJudge,
} from './judging.sql.js';
import { deleteEntries, lockServersOf, quarantineFiles, quarantineVersions, retireServers } from './quarantine.sql.js';
import { rulebookOf } from './rulebook.js';

const batch = 250;
const job = 'estate.judge';
const batching = {
  most: 125,
  mostBytes: 2 ** 20,
  bytesOf: ({ file }: { file: JudgedFile }) => 1000 * (1 + file.entries.length),
  mostFailures: 5,
};
const ofFiles = [...new Set([...entryRules, ...fileRules].map(({ id }) => id)), 'definition_changed' as const];

/**
 * Judges every file that is not as it was when it was judged last, or was judged by other rules: after an upload, after a word
 * about what is approved, and after a release with newer advisories. Whatever was not come to, the next one comes to.
 */
@Injectable()
export class Judging implements OnModuleInit {
  /** Replaced by tests with rules that fail. */
  judgeJob = judgeFilesJob;
  private readonly onJudged: ((tx: EntityManager, principal: Principal) => Promise<void>)[] = [];

  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly approved: ApprovedServers,
    private readonly table: FindingsTable,
    private readonly audit: AuditService,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.queue.handle(
      job,
      async ({ tenantId }) => void (await this.judge(systemPrincipal(String(tenantId), 'estate'))),
    );
  }

  /**
   * To be called where files were read anew or are gone, or other things are approved, in that transaction. It is judged as soon
   * as that is committed, in one of its own: one at a time judges, and uploads do not wait for it.
   */
  async ask(tx: EntityManager, { tenantId }: Principal): Promise<void> {
    await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}` });
  }

  /** What is done in the same transaction once files were judged. */
  whenJudged(handler: (tx: EntityManager, principal: Principal) => Promise<void>): void {
    this.onJudged.push(handler);
  }

  /** All that is to be judged, some at a time; how many files that were. */
  async judge(principal: Principal): Promise<number> {
    let judged = 0;
    for (let after: string | null = null; ;) {
      const last: string | null = await this.judgeSome(principal, after, (count) => (judged += count));
      if (last === null) return judged;
      after = last;
    }
  }

  /** Judges a batch in worker processes, and then writes what of it is still as it was. Returns the last file if there may be more. */
  private async judgeSome(
    principal: Principal,
    after: string | null,
    count: (files: number) => void,
  ): Promise<string | null> {
    const { files, approved, rulebook } = await this.database.tenant(principal, async (tx) => {
      const { approved } = await this.approved.list(tx, principal);
      const rulebook = rulebookOf(approved);
      const values = [principal.tenantId, rulebook, after, batch];
      return { approved, rulebook, files: await tx.query<FileToJudge[]>(filesToJudge, values) };
    });
    if (!files.length && after === null) return null;
    const inputs = files.map((file) => ({ file, approved }));
    const outcomes = await runInBatches(this.judgeJob, inputs, principal.tenantId, batching);
    const judged = files.map((file, index) => ({ file, outcome: outcomes[index] }));
    const mayBeMore = files.length === batch;
    await this.database.tenant(principal, async (tx) => {
      await tx.query(judgeAlone, [principal.tenantId]);
      const current = await this.stillAsJudged(tx, principal, rulebook, judged);
      if (!current) return;
      await this.write(tx, principal, rulebook, current);
      count(current.length);
      if (!mayBeMore) for (const handler of this.onJudged) await handler(tx, principal);
    });
    return mayBeMore ? files.at(-1)!.id : null;
  }

  /** Whatever changed meanwhile is judged by the job that the change asked for. */
  private async stillAsJudged(
    tx: EntityManager,
    principal: Principal,
    rulebook: string,
    judged: readonly Judged[],
  ): Promise<Judged[] | null> {
    const { approved } = await this.approved.list(tx, principal);
    if (rulebookOf(approved) !== rulebook) return null;
    const ids = judged.map(({ file }) => file.id);
    const still = await tx.query<Revision[]>(stillToJudge, [principal.tenantId, rulebook, ids]);
    const current = new Map(still.map((one) => [one.id, revisionKey(one)]));
    return judged.filter(({ file }) => current.get(file.id) === revisionKey(file));
  }

  private async write(
    tx: EntityManager,
    principal: Principal,
    rulebook: string,
    judged: readonly Judged[],
  ): Promise<void> {
    const done = judged.flatMap(({ outcome }) => ('output' in outcome ? [outcome.output] : []));
    for (const { file, outcome } of judged)
      if ('failure' in outcome) await this.quarantine(tx, principal, file.id, outcome.failure);
    const settled = judged.filter(({ outcome }) => !('isPostponed' in outcome));
    const files = settled.map(({ file }) => file);
    await this.table.replaceInFiles(tx, principal, {
      files: files.map(({ id }) => id),
      rules: ofFiles,
      findings: done.flatMap(({ findings }) => findings),
    });
    await remember(tx, principal, done);
    await tx.query(markJudged, [
      principal.tenantId,
      rulebook,
      files.map(({ id }) => id),
      files.map(({ version }) => version),
      files.map(({ isGone }) => isGone),
      files.map(({ parser }) => parser),
    ]);
    // a busy machine, or the limit on failures of one batch, left some of its files out
    if (settled.length < judged.length) await this.ask(tx, principal);
  }

  /** Rules that came with a release may not end with a file that is stored already. */
  private async quarantine(
    tx: EntityManager,
    principal: Principal,
    fileId: string,
    failure: FatalFailure,
  ): Promise<void> {
    const { tenantId } = principal;
    const reason = `is quarantined: judging it failed twice (${failure})`;
    const problems = JSON.stringify([{ place: '', reason }]);
    const [[file]] = await tx.query<[{ path: string; digest: string }[], number]>(quarantineFiles, [
      tenantId,
      [fileId],
      problems,
    ]);
    await tx.query(quarantineVersions, [tenantId, [fileId], problems]);
    const [entries] = await tx.query<[{ serverId: string }[], number]>(deleteEntries, [tenantId, [fileId]]);
    const serverIds = entries.map(({ serverId }) => serverId);
    await tx.query(lockServersOf, [tenantId, serverIds]);
    await tx.query(retireServers, [tenantId, serverIds]);
    this.metrics.quarantined.inc({ kind: 'estate_file' });
    this.log.warn({ tenantId, fileId, digest: file.digest, reason }, 'quarantined a configuration file');
    await this.audit.record(tx, principal, {
      kind: 'estate.file_quarantined',
      subject: { type: 'estate_file', id: fileId, name: file.path },
      detail: { reason, digest: file.digest },
    });
  }
}

interface Judged {
  file: FileToJudge;
  outcome: BatchOutcome<FileJudged>;
}
interface Revision {
  id: string;
  version: number;
  parser: number;
  isGone: boolean;
}
const revisionKey = ({ version, parser, isGone }: Revision): string => `${version} ${parser} ${isGone}`;

async function remember(tx: EntityManager, { tenantId }: Principal, judged: readonly FileJudged[]): Promise<void> {
  const approved = judged.flatMap((file) => file.approved);
  const forgottenIds = judged.flatMap((file) => file.forgottenIds);
  if (approved.length) await tx.query(rememberApproved, [tenantId, JSON.stringify(approved)]);
  if (forgottenIds.length) await tx.query(forgetApproved, [tenantId, forgottenIds]);
}
