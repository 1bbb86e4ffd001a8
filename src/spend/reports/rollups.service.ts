import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import { type Day, monthOf, nextMonth } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import {
  type ConnectionDayParams,
  type ConnectionMonthParams,
  insertModelDay,
  insertUnitDay,
  insertUnitMonth,
  lockRollupsExclusive,
  lockRollupsShared,
  deleteModelDay,
  deleteUnitDay,
  deleteUnitMonth,
  upsertActiveDay,
  rewindTallyMark,
} from './rollups.sql.js';

/** One day of one connection: the unit of syncs and rollups. */
interface ConnectionDay {
  connectionId: string;
  day: Day;
}

/** Keeps rollups consistent with the stored days. */
@Injectable()
export class RollupsService {
  /** Call after replacing the rows of this day in `spend_days` and `spend_charges`, in the same transaction. */
  async updateDay(tx: Tx, principal: Principal, changed: ConnectionDay): Promise<void> {
    const { tenantId } = principal;
    const values: ConnectionDayParams = [tenantId, changed.connectionId, changed.day];
    await tx.execute(lockRollupsShared, [tenantId]);
    await this.updateUnitSums(tx, tenantId, changed);
    await tx.execute(upsertActiveDay, values);
    await tx.execute(rewindTallyMark, values);
  }

  /** Call if people moved and the day itself did not change. */
  async recalculateDay(tx: Tx, { tenantId }: Principal, unchanged: ConnectionDay): Promise<void> {
    await tx.execute(lockRollupsExclusive, [tenantId]);
    await this.updateUnitSums(tx, tenantId, unchanged);
  }

  private async updateUnitSums(tx: Tx, tenantId: string, { connectionId, day }: ConnectionDay): Promise<void> {
    const ofDay: ConnectionDayParams = [tenantId, connectionId, day];
    const ofMonth: ConnectionMonthParams = [tenantId, connectionId, monthOf(day), nextMonth(day)];
    for (const step of [deleteUnitDay, insertUnitDay]) await tx.execute(step, ofDay);
    for (const step of [deleteUnitMonth, insertUnitMonth]) await tx.execute(step, ofMonth);
    for (const step of [deleteModelDay, insertModelDay]) await tx.execute(step, ofDay);
  }
}
