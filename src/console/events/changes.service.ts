import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTail } from '../../audit/audit-tail.service.js';
import { ConnectionTenants } from '../../connections/connection-tenants.service.js';
import { firstIdAt, madeAt } from '../../platform/crypto/ids.js';
import { Outbox } from '../../platform/events/outbox.service.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { TaskOwners } from '../../tasks/task-owners.service.js';
import { type Kind, kinds, type News, newsOfOutbox, newsOfRecord } from './kinds.js';

/** A row gets its id before its commit, by the clock of its machine: so far back may new rows turn up. */
const lateMs = 15_000;
/** Of one tenant in that time; whoever does more is told that everything is another than before. */
const rowsRead = 2000;
/** Topics that wake with the ids of connections while something is read from them, which nobody records. */
const progressTopics = ['source', 'spend'] as const satisfies Kind[];

export interface Change {
  tenantId: string;
  news: News;
  at: number;
}

/**
 * What changes in the organizations, by the rows that every change leaves in its own transaction: in the audit log, or in the
 * outbox where it is no deed. Reading them costs a few statements, however many look on.
 */
@Injectable()
export class Changes implements OnModuleInit {
  private seen = new Set<string>();
  private readonly progress = new Map<Kind, Set<string>>(progressTopics.map((topic) => [topic, new Set()]));

  constructor(
    private readonly audit: AuditTail,
    private readonly outbox: Outbox,
    private readonly wakes: Wakes,
    private readonly connections: ConnectionTenants,
    private readonly tasks: TaskOwners,
  ) {}

  onModuleInit(): void {
    for (const [topic, ids] of this.progress)
      this.wakes.on(topic, (woken) => woken !== 'all' && woken.forEach((id) => ids.add(id)));
  }

  /** What this process has not been told before. */
  async next(tenantIds: readonly string[]): Promise<Change[]> {
    const since = firstIdAt(Date.now() - lateMs);
    const [records, messages, progress] = await Promise.all([
      this.audit.since(tenantIds, since, rowsRead),
      this.outbox.since(tenantIds, since, rowsRead),
      this.madeProgress(),
    ]);
    const changes = [...this.fresh(records, newsOfRecord), ...this.fresh(messages, newsOfOutbox)];
    this.seen = new Set([...records, ...messages].map(({ id }) => id));
    const told = [...(await this.owned(changes)), ...progress, ...flooded(records), ...flooded(messages)];
    return told.sort((one, other) => one.at - other.at);
  }

  private fresh<Row extends { tenantId: string; id: string }>(rows: Row[], newsOf: (row: Row) => News[]): Change[] {
    return rows
      .filter(({ id }) => !this.seen.has(id))
      .flatMap((row) => newsOf(row).map((news) => ({ tenantId: row.tenantId, news, at: madeAt(row.id) })));
  }

  /** With whose own a task is: they hear of it, whatever they may see besides. */
  private async owned(changes: Change[]): Promise<Change[]> {
    const tasks = changes.flatMap(({ tenantId, news: { kind, id } }) =>
      kind === 'task' && id ? [{ tenantId, id }] : [],
    );
    const owners = await this.tasks.of(tasks);
    return changes.map((change) => {
      const { kind, id } = change.news;
      const memberId = kind === 'task' && id ? owners.get(id) : undefined;
      return memberId ? { ...change, news: { kind, id, memberId } } : change;
    });
  }

  private async madeProgress(): Promise<Change[]> {
    const woken = [...this.progress].flatMap(([kind, ids]) => [...ids].map((id): News => ({ kind, id })));
    for (const ids of this.progress.values()) ids.clear();
    const tenants = await this.connections.of(woken.map(({ id }) => id!));
    return woken.flatMap((news) => {
      const tenantId = tenants.get(news.id!);
      return tenantId ? [{ tenantId, news, at: Date.now() }] : [];
    });
  }
}

/** Rows of these tenants were left unread: any kind may be among them. */
function flooded(rows: { tenantId: string }[]): Change[] {
  const full = [...Map.groupBy(rows, ({ tenantId }) => tenantId)].filter(([, own]) => own.length === rowsRead);
  return full.flatMap(([tenantId]) => kinds.map((kind) => ({ tenantId, news: { kind, id: null }, at: Date.now() })));
}
