import { Injectable } from '@nestjs/common';
import { auditActorOf } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import { canonicalJson } from '../platform/json/strict-json.js';
import { sha256 } from '../platform/crypto/digest.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { traceHeaders } from '../platform/telemetry/trace.js';
import type { Artifact, Part } from '../agent/agent-model.port.js';
import type { Principal } from '../principal/principal.js';
import { ownerOf } from '../principal/owner.js';
import { TaskCancellationService } from './task-cancellation.service.js';
import { submittedStatus } from './task-status.js';
import { toStoredPrincipal } from '../principal/stored-principal.js';
import { taskExists, unknownTask } from './task.error.js';
import { isTerminal, Task, type TaskState, type TaskStatus } from './task.entity.js';
import { TaskContentService } from './task-content.service.js';
import { TaskFeedService, type TaskUpdate } from './task-feed.service.js';
import { findTasks, type FoundTaskRow, type TaskLookup } from './tasks.sql.js';
import { type ContinuableRow, type NewTask, type StoredRow, submitTasks } from './task-submissions.sql.js';
import { type ItemRow, readMessages } from './task-items.sql.js';
import { dueTopic } from './topics.js';
import { fromRow } from './transcript.js';

export type { Artifact, Part };

/** A task as its owner sees it. */
export interface TaskView {
  /** The id chosen by the caller */
  id: string;
  taskId: string;
  status: TaskStatus;
  artifacts?: Artifact[] | null;
  /** Number of the newest event */
  number: number;
  /** The caller's id of the context that the task belongs to; null: the task is its own context. */
  contextId?: string | null;
}
export interface Submission extends TaskView {
  /** `same`: a safe retry. `stored`: the message is used after the approval or quarantine that the task waits for. */
  outcome: 'created' | 'same' | 'continued' | 'stored';
}
export interface NewMessage {
  externalId: string;
  configurationId: string;
  parts: Part[];
  /** The sender's id of the message. The same text with another id is another message. */
  messageId?: string;
  /** The context of a new task. */
  contextId?: string;
  /** For a delegated task: its id is already assigned, and no caller owns it. */
  as?: { id: string; ownerId: string };
}
export interface TaskPage {
  tasks: Omit<TaskView, 'number'>[];
  nextCursor: string | null;
}
/** A message of a task's history. */
export interface HistoryMessage {
  role: 'user' | 'agent';
  parts: Part[];
  messageId?: string;
}

/** Ids that a caller may choose. */
export const isTaskId = (id: string): boolean => /^[A-Za-z0-9._:-]{1,128}$/.test(id) && id !== '.' && id !== '..';

/** Submits tasks, and gives their owners access to them, by the ids that the owners chose. */
@Injectable()
export class TasksService {
  /** Messages accepted since the start of this process; the runner uses it for backpressure. */
  accepted = 0;

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly feed: TaskFeedService,
    private readonly metrics: MetricsService,
    private readonly content: TaskContentService,
    private readonly cancellation: TaskCancellationService,
  ) {}

  private readonly submitting = new Batcher<NewTask, StoredRow | ContinuableRow | null>((tenantId, tasks) =>
    submitTasks(this.database.appPool, tenantId, tasks),
  );
  private readonly taskLoader = new Batcher<TaskLookup, FoundTaskRow | null>((tenantId, lookups) =>
    findTasks(this.database.appPool, tenantId, lookups),
  );

  private readonly historyLoader = new Batcher<{ tenantId: string; taskId: string }, ItemRow[]>((tenantId, keys) =>
    readMessages(
      this.database.appPool,
      tenantId,
      keys.map(({ taskId }) => taskId),
    ),
  );

  /** Durable when it returns. Repeating an id with a body that was already accepted returns the task unchanged. */
  async submit(
    principal: Principal,
    { externalId, configurationId, parts, messageId, contextId, as }: NewMessage,
  ): Promise<Submission> {
    const status = submittedStatus();
    const trace = traceHeaders();
    this.accepted += 1;
    const row = await this.store({
      tenantId: principal.tenantId,
      id: as?.id ?? newId(),
      ownerId: as?.ownerId ?? ownerOf(principal),
      externalId,
      configurationId,
      contextId: contextId ?? null,
      keyId: principal.keyId ?? ownerOf(principal),
      principal: toStoredPrincipal(principal),
      trace: Object.keys(trace).length ? trace : null,
      status,
      hash: sha256(canonicalJson([...parts.map(normalizePart), ...(messageId === undefined ? [] : [messageId])])),
      message: JSON.stringify({ parts, messageId }),
      actor: auditActorOf(principal),
      requestId: principal.requestId ?? null,
    });
    if (row.outcome === 'exists') {
      throw taskExists(`The task "${externalId}" already exists with another message and is ${row.status.state}.`);
    }
    if (row.outcome === 'created' || row.outcome === 'continued')
      this.publishStatus(row.task_id, row.number, row.status);
    return { id: externalId, taskId: row.task_id, status: row.status, number: row.number, outcome: row.outcome };
  }

  async get(principal: Principal, externalId: string): Promise<TaskView> {
    if (!isTaskId(externalId)) throw unknownTask(externalId);
    const { tenantId } = principal;
    const row = await this.taskLoader.submit({ tenantId, ownerId: ownerOf(principal), externalId });
    if (!row) throw unknownTask(externalId);
    const { task_id: taskId, number, context: contextId } = row;
    const { status, artifacts } = this.content.openRow(taskId, row);
    return { id: externalId, taskId, status, artifacts, number, contextId };
  }

  /** The newest `limit` messages of a task, including questions of the agent. */
  async history(principal: Principal, task: TaskView, limit: number): Promise<HistoryMessage[]> {
    const rows = await this.historyLoader.submit({ tenantId: principal.tenantId, taskId: task.taskId });
    const opened = rows.map((row) => this.content.openItem(task.taskId, row));
    const messages = opened.map(fromRow).flatMap((item): HistoryMessage[] => {
      if (item.kind === 'message') {
        const { parts, messageId } = item;
        return [{ role: 'user', parts: parts.map(normalizePart), ...(messageId === undefined ? {} : { messageId }) }];
      }
      if (item.kind === 'turn' && item.question !== undefined)
        return [{ role: 'agent', parts: [{ text: item.question }] }];
      return [];
    });
    return limit > 0 ? messages.slice(-limit) : [];
  }

  /** Newest first. */
  list(
    principal: Principal,
    { state, limit, cursor }: { state?: TaskState; limit: number; cursor?: string },
  ): Promise<TaskPage> {
    return this.database.tenant(principal, async (tx) => {
      const query = tx
        .createQueryBuilder(Task, 't')
        .where('t.tenantId = :tenantId and cast(t.ownerId as text) = :owner', {
          tenantId: principal.tenantId,
          owner: ownerOf(principal),
        })
        .orderBy('t.id', 'DESC')
        .take(limit + 1);
      if (state) query.andWhere('t.state = :state', { state });
      if (cursor) query.andWhere('t.id < :after', { after: decodeCursor(cursor, ['id'])[0] });
      const rows = await query.getMany();
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        tasks: shown.map((task) => ({
          id: task.externalId,
          taskId: task.id,
          status: this.content.openStatus(task.id, task.status),
        })),
        nextCursor: rows.length > limit && last ? encodeCursor([last.id]) : null,
      };
    });
  }

  /** Withdraws pending approvals. A call in progress is not interrupted; the ledger records its outcome. */
  async cancel(principal: Principal, externalId: string): Promise<TaskView> {
    const { taskId } = await this.get(principal, externalId);
    return { id: externalId, taskId, ...(await this.cancellation.cancel(principal, taskId, externalId)) };
  }

  /** Delivers every update after the number `after`, in order, until a terminal one. */
  follow(
    principal: Principal,
    task: TaskView | Submission,
    after: number,
    read: (update: TaskUpdate) => void,
  ): { close(): void } {
    const isNew = 'outcome' in task && task.outcome === 'created' && after === 0;
    const first = isNew ? { number: task.number, status: task.status, artifacts: null } : undefined;
    return this.feed.follow(principal.tenantId, task.taskId, Math.min(after, task.number), read, first);
  }

  /**
   * Stores new tasks in batches. A message that continues a task is sealed for that task and waits only for its row.
   */
  private async store(task: NewTask): Promise<StoredRow> {
    const sealed = this.sealTask(task);
    const row = task.continues
      ? (await submitTasks(this.database.appPool, task.tenantId, [sealed]))[0]
      : await this.submitting.submit(sealed);
    if (!row) return this.store(task);
    if (row.outcome === 'continuable') return this.store({ ...task, id: row.task_id, continues: true });
    return { ...row, status: this.content.openStatus(row.task_id, row.status) };
  }

  private sealTask(task: NewTask): NewTask {
    return { ...task, message: this.content.sealItem(task.id, { kind: 'message', body: task.message }).body };
  }

  private publishStatus(taskId: string, number: number, status: TaskStatus): void {
    this.metrics.tasks.inc({ state: status.state });
    this.feed.publish(taskId, [{ number, status, artifacts: null }]);
    if (!isTerminal(status.state)) this.wakeupChannel.publish(dueTopic, taskId);
  }
}

/** The part without its source text, so that equal values make equal bodies. */
function normalizePart(part: Part): Part {
  return 'data' in part ? { data: part.data } : part;
}
