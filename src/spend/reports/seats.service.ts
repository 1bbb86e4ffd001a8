import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../platform/database/database.service.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, type Page, page } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import type { ShownIds } from '../people/shown-ids.js';
import { type Seen, Sight } from '../people/sight.service.js';
import { isDay, plusDays, today } from './calendar.js';
import { ReportReader } from './report-reader.service.js';
import { onlySeen } from './reports.service.js';
import type { SpendIdleSeat, SpendSeats } from './seat.entity.js';
import type { SpendIdleSeatsArgs, SpendSeatsArgs } from './seats.input.js';
import { countSeats, idleSeats } from './seats.sql.js';

type Row = SpendIdleSeat & { sorted: string; total: number };

/** What is paid for and not used. */
@Injectable()
export class Seats {
  constructor(
    private readonly database: Database,
    private readonly sight: Sight,
    private readonly reader: ReportReader,
  ) {}

  count(principal: Principal, { idleDays, connectionIds, groupIds }: SpendSeatsArgs): Promise<SpendSeats> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { slots } = await this.reader.bits(tx, tenantId);
      const asked = [tenantId, since(idleDays), connectionIds ?? null, groupIds ?? null];
      const [counted] = await tx.query<[SpendSeats]>(countSeats(slots), asked);
      return counted;
    });
  }

  idle(principal: Principal, args: SpendIdleSeatsArgs): Promise<Page<SpendIdleSeat>> {
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      const { groupIds = null } = onlySeen(args.groupIds ? { groupIds: args.groupIds } : {}, seen);
      const rows = await this.rows(tx, principal.tenantId, { ...args, groupIds: groupIds && [...groupIds] }, seen);
      const { idleDays, neverUsed } = args;
      await this.sight.recordRead(tx, principal, {
        report: 'spendIdleSeats',
        idleDays,
        neverUsed,
        ...(groupIds && { groupIds }),
      });
      const named = await this.named(tx, principal.tenantId, rows, seen);
      return page(named, args.first, rows[0]?.total ?? 0, ({ sorted, identityId }) => [sorted, String(identityId)]);
    });
  }

  private async rows(tx: EntityManager, tenantId: string, args: SpendIdleSeatsArgs, { ids }: Seen): Promise<Row[]> {
    const { idleDays, connectionIds, groupIds, first, neverUsed, after } = args;
    const { slots } = await this.reader.bits(tx, tenantId);
    const asked = [tenantId, since(idleDays), connectionIds ?? null, groupIds ?? null];
    return tx.query<Row[]>(idleSeats(slots), [...asked, first + 1, neverUsed, ...positionOf(after, ids)]);
  }

  private async named(tx: EntityManager, tenantId: string, rows: Row[], { ids }: Seen): Promise<Row[]> {
    const keyOf = ({ personId, identityId }: Row) => (personId ? `p${personId}` : `i${identityId}`);
    const names = await this.reader.namesOf(tx, { tenantId, by: 'person' }, rows.map(keyOf), ids.arePseudonyms);
    return rows.map((row) => ({
      ...row,
      name: names.get(keyOf(row)) ?? null,
      personId: row.personId && ids.person(row.personId),
      identityId: ids.identity(row.identityId),
    }));
  }
}

const since = (days: number) => plusDays(today(), 1 - days);

function positionOf(after: string | null | undefined, ids: ShownIds): [string, number] {
  if (!after) return ['0001-01-01', -1];
  const [month, identity] = decodeCursor(after, ['text', 'text']);
  if (isDay(month) && /^\d{1,10}$/.test(identity)) return [month, ids.identityOf(Number(identity))];
  throw invalidRequest('The cursor is not one of ours, or belongs to another list.');
}
