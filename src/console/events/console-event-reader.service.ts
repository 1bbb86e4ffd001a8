import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTailService } from '../../audit/audit-tail.service.js';
import { ConnectionTenantsService } from '../../connections/connection-tenants.service.js';
import { firstIdAt, idTimestamp } from '../../platform/crypto/ids.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { TaskOwnersService } from '../../tasks/task-owners.service.js';
import { type ConsoleEvent, eventsOfOutboxRow, eventsOfAuditRecord } from './console-event.js';
import { type ConsoleEventKind, consoleEventKinds } from './console-event-kinds.js';

/** A row gets its time-based id before it commits, so new rows can appear with ids up to this old. */
const commitDelayMs = 15_000;
/** Rows per tenant in that time. Beyond it, the reader reports a change of every kind. */
const maxRowsRead = 2000;
/** Topics with connection ids that report progress during a sync, which leaves no row. */
const progressTopics = ['source', 'spend'] as const satisfies ConsoleEventKind[];

export interface TenantConsoleEvent {
  tenantId: string;
  event: ConsoleEvent;
  at: number;
}

/**
 * Reads changes in the organizations from the rows that each change writes in its own transaction: to the audit log, or
 * to the outbox if nobody caused it. The number of statements does not depend on the number of open consoles.
 */
@Injectable()
export class ConsoleEventReader implements OnModuleInit {
  private seenIds = new Set<string>();
  private readonly progress = new Map<ConsoleEventKind, Set<string>>(progressTopics.map((topic) => [topic, new Set()]));

  constructor(
    private readonly audit: AuditTailService,
    private readonly outbox: OutboxService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly connections: ConnectionTenantsService,
    private readonly tasks: TaskOwnersService,
  ) {}

  onModuleInit(): void {
    for (const [topic, ids] of this.progress)
      this.wakeupChannel.subscribe(topic, (woken) => woken !== 'all' && woken.forEach((id) => ids.add(id)));
  }

  /** Returns the events that this process has not read yet. */
  async readNext(tenantIds: readonly string[]): Promise<TenantConsoleEvent[]> {
    const since = firstIdAt(Date.now() - commitDelayMs);
    const [records, messages, progress] = await Promise.all([
      this.audit.listSince(tenantIds, since, maxRowsRead),
      this.outbox.listSince(tenantIds, since, maxRowsRead),
      this.readProgress(),
    ]);
    const changes = [
      ...this.unseenEvents(records, eventsOfAuditRecord),
      ...this.unseenEvents(messages, eventsOfOutboxRow),
    ];
    this.seenIds = new Set([...records, ...messages].map(({ id }) => id));
    const events = [
      ...(await this.withOwners(changes)),
      ...progress,
      ...overflowEvents(records),
      ...overflowEvents(messages),
    ];
    return events.sort((one, other) => one.at - other.at);
  }

  private unseenEvents<Row extends { tenantId: string; id: string }>(
    rows: Row[],
    eventsOf: (row: Row) => ConsoleEvent[],
  ): TenantConsoleEvent[] {
    return rows
      .filter(({ id }) => !this.seenIds.has(id))
      .flatMap((row) => eventsOf(row).map((event) => ({ tenantId: row.tenantId, event, at: idTimestamp(row.id) })));
  }

  /** Adds the owner of a task, who receives its events regardless of permissions. */
  private async withOwners(changes: TenantConsoleEvent[]): Promise<TenantConsoleEvent[]> {
    const tasks = changes.flatMap(({ tenantId, event: { kind, id } }) =>
      kind === 'task' && id ? [{ tenantId, id }] : [],
    );
    const owners = await this.tasks.findMembers(tasks);
    return changes.map((change) => {
      const { kind, id } = change.event;
      const memberId = kind === 'task' && id ? owners.get(id) : undefined;
      return memberId ? { ...change, event: { kind, id, memberId } } : change;
    });
  }

  private async readProgress(): Promise<TenantConsoleEvent[]> {
    const progressEvents = [...this.progress].flatMap(([kind, ids]) =>
      [...ids].map((id): ConsoleEvent => ({ kind, id })),
    );
    for (const ids of this.progress.values()) ids.clear();
    const tenants = await this.connections.findByConnectionIds(progressEvents.map(({ id }) => id!));
    return progressEvents.flatMap((event) => {
      const tenantId = tenants.get(event.id!);
      return tenantId ? [{ tenantId, event, at: Date.now() }] : [];
    });
  }
}

/** For tenants with unread rows, which may be of any kind. */
function overflowEvents(rows: { tenantId: string }[]): TenantConsoleEvent[] {
  const full = [...Map.groupBy(rows, ({ tenantId }) => tenantId)].filter(([, own]) => own.length === maxRowsRead);
  return full.flatMap(([tenantId]) =>
    consoleEventKinds.map((kind) => ({ tenantId, event: { kind, id: null }, at: Date.now() })),
  );
}
