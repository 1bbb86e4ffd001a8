import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Artifact, TranscriptItem } from '../agent/agent-model.service.js';
import type { HeldCall, TaskKeeper, TaskOutcome } from '../gate/gate.service.js';
import { client, Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { TaskContent } from './task-content.service.js';
import { LeaseLost, type TaskLease } from './task-lease.js';
import {
  type Advance,
  type Advanced,
  advanceTasks,
  artifactsOf,
  holdLeases,
  readTranscripts,
  type TaskAdvance,
} from './tasks.sql.js';
import { repliesOf } from './delegation/delegations.sql.js';
import { fromRow, resultItem, taints, toRow } from './transcript.js';

type Sought = { tenantId: string; id: string };

/**
 * What runs read and write, those of one process together: a busy one has many tasks at the same step. In the gate's
 * transactions a turn is kept with the attempt that it leads to, and a result with its outcome.
 */
@Injectable()
export class TaskRows implements TaskKeeper {
  private readonly reading = new Gather<Sought, TranscriptItem[]>(async (tenantId, tasks) => {
    const rows = await readTranscripts(
      this.database.app,
      tenantId,
      tasks.map(({ id }) => id),
    );
    return this.withReplies(
      tenantId,
      tasks,
      rows.map((items, nth) => items.map((row) => fromRow(this.content.openItem(tasks[nth].id, row)))),
    );
  });
  private readonly writing = new Gather<TaskAdvance, Advanced | null>((tenantId, advances) =>
    advanceTasks(this.database.app, tenantId, this.sealed(advances)),
  );

  constructor(
    private readonly database: Database,
    private readonly content: TaskContent,
  ) {}

  transcript({ tenantId, id }: TaskLease): Promise<TranscriptItem[]> {
    return this.reading.ask({ tenantId, id });
  }

  /** Only a task with several messages may have some that were replies to agents below it. */
  private async withReplies(
    tenantId: string,
    tasks: readonly Sought[],
    transcripts: TranscriptItem[][],
  ): Promise<TranscriptItem[][]> {
    const several = tasks.filter((_, nth) => transcripts[nth].filter(({ kind }) => kind === 'message').length > 1);
    if (!several.length) return transcripts;
    const ids = [...new Set(several.map(({ id }) => id))];
    const replies = await this.database.tenant({ tenantId }, (tx) => repliesOf(tx, tenantId, ids));
    const marked = new Set(replies.map(({ taskId, position }) => `${taskId} ${position}`));
    return transcripts.map((items, nth) =>
      items.map((item, before) =>
        item.kind === 'message' && marked.has(`${tasks[nth].id} ${before + 1}`)
          ? { ...item, isReplyBelow: true }
          : item,
      ),
    );
  }

  /** What was shown of it so far. */
  async artifacts({ tenantId, id }: TaskLease): Promise<Artifact[]> {
    const stored = await this.database.tenant({ tenantId }, (tx) => artifactsOf(tx, tenantId, id));
    return this.content.openArtifacts(id, stored);
  }

  /** Throws LeaseLost, with nothing written, when the task is somebody else's by now. */
  async advance({ tenantId, id, leaseEpoch }: TaskLease, advance: Advance): Promise<Advanced> {
    const advanced = await this.writing.ask({ tenantId, id, leaseEpoch, advance });
    if (!advanced) throw new LeaseLost(id);
    return advanced;
  }

  /** The same in a transaction with something else. */
  async advanceIn(tx: EntityManager, { tenantId, id, leaseEpoch }: TaskLease, advance: Advance): Promise<Advanced> {
    const statements = await client(tx);
    const [advanced] = await advanceTasks(statements, tenantId, this.sealed([{ tenantId, id, leaseEpoch, advance }]));
    if (!advanced) throw new LeaseLost(id);
    return advanced;
  }

  async hold(tx: EntityManager, tenantId: string, calls: readonly HeldCall[]): Promise<boolean[]> {
    const withTurn = calls.filter(({ turn }) => turn !== undefined);
    const others = calls.filter(({ turn }) => turn === undefined);
    const turns = withTurn.map((call) =>
      noted(tenantId, call, { items: [{ kind: 'turn', body: call.turn! }], turns: 1 }),
    );
    const kept = await this.keepAll(tx, tenantId, turns);
    const held = others.length ? await holdLeases(tx, tenantId, others) : [];
    const good = new Set([...withTurn.filter((_, nth) => kept[nth]), ...others.filter((_, nth) => held[nth])]);
    return calls.map((call) => good.has(call));
  }

  async keep(tx: EntityManager, tenantId: string, outcomes: readonly TaskOutcome[]): Promise<boolean[]> {
    const leases = [...Map.groupBy(outcomes, ({ taskId, leaseEpoch }) => `${taskId} ${leaseEpoch}`).values()];
    const results = leases.map((own) =>
      noted(tenantId, own[0], {
        items: own.map(({ ref, outcome }) => toRow(resultItem(ref, outcome))),
        isTainted: own.some(({ outcome }) => taints(outcome)),
      }),
    );
    const kept = await this.keepAll(tx, tenantId, results);
    const good = new Set(leases.filter((_, nth) => kept[nth]).flat());
    return outcomes.map((outcome) => good.has(outcome));
  }

  private async keepAll(tx: EntityManager, tenantId: string, advances: TaskAdvance[]): Promise<boolean[]> {
    if (!advances.length) return [];
    const done = await advanceTasks(await client(tx), tenantId, this.sealed(advances));
    return done.map((advanced) => advanced !== null);
  }

  private sealed(advances: TaskAdvance[]): TaskAdvance[] {
    return advances.map((one) => ({ ...one, advance: this.content.sealAdvance(one.id, one.advance) }));
  }
}

const noted = (
  tenantId: string,
  { taskId: id, leaseEpoch }: { taskId: string; leaseEpoch: number },
  what: Omit<Advance, 'step'>,
): TaskAdvance => ({ tenantId, id, leaseEpoch, advance: { ...what, step: 'keep' } });
