import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { ReadQueue } from '../platform/events/read-queue.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import { TaskContentService } from './task-content.service.js';
import { isTerminal, type TaskStatus } from './task.entity.js';
import { listTaskEventsAfter, type TaskEventRow } from './tasks.sql.js';

/** One numbered change of a task: a new status, or a chunk of an artifact with an unchanged status. */
export interface TaskUpdate {
  number: number;
  status: TaskStatus;
  /** With the completed status: all complete artifacts, including those already sent in chunks. */
  artifacts: Artifact[] | null;
  chunk?: ArtifactChunk | null;
}
type UpdateReader = (update: TaskUpdate) => void;

const taskEventsTopic = 'task.events';

/**
 * Delivers every change of a task, in order and without gaps, to its followers in this process. Events are read from
 * their table; a wake-up, or the tick of each second, only triggers a read. An event that this process wrote is
 * delivered directly if it has the next number.
 */
@Injectable()
export class TaskFeedService implements OnModuleInit {
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly reads = new ReadQueue<Follower>(
    (followers) => this.read(followers),
    (error) => this.log.warn({ err: error }, 'task events could not be read; retrying in a second'),
  );
  private isPublishing = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
    private readonly content: TaskContentService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(taskEventsTopic, (ids) => this.onWakeup(ids));
  }

  /**
   * Delivers events after the number `after`, and ends with a terminal state. `first` saves a query if the caller has
   * just written the only event.
   */
  follow(tenantId: string, taskId: string, after: number, read: UpdateReader, first?: TaskUpdate): { close(): void } {
    const follower = new Follower(tenantId, taskId, after, read);
    const others = this.followers.get(taskId) ?? new Set();
    this.followers.set(taskId, others.add(follower));
    if (first) this.deliver(follower, first);
    else this.reads.add([follower]);
    return { close: () => this.removeFollower(follower) };
  }

  /** Call after the commit that wrote the updates. */
  publish(taskId: string, updates: TaskUpdate[]): void {
    for (const follower of this.followers.get(taskId) ?? []) {
      for (const update of updates) this.deliver(follower, update);
    }
    this.isPublishing = true;
    this.wakeupChannel.publish(taskEventsTopic, taskId);
    this.isPublishing = false;
  }

  private onWakeup(ids: string[] | 'all'): void {
    if (this.isPublishing) return;
    const keys = ids === 'all' ? this.followers.keys() : ids;
    for (const id of keys) this.reads.add(this.followers.get(id) ?? []);
  }

  private async read(followers: Follower[]): Promise<void> {
    const byTenant = Map.groupBy(followers, ({ tenantId }) => tenantId);
    await Promise.all([...byTenant].map(([tenantId, own]) => this.readTenant(tenantId, own)));
  }

  private async readTenant(tenantId: string, followers: Follower[]): Promise<void> {
    const open = followers.filter((follower) => !follower.isClosed);
    if (!open.length) return;
    const from = new Map<string, number>();
    for (const { taskId, last } of open) from.set(taskId, Math.min(last, from.get(taskId) ?? last));
    const rows = await this.database.appPool.run(listTaskEventsAfter, [tenantId, [...from.keys()], [...from.values()]]);
    const byTask = Map.groupBy(open, ({ taskId }) => taskId);
    for (const [taskId, own] of Map.groupBy(rows, (row) => row.task_id))
      this.openAndDeliver(taskId, own, byTask.get(taskId)!);
  }

  /** An event that cannot be opened stops only the streams of its own task. */
  private openAndDeliver(taskId: string, rows: TaskEventRow[], followers: Follower[]): void {
    try {
      for (const row of rows) {
        const update = this.content.openRow(taskId, row);
        for (const follower of followers) this.deliver(follower, update);
      }
    } catch (error) {
      this.log.warn({ err: error, taskId }, 'task event could not be opened; retrying in a second');
    }
  }

  private deliver(follower: Follower, update: TaskUpdate): void {
    if (follower.isClosed || update.number <= follower.last) return;
    if (update.number > follower.last + 1) return this.reads.add([follower]);
    follower.last = update.number;
    if (isTerminal(update.status.state)) this.removeFollower(follower);
    follower.read(update);
  }

  private removeFollower(follower: Follower): void {
    follower.isClosed = true;
    this.reads.delete(follower);
    const others = this.followers.get(follower.taskId);
    others?.delete(follower);
    if (!others?.size) this.followers.delete(follower.taskId);
  }
}

class Follower {
  isClosed = false;

  constructor(
    readonly tenantId: string,
    readonly taskId: string,
    public last: number,
    readonly read: UpdateReader,
  ) {}
}
