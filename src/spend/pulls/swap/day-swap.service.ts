import { Injectable } from '@nestjs/common';
import { QueryFailedError, type EntityManager } from 'typeorm';
import type { OwnConnection } from '../../../platform/database/own-connections.service.js';
import { Rollups } from '../../reports/rollups.service.js';
import type { Day } from '../../usage-row.js';
import { addRevision, coverDay, type Known, knownOfDay } from '../calendar/calendar.sql.js';
import { hold, type Lease } from '../feeds/lease.js';
import type { StagedDay } from '../staging/staged-row.js';
import {
  dedupe,
  dedupeCharges,
  insertCharges,
  insertDays,
  replaceCharges,
  replaceDays,
  type Swapped,
} from './swap.sql.js';

/** One stream of a day, as it was read. */
export interface ReadStream {
  staged: StagedDay;
  askedAt: Date;
  vendorTotal?: number;
  faultyRows: number;
  unknownFields: number;
  reason?: string;
}
export interface ReadDay {
  day: Day;
  usage: ReadStream;
  events: ReadStream;
}
type Also = (tx: EntityManager, isChanged: boolean) => Promise<void>;

/**
 * Puts what was read of a day into the place of what was known of it: rows, coverage, history and sums in one transaction, so
 * that a day is the old one or the new one, and never a mixture.
 */
@Injectable()
export class DaySwap {
  constructor(private readonly rollups: Rollups) {}

  /** `also` is part of the same transaction. True if anything of the day is another than before. */
  async swap(connection: OwnConnection, lease: Lease, read: ReadDay, also: Also): Promise<boolean> {
    const attempt = () =>
      connection.tenant(lease.principal, async (tx) => {
        await hold(tx, lease);
        const isChanged = await this.replace(tx, lease, read);
        await also(tx, isChanged);
        return isChanged;
      });
    try {
      return await attempt();
    } catch (error) {
      if (!isTwice(error)) throw error;
      await connection.client.query(`${dedupe(read.day)}; ${dedupeCharges}`);
      return attempt();
    }
  }

  private async replace(tx: EntityManager, lease: Lease, { day, usage, events }: ReadDay): Promise<boolean> {
    const place = [lease.principal.tenantId, lease.connectionId, day];
    const known = await tx.query<Known[]>(knownOfDay, place);
    const before = (stream: Known['stream']) => known.find((row) => row.stream === stream)?.checksum;
    const isUsageNew = !before('usage')?.equals(usage.staged.digest());
    const areEventsNew = !before('events')?.equals(events.staged.digest());
    let revision = Math.max(0, ...known.map((row) => row.revision));
    let isChanged = false;
    if (isUsageNew || areEventsNew) {
      const swapped = revision ? await replaced(tx, lease, day, areEventsNew) : await inserted(tx, lease, day);
      isChanged = !revision || swapped.added + swapped.changed + swapped.removed > 0 || swapped.charges > 0;
      if (isChanged) {
        revision += 1;
        const { added, changed, removed, centsBefore, centsAfter } = swapped;
        await tx.query(addRevision, [...place, revision, added, changed, removed, centsBefore, centsAfter]);
        await this.rollups.dayChanged(tx, lease.principal, { connectionId: lease.connectionId, day });
      }
    }
    await tx.query(coverDay, [...place, 'usage', revision, ...covered(usage)]);
    await tx.query(coverDay, [...place, 'events', revision, ...covered(events)]);
    return isChanged;
  }
}

const covered = ({ staged, askedAt, vendorTotal, faultyRows, unknownFields, reason }: ReadStream) => [
  askedAt,
  staged.rows,
  vendorTotal ?? null,
  staged.digest(),
  faultyRows,
  unknownFields,
  reason ?? null,
];

type Outcome = Swapped & { charges: number };

async function inserted(tx: EntityManager, lease: Lease, day: Day): Promise<Outcome> {
  const values = [lease.principal.tenantId, day];
  const [days] = await tx.query<Swapped[]>(insertDays(day), values);
  await tx.query(insertCharges, values);
  return { ...days, charges: 0 };
}

async function replaced(tx: EntityManager, lease: Lease, day: Day, areEventsNew: boolean): Promise<Outcome> {
  const values = [lease.principal.tenantId, day, lease.connectionId];
  const [days] = await tx.query<Swapped[]>(replaceDays(day), values);
  if (!areEventsNew) return { ...days, charges: 0 };
  const [{ touched }] = await tx.query<{ touched: string }[]>(replaceCharges, values);
  return { ...days, charges: Number(touched) };
}

/** 23505: a key twice; 21000: the same row twice in one INSERT … ON CONFLICT. */
const isTwice = (error: unknown) =>
  error instanceof QueryFailedError && ['23505', '21000'].includes((error.driverError as { code?: string }).code ?? '');
