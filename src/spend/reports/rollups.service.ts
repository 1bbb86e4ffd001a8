import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import { monthOf, nextMonth } from './calendar.js';
import {
  addModelDay,
  addUnitDay,
  addUnitMonth,
  alone,
  amongOthers,
  forgetModelDay,
  forgetUnitDay,
  forgetUnitMonth,
  markActive,
  unsettle,
} from './rollups.sql.js';

/** One connection's day: the unit in which vendors are read and sums are made. */
interface ConnectionDay {
  connectionId: string;
  day: Day;
}

/** Keeps what reports read as right as the days themselves. */
@Injectable()
export class Rollups {
  /** In the transaction that replaced this day's rows in `spend_days` and `spend_charges`, after it. */
  async dayChanged(tx: EntityManager, principal: Principal, changed: ConnectionDay): Promise<void> {
    const { tenantId } = principal;
    const asked = [tenantId, changed.connectionId, changed.day];
    await tx.query(amongOthers, [tenantId]);
    await this.sumUnits(tx, tenantId, changed);
    await tx.query(markActive, asked);
    await tx.query(unsettle, asked);
  }

  /** People moved, the day did not change. */
  async regroupDay(tx: EntityManager, { tenantId }: Principal, unchanged: ConnectionDay): Promise<void> {
    await tx.query(alone, [tenantId]);
    await this.sumUnits(tx, tenantId, unchanged);
  }

  private async sumUnits(tx: EntityManager, tenantId: string, { connectionId, day }: ConnectionDay): Promise<void> {
    const ofDay = [tenantId, connectionId, day];
    const ofMonth = [tenantId, connectionId, monthOf(day), nextMonth(day)];
    for (const step of [forgetUnitDay, addUnitDay]) await tx.query(step, ofDay);
    for (const step of [forgetUnitMonth, addUnitMonth]) await tx.query(step, ofMonth);
    for (const step of [forgetModelDay, addModelDay]) await tx.query(step, ofDay);
  }
}
