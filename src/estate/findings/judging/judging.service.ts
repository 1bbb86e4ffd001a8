import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../platform/database/database.service.js';
import { Queue } from '../../../platform/queue/queue.service.js';
import { type Principal, systemPrincipal } from '../../../principal/principal.js';
import { ApprovedServers } from '../approved/approved-servers.service.js';
import { entryRules, fileRules } from '../rules.js';
import { FindingsTable } from './findings-table.service.js';
import { judgeFile, type Memory } from './judge-file.js';
import {
  type FileToJudge,
  filesToJudge,
  forgetApproved,
  judgeAlone,
  markJudged,
  rememberApproved,
} from './judging.sql.js';
import { rulebookOf } from './rulebook.js';

const batch = 250;
const job = 'estate.judge';
const ofFiles = [...new Set([...entryRules, ...fileRules].map(({ id }) => id)), 'definition_changed' as const];

/**
 * Judges every file that is not as it was when it was judged last, or was judged by other rules: after an upload, after a word
 * about what is approved, and after a release with newer advisories. Whatever was not come to, the next one comes to.
 */
@Injectable()
export class Judging implements OnModuleInit {
  private readonly onJudged: ((tx: EntityManager, principal: Principal) => Promise<void>)[] = [];

  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly approved: ApprovedServers,
    private readonly table: FindingsTable,
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

  /** The last one, if there may be more. */
  private judgeSome(
    principal: Principal,
    after: string | null,
    count: (files: number) => void,
  ): Promise<string | null> {
    return this.database.tenant(principal, async (tx) => {
      const { tenantId } = principal;
      await tx.query(judgeAlone, [tenantId]);
      const list = await this.approved.list(tx, principal);
      const rulebook = rulebookOf(list.approved);
      const files = await tx.query<FileToJudge[]>(filesToJudge, [tenantId, rulebook, after, batch]);
      const judged = files.map((file) => judgeFile(file, list.allowed));
      await this.table.replaceInFiles(tx, principal, {
        files: files.map(({ id }) => id),
        rules: ofFiles,
        findings: judged.flatMap(({ findings }) => findings),
      });
      await remember(
        tx,
        principal,
        judged.map(({ memory }) => memory),
      );
      await tx.query(markJudged, [
        tenantId,
        rulebook,
        files.map(({ id }) => id),
        files.map(({ version }) => version),
        files.map(({ isGone }) => isGone),
        files.map(({ parser }) => parser),
      ]);
      count(files.length);
      if (files.length === batch) return files.at(-1)!.id;
      if (files.length || after) for (const handler of this.onJudged) await handler(tx, principal);
      return null;
    });
  }
}

async function remember(tx: EntityManager, { tenantId }: Principal, memories: Memory[]): Promise<void> {
  const approved = memories.flatMap((memory) => memory.approved);
  const forgotten = memories.flatMap((memory) => memory.forgotten);
  if (approved.length) {
    const rows = approved.map(({ id, definitionHash: hash, definition }) => ({ id, hash, definition }));
    await tx.query(rememberApproved, [tenantId, JSON.stringify(rows)]);
  }
  if (forgotten.length) await tx.query(forgetApproved, [tenantId, forgotten.map(({ id }) => id)]);
}
