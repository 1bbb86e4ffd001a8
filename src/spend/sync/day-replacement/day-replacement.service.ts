import { Injectable } from '@nestjs/common';
import type { BulkConnection } from '../../../platform/database/bulk-database.service.js';
import { databaseErrorOf } from '../../../platform/database/database-error.js';
import type { ParamsOf } from '../../../platform/database/statement.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { Day } from '../../../platform/time/day.js';
import { RollupsService } from '../../reports/rollups.service.js';
import { insertDayRevision, upsertCoverage, type Stream, lockStoredStreams } from '../coverage/coverage.sql.js';
import { requireLease, type FeedLease } from '../feeds/feed-lease.js';
import type { StagedDay } from '../staging/staged-day.js';
import {
  deduplicateUsage,
  deduplicateCharges,
  insertCharges,
  insertDays,
  replaceCharges,
  replaceDays,
  type ReplacedRows,
} from './day-replacement.sql.js';

/** One fetched stream of a day. */
export interface FetchedStream {
  staged: StagedDay;
  askedAt: Date;
  vendorTotal?: number;
  faultyRows: number;
  unknownFields: number;
  reason?: string;
}
export interface FetchedDay {
  day: Day;
  usage: FetchedStream;
  events: FetchedStream;
}
type ConnectionDayKey = [tenantId: string, connectionId: string, day: Day];
type ExtraWrite = (tx: Tx, isChanged: boolean) => Promise<void>;

/**
 * Replaces the stored data of a day with the fetched data: rows, coverage, history and rollups change in one
 * transaction, so readers never see a mix of old and new.
 */
@Injectable()
export class DayReplacementService {
  constructor(private readonly rollups: RollupsService) {}

  /** `extraWrite` runs in the same transaction. Returns whether anything of the day changed. */
  async replaceDay(
    connection: BulkConnection,
    lease: FeedLease,
    read: FetchedDay,
    extraWrite: ExtraWrite,
  ): Promise<boolean> {
    const attempt = () =>
      connection.tenant(lease.principal, async (tx) => {
        await requireLease(tx, lease);
        const isChanged = await this.replaceRows(tx, lease, read);
        await extraWrite(tx, isChanged);
        return isChanged;
      });
    try {
      return await attempt();
    } catch (error) {
      if (!isDuplicateRow(error)) throw error;
      await connection.execute(deduplicateUsage(read.day));
      await connection.execute(deduplicateCharges);
      return attempt();
    }
  }

  private async replaceRows(tx: Tx, lease: FeedLease, { day, usage, events }: FetchedDay): Promise<boolean> {
    const place: ConnectionDayKey = [lease.principal.tenantId, lease.connectionId, day];
    const stored = await tx.run(lockStoredStreams, place);
    const before = (stream: Stream) => stored.find((row) => row.stream === stream)?.checksum;
    const isUsageNew = !before('usage')?.equals(usage.staged.digest());
    const areEventsNew = !before('events')?.equals(events.staged.digest());
    let revision = Math.max(0, ...stored.map((row) => row.revision));
    let isChanged = false;
    if (isUsageNew || areEventsNew) {
      const swapped = revision ? await updateDay(tx, lease, day, areEventsNew) : await insertDay(tx, lease, day);
      isChanged = !revision || swapped.added + swapped.changed + swapped.removed > 0 || swapped.charges > 0;
      if (isChanged) {
        revision += 1;
        const { added, changed, removed, centsBefore, centsAfter } = swapped;
        await tx.execute(insertDayRevision, [...place, revision, added, changed, removed, centsBefore, centsAfter]);
        await this.rollups.updateDay(tx, lease.principal, { connectionId: lease.connectionId, day });
      }
    }
    await tx.execute(upsertCoverage, coverageParams(place, 'usage', revision, usage));
    await tx.execute(upsertCoverage, coverageParams(place, 'events', revision, events));
    return isChanged;
  }
}

const coverageParams = (
  place: ConnectionDayKey,
  stream: Stream,
  revision: number,
  { staged, askedAt, vendorTotal, faultyRows, unknownFields, reason }: FetchedStream,
): ParamsOf<typeof upsertCoverage> => [
  ...place,
  stream,
  revision,
  askedAt,
  staged.rows,
  vendorTotal ?? null,
  staged.digest(),
  faultyRows,
  unknownFields,
  reason ?? null,
];

type ReplacementResult = ReplacedRows & { charges: number };

async function insertDay(tx: Tx, lease: FeedLease, day: Day): Promise<ReplacementResult> {
  const { tenantId } = lease.principal;
  const [days] = await tx.run(insertDays(day), [tenantId, day]);
  await tx.execute(insertCharges, [tenantId, day]);
  return { ...days, charges: 0 };
}

async function updateDay(tx: Tx, lease: FeedLease, day: Day, areEventsNew: boolean): Promise<ReplacementResult> {
  const { tenantId } = lease.principal;
  const [days] = await tx.run(replaceDays(day), [tenantId, day, lease.connectionId]);
  if (!areEventsNew) return { ...days, charges: 0 };
  const [{ touched }] = await tx.run(replaceCharges, [tenantId, day, lease.connectionId]);
  return { ...days, charges: Number(touched) };
}

/** 23505: duplicate key; 21000: one INSERT … ON CONFLICT affects the same row twice. */
const isDuplicateRow = (error: unknown) => ['23505', '21000'].includes(databaseErrorOf(error)?.code ?? '');
