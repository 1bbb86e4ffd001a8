import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import {
  addModelDay,
  addUnitDay,
  addUnitMonth,
  amongOthers,
  forgetModelDay,
  forgetUnitDay,
  forgetUnitMonth,
  giveSlots,
  hasNewcomers,
  markActive,
  unsettle,
} from './rollups.sql.js';

/** Keeps what reports read as right as the days themselves. */
@Injectable()
export class Rollups {
  /** In the transaction that replaced this day's rows in `spend_days` and `spend_charges`, after it. */
  async dayChanged(
    tx: EntityManager,
    { tenantId }: Principal,
    { connectionId, day }: { connectionId: string; day: Day },
  ): Promise<void> {
    const asked = [tenantId, connectionId, day];
    await tx.query(amongOthers, [tenantId]);
    await tx.query(forgetUnitDay, asked);
    await tx.query(addUnitDay, asked);
    await tx.query(forgetUnitMonth, asked);
    await tx.query(addUnitMonth, asked);
    await tx.query(forgetModelDay, asked);
    await tx.query(addModelDay, asked);
    const [{ hasNewcomers: isNew }] = (await tx.query(hasNewcomers, asked)) as [{ hasNewcomers: boolean }];
    if (isNew) await tx.query(giveSlots, [tenantId, connectionId]);
    await tx.query(markActive, asked);
    await tx.query(unsettle, asked);
  }
}
