import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import { monthOf, nextMonth } from './day-range.js';
import {
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

/** One connection's day: the unit in which vendors are read and sums are made. */
interface ConnectionDay {
  connectionId: string;
  day: Day;
}

/** Keeps what reports read as right as the days themselves. */
@Injectable()
export class RollupsService {
  /** In the transaction that replaced this day's rows in `spend_days` and `spend_charges`, after it. */
  async updateDay(tx: EntityManager, principal: Principal, changed: ConnectionDay): Promise<void> {
    const { tenantId } = principal;
    const values = [tenantId, changed.connectionId, changed.day];
    await tx.query(lockRollupsShared, [tenantId]);
    await this.updateUnitSums(tx, tenantId, changed);
    await tx.query(upsertActiveDay, values);
    await tx.query(rewindTallyMark, values);
  }

  /** People moved, the day did not change. */
  async recalculateDay(tx: EntityManager, { tenantId }: Principal, unchanged: ConnectionDay): Promise<void> {
    await tx.query(lockRollupsExclusive, [tenantId]);
    await this.updateUnitSums(tx, tenantId, unchanged);
  }

  private async updateUnitSums(
    tx: EntityManager,
    tenantId: string,
    { connectionId, day }: ConnectionDay,
  ): Promise<void> {
    const ofDay = [tenantId, connectionId, day];
    const ofMonth = [tenantId, connectionId, monthOf(day), nextMonth(day)];
    for (const step of [deleteUnitDay, insertUnitDay]) await tx.query(step, ofDay);
    for (const step of [deleteUnitMonth, insertUnitMonth]) await tx.query(step, ofMonth);
    for (const step of [deleteModelDay, insertModelDay]) await tx.query(step, ofDay);
  }
}
