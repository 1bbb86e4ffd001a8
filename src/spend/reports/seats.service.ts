import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, type Page, toPage } from '../../platform/graphql/connection.js';
import { isDay, plusDays, today } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../../people/people-visibility.service.js';
import { ReportQueryService } from './report-query.service.js';
import { identityIdsOf } from './report-subjects.js';
import { restrictToVisible } from './reports.service.js';
import type { SpendIdleSeat, SpendSeats } from './seat.entity.js';
import type { SpendIdleSeatsArgs, SpendSeatsArgs } from './seats.input.js';
import { countSeats, type IdleSeatRow, idleSeats } from './seats.sql.js';

/** Paid seats that are not used. */
@Injectable()
export class SeatsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly peopleVisibility: PeopleVisibilityService,
    private readonly queries: ReportQueryService,
  ) {}

  count(principal: Principal, { idleDays, connectionIds, groupIds }: SpendSeatsArgs): Promise<SpendSeats> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { slots } = await this.queries.activitySlots(tx, tenantId);
      const [counted] = await tx.run(countSeats, [
        tenantId,
        idleSince(idleDays),
        connectionIds ?? null,
        groupIds ?? null,
        slots,
      ]);
      return counted;
    });
  }

  listIdle(principal: Principal, args: SpendIdleSeatsArgs): Promise<Page<SpendIdleSeat>> {
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const { groupIds = null } = restrictToVisible(args.groupIds ? { groupIds: args.groupIds } : {}, visibility);
      const rows = await this.loadIdle(
        tx,
        principal.tenantId,
        { ...args, groupIds: groupIds && [...groupIds] },
        visibility,
      );
      const { idleDays, neverUsed } = args;
      await this.peopleVisibility.recordRead(tx, principal, {
        report: 'spendIdleSeats',
        idleDays,
        neverUsed,
        ...(groupIds && { groupIds }),
      });
      return toPage(rows, args.first, rows[0]?.total ?? 0, ({ sorted, identityId }) => [sorted, identityId]);
    });
  }

  private async loadIdle(
    tx: Tx,
    tenantId: string,
    args: SpendIdleSeatsArgs,
    { pseudonyms }: PeopleVisibility,
  ): Promise<IdleSeatRow[]> {
    const { idleDays, connectionIds, groupIds, first, neverUsed, after } = args;
    const { slots } = await this.queries.activitySlots(tx, tenantId);
    return tx.run(idleSeats, [
      tenantId,
      idleSince(idleDays),
      connectionIds ?? null,
      groupIds ?? null,
      slots,
      first + 1,
      neverUsed,
      ...(await seatPositionOf(tx, tenantId, after, pseudonyms)),
      pseudonyms,
    ]);
  }
}

const idleSince = (days: number) => plusDays(today(), 1 - days);

/** Sorts never used seats first. */
const neverUsedDay = '0001-01-01';

async function seatPositionOf(
  tx: Tx,
  tenantId: string,
  after: string | null | undefined,
  pseudonyms: boolean,
): Promise<[string, number]> {
  if (!after) return [neverUsedDay, -1];
  const [month, shown] = decodeCursor(after, ['text', 'text']);
  const [identity] =
    isDay(month) || month === neverUsedDay ? await identityIdsOf(tx, tenantId, [shown], pseudonyms) : [];
  if (identity === undefined) throw invalidRequest('The cursor is invalid or belongs to another list.');
  return [month, identity];
}
