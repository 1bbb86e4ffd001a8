import { Injectable } from '@nestjs/common';
import type { Artifact, TranscriptItem } from '../agent/agent-model.port.js';
import type { LeasedCall, TaskCallOutcome, TaskConversation, TaskLeaseStore } from '../gate/gate.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Tx } from '../platform/database/tx.js';
import { TaskContentService } from './task-content.service.js';
import { LeaseLost, type TaskLease } from './task-lease.js';
import { type Advance, type AdvanceResult, advanceTasks, lockLeases, type TaskAdvance } from './task-advances.sql.js';
import { loadTaskArtifacts } from './tasks.sql.js';
import { type ItemRow, readTranscripts, taskConversations } from './task-items.sql.js';
import { listDelegateReplies } from './delegations.sql.js';
import type { TaskStatus } from './task.entity.js';
import { fromRow, resultItem, taints, toRow } from './transcript.js';

type TranscriptKey = { tenantId: string; id: string };
/** `isDelegateReply`: the message replied to a delegated agent. */
type TranscriptRow = ItemRow & { isDelegateReply?: true };

/**
 * Reads and writes for runs, in batches per process, because a busy process has many tasks at the same step. In the
 * gate's transactions a turn is stored with the call attempt that it leads to, and a result with its outcome.
 */
@Injectable()
export class TaskRunRepository implements TaskLeaseStore {
  private readonly transcriptLoader = new Batcher<TranscriptKey, TranscriptRow[]>(async (tenantId, tasks) => {
    const ids = tasks.map(({ id }) => id);
    return this.markReplies(tenantId, ids, await readTranscripts(this.database.appPool, tenantId, ids));
  });
  private readonly advanceBatch = new Batcher<TaskAdvance, AdvanceResult | null>((tenantId, advances) =>
    advanceTasks(this.database.appPool, tenantId, this.sealAll(advances)),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly content: TaskContentService,
  ) {}

  openStatus({ id, status }: TaskLease): TaskStatus {
    return this.content.openStatus(id, status);
  }

  /** Opened outside of the batch: an item that cannot be opened fails only its own task. */
  async loadTranscript({ tenantId, id }: TaskLease): Promise<TranscriptItem[]> {
    const rows = await this.transcriptLoader.submit({ tenantId, id });
    return rows.map(({ isDelegateReply, ...row }) => {
      const item = fromRow(this.content.openItem(id, row));
      return item.kind === 'message' && isDelegateReply ? { ...item, isDelegateReply } : item;
    });
  }

  /** Only a task with several messages can have replies to delegated agents among them. */
  private async markReplies(
    tenantId: string,
    taskIds: readonly string[],
    transcripts: ItemRow[][],
  ): Promise<TranscriptRow[][]> {
    const several = taskIds.filter((_, nth) => transcripts[nth].filter(({ kind }) => kind === 'message').length > 1);
    if (!several.length) return transcripts;
    const replies = await this.database.tenant({ tenantId }, (tx) =>
      tx.run(listDelegateReplies, [tenantId, [...new Set(several)]]),
    );
    const marked = new Set(replies.map(({ taskId, position }) => `${taskId} ${position}`));
    return transcripts.map((rows, nth) =>
      rows.map((row, before) =>
        marked.has(`${taskIds[nth]} ${before + 1}`) ? { ...row, isDelegateReply: true as const } : row,
      ),
    );
  }

  /** The artifacts shown so far. */
  async loadArtifacts({ tenantId, id }: TaskLease): Promise<Artifact[]> {
    const stored = await this.database.tenant({ tenantId }, (tx) => loadTaskArtifacts(tx, tenantId, id));
    return this.content.openArtifacts(id, stored);
  }

  /** Throws LeaseLost, with nothing written, if another process holds the task. */
  async advance({ tenantId, id, leaseEpoch }: TaskLease, advance: Advance): Promise<AdvanceResult> {
    const advanced = await this.advanceBatch.submit({ tenantId, id, leaseEpoch, advance });
    if (!advanced) throw new LeaseLost(id);
    return advanced;
  }

  /** The same inside a given transaction. */
  async advanceIn(tx: Tx, { tenantId, id, leaseEpoch }: TaskLease, advance: Advance): Promise<AdvanceResult> {
    const [advanced] = await advanceTasks(tx, tenantId, this.sealAll([{ tenantId, id, leaseEpoch, advance }]));
    if (!advanced) throw new LeaseLost(id);
    return advanced;
  }

  async acquireLeases(tx: Tx, tenantId: string, calls: readonly LeasedCall[]): Promise<boolean[]> {
    const withTurn = calls.filter(({ turn }) => turn !== undefined);
    const others = calls.filter(({ turn }) => turn === undefined);
    const turns = withTurn.map((call) =>
      toStoreAdvance(tenantId, call, { items: [{ kind: 'turn', body: call.turn! }], turns: 1 }),
    );
    const stored = await this.advanceAll(tx, tenantId, turns);
    const held = others.length ? await lockLeases(tx, tenantId, others) : [];
    const acquired = new Set([...withTurn.filter((_, nth) => stored[nth]), ...others.filter((_, nth) => held[nth])]);
    return calls.map((call) => acquired.has(call));
  }

  async loadConversations(
    tx: Tx,
    tenantId: string,
    taskIds: readonly string[],
  ): Promise<Map<string, TaskConversation>> {
    const rows = await tx.run(taskConversations, [tenantId, taskIds]);
    return new Map(rows.map(({ taskId, ...conversation }) => [taskId, conversation]));
  }

  async storeOutcomes(tx: Tx, tenantId: string, outcomes: readonly TaskCallOutcome[]): Promise<boolean[]> {
    const leases = [...Map.groupBy(outcomes, ({ taskId, leaseEpoch }) => `${taskId} ${leaseEpoch}`).values()];
    const results = leases.map((own) =>
      toStoreAdvance(tenantId, own[0], {
        items: own.map(({ ref, outcome }) => toRow(resultItem(ref, outcome))),
        isTainted: own.some(({ outcome }) => taints(outcome)),
      }),
    );
    const stored = await this.advanceAll(tx, tenantId, results);
    const storedOutcomes = new Set(leases.filter((_, nth) => stored[nth]).flat());
    return outcomes.map((outcome) => storedOutcomes.has(outcome));
  }

  private async advanceAll(tx: Tx, tenantId: string, advances: TaskAdvance[]): Promise<boolean[]> {
    if (!advances.length) return [];
    const done = await advanceTasks(tx, tenantId, this.sealAll(advances));
    return done.map((advanced) => advanced !== null);
  }

  private sealAll(advances: TaskAdvance[]): TaskAdvance[] {
    return advances.map((one) => ({ ...one, advance: this.content.sealAdvance(one.id, one.advance) }));
  }
}

const toStoreAdvance = (
  tenantId: string,
  { taskId: id, leaseEpoch }: { taskId: string; leaseEpoch: number },
  what: Omit<Advance, 'step'>,
): TaskAdvance => ({ tenantId, id, leaseEpoch, advance: { ...what, step: 'keep' } });
