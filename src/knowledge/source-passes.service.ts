import { Injectable } from '@nestjs/common';
import type { Connection } from '../connections/connection.entity.js';
import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import {
  deleteAllHints,
  deleteHints,
  deletePass,
  deletePassMarks,
  findPass,
  insertPassMarks,
  listHints,
  listPassMarks,
  storePass,
} from './passes.sql.js';
import { isWithin } from './source-pause.js';
import { newPassState, type Pass, type SyncRun } from './sync-run.js';

type PassOwner = Pick<Connection, 'id' | 'revision'>;

/** Documents that an older pass has seen may have been removed since. */
const maxPassSeconds = 7 * 86_400;
/** A website of 5,000 pages with addresses of 1,000 characters needs six million. */
const maxProgressLength = 8 * 2 ** 20;

/** Stores passes, which outlive their process. Runs in the transactions of `SyncRunsService`, which check the lease. */
@Injectable()
export class SourcePassesService {
  /**
   * Continues the interrupted pass, or starts a new one. `cursor`: null if all documents have to be listed. `now`: the
   * database time, because `listing_due_at` is compared with the start of the pass.
   */
  async resume(
    tx: Tx,
    tenantId: string,
    { id, revision }: PassOwner,
    cursor: JsonObject | null,
    now: Date,
  ): Promise<Pass> {
    const stored = await tx.one(findPass, [tenantId, id]);
    const hints = await tx.run(listHints, [tenantId, id]);
    const shared = { cursor, hints: hints.map(({ hint }) => hint) };
    const hintIds = hints.map((row) => row.id);
    const isCurrent =
      stored?.connection_revision === revision &&
      (stored.kind === 'listing' || cursor !== null) &&
      isWithin(maxPassSeconds, stored.started_at);
    if (isCurrent) {
      const { kind, progress, started_at: startedAt, state } = stored;
      const marks = await tx.run(listPassMarks, [tenantId, id, stored.id]);
      return {
        id: stored.id,
        kind,
        startedAt,
        progress,
        // `changes` also receives hints that arrived after the interruption
        state: kind === 'changes' ? { ...state, hintIds } : state,
        marks: marks.map((row) => row.marks),
        ...shared,
      };
    }
    if (stored) await this.discard(tx, tenantId, id);
    const kind = cursor ? 'changes' : 'listing';
    return {
      id: newId(),
      kind,
      startedAt: now,
      progress: null,
      state: newPassState(hintIds),
      marks: [],
      ...shared,
    };
  }

  async checkpoint(
    tx: Tx,
    tenantId: string,
    { id, revision }: PassOwner,
    run: SyncRun,
    progress: JsonObject,
  ): Promise<void> {
    const { pass } = run;
    const text = JSON.stringify(progress);
    if (text.length > maxProgressLength) throw new Error('The progress of the connector is too large to be stored.');
    const marks = run.seenDocuments.takeUnstored();
    const state = JSON.stringify(run.state);
    await tx.execute(storePass, [tenantId, id, pass.id, pass.kind, revision, pass.startedAt, text, state]);
    if (marks.length) await tx.execute(insertPassMarks, [tenantId, id, pass.id, run.nextBlock++, marks]);
  }

  async complete(tx: Tx, tenantId: string, connectionId: string, run: SyncRun): Promise<void> {
    await this.discard(tx, tenantId, connectionId);
    if (run.state.hintIds.length) await tx.execute(deleteHints, [tenantId, connectionId, run.state.hintIds]);
  }

  /** Deletes the pass, so that the next run starts a new one. */
  async discard(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await tx.execute(deletePass, [tenantId, connectionId]);
    await tx.execute(deletePassMarks, [tenantId, connectionId]);
  }

  /** Deletes the passes and hints of a removed connection. */
  async removeAll(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await this.discard(tx, tenantId, connectionId);
    await tx.execute(deleteAllHints, [tenantId, connectionId]);
  }
}
