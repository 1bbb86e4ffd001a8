import { Injectable } from '@nestjs/common';
import { AuditTail } from '../../audit/audit-tail.service.js';
import { firstIdAt, madeAt } from '../../platform/crypto/ids.js';
import { Outbox } from '../../platform/events/outbox.service.js';
import { kinds, type News, newsOfOutbox, newsOfRecord } from './kinds.js';

/** A row gets its id before its commit, by the clock of its machine: so far back may new rows turn up. */
const lateMs = 15_000;
/** Of one tenant in that time; whoever does more is told that everything is another than before. */
const rowsRead = 2000;

export interface Change {
  tenantId: string;
  news: News;
  at: number;
}

/**
 * What changes in the organizations, by the rows that every change leaves in its own transaction: in the audit log, or in the
 * outbox where it is no deed. Reading them costs two statements, however many look on.
 */
@Injectable()
export class Changes {
  private seen = new Set<string>();

  constructor(
    private readonly audit: AuditTail,
    private readonly outbox: Outbox,
  ) {}

  /** What this process has not been told before. */
  async next(tenantIds: readonly string[]): Promise<Change[]> {
    const since = firstIdAt(Date.now() - lateMs);
    const [records, messages] = await Promise.all([
      this.audit.since(tenantIds, since, rowsRead),
      this.outbox.since(tenantIds, since, rowsRead),
    ]);
    const changes = [...this.fresh(records, newsOfRecord), ...this.fresh(messages, newsOfOutbox)];
    this.seen = new Set([...records, ...messages].map(({ id }) => id));
    return [...changes, ...flooded(records), ...flooded(messages)].sort((one, other) => one.at - other.at);
  }

  private fresh<Row extends { tenantId: string; id: string }>(rows: Row[], newsOf: (row: Row) => News[]): Change[] {
    return rows
      .filter(({ id }) => !this.seen.has(id))
      .flatMap((row) => newsOf(row).map((news) => ({ tenantId: row.tenantId, news, at: madeAt(row.id) })));
  }
}

/** Rows of these tenants were left unread: any kind may be among them. */
function flooded(rows: { tenantId: string }[]): Change[] {
  const full = [...Map.groupBy(rows, ({ tenantId }) => tenantId)].filter(([, own]) => own.length === rowsRead);
  return full.flatMap(([tenantId]) => kinds.map((kind) => ({ tenantId, news: { kind, id: null }, at: Date.now() })));
}
