import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.service.js';
import { OwnConnections } from '../../platform/database/own-connections.service.js';
import { Queue } from '../../platform/queue/queue.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import { tallyDayAfter, tallyDayOnOrBefore, today } from './calendar.js';
import { Rollups } from './rollups.service.js';
import { alone } from './rollups.sql.js';
import {
  addTally,
  addUnitDays,
  addUnitModels,
  addUnitMonths,
  everyDay,
  forgetTally,
  forgetUnit,
  forgetUnitModels,
  noLongerStale,
  settleAt,
  staleUnits,
  tallyAlone,
  tallyMarks,
} from './settling.sql.js';
import { tenantsBehind } from './settling.system.sql.js';

interface Mark {
  connectionId: string;
  settledDay: Day | null;
  version: string;
  firstDay: Day | null;
}
interface StaleUnit {
  scope: number;
  unitId: string;
  version: string;
  identities: number;
}
type Tenant = { tenantId: string };

/** Reading one person's days costs about what reading this many of a whole day at once does. */
const singly = 500;

/**
 * Makes what lets reports be fast, behind the changes: tallies of people, and sums of units that people moved in or out of.
 * Until it has, reports read more rows and say the same.
 */
@Injectable()
export class Settling implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly bulk: OwnConnections,
    private readonly queue: Queue,
    private readonly rollups: Rollups,
  ) {}

  onModuleInit(): void {
    this.queue.handle('spend.settle', ({ tenantId }) => this.settle({ tenantId: String(tenantId) }));
    this.queue.every('spend.settle', 15, () => this.settleThoseBehind());
  }

  async settle(tenant: Tenant): Promise<void> {
    await this.tally(tenant);
    await this.regroup(tenant);
  }

  private async settleThoseBehind(): Promise<void> {
    const last = tallyDayOnOrBefore(today());
    const behind = await this.database.system('spend: whose sums are behind', (tx) => tenantsBehind(tx, last));
    for (const tenantId of behind)
      await this.database.tenant({ tenantId }, (tx) =>
        this.queue.add(tx, 'spend.settle', { tenantId }, { key: `spend.settle:${tenantId}` }),
      );
  }

  private async tally(tenant: Tenant): Promise<void> {
    const last = tallyDayOnOrBefore(today());
    const marks = await this.database.tenant(tenant, (tx) => tx.query<Mark[]>(tallyMarks, [tenant.tenantId, last]));
    for (const mark of marks) {
      let settled = mark.settledDay ?? mark.firstDay;
      for (; settled !== null && settled < last; settled = await this.tallyNext(tenant, mark, settled));
    }
  }

  /** One tally a transaction. The day it was made for; null where a day changed under it, or somebody else makes it. */
  private tallyNext({ tenantId }: Tenant, { connectionId, version }: Mark, settled: Day): Promise<Day | null> {
    const next = tallyDayAfter(settled);
    return this.bulk.tenant({ tenantId }, async (tx) => {
      const [{ isAlone }] = await tx.query<{ isAlone: boolean }[]>(tallyAlone, [tenantId, connectionId]);
      if (!isAlone) return null;
      await tx.query(forgetTally, [tenantId, connectionId, next]);
      await tx.query(addTally, [tenantId, connectionId, next, tallyDayOnOrBefore(settled)]);
      const [done] = await tx.query<[unknown[], number]>(settleAt, [tenantId, connectionId, next, version]);
      return done.length ? next : null;
    });
  }

  private async regroup(tenant: Tenant): Promise<void> {
    const { tenantId } = tenant;
    const stale = await this.database.tenant(tenant, (tx) => tx.query<StaleUnit[]>(staleUnits, [tenantId]));
    const identities = stale.reduce((sum, unit) => sum + unit.identities, 0);
    if (identities <= singly) for (const unit of stale) await this.regroupUnit(tenant, unit);
    else await this.regroupAll(tenant, stale);
  }

  private regroupUnit({ tenantId }: Tenant, { scope, unitId, version }: StaleUnit): Promise<void> {
    const unit = [tenantId, scope, unitId];
    return this.database.tenant({ tenantId }, async (tx) => {
      await tx.query(alone, [tenantId]);
      for (const step of [forgetUnit, addUnitDays, addUnitMonths, forgetUnitModels, addUnitModels])
        await tx.query(step, unit);
      await tx.query(noLongerStale, [...unit, version]);
    });
  }

  private async regroupAll(tenant: Tenant, stale: StaleUnit[]): Promise<void> {
    const { tenantId } = tenant;
    type OneDay = { connectionId: string; day: Day };
    const days = await this.database.tenant(tenant, (tx) => tx.query<OneDay[]>(everyDay, [tenantId]));
    const principal = systemPrincipal(tenantId, 'spend');
    for (const day of days) await this.bulk.tenant(tenant, (tx) => this.rollups.regroupDay(tx, principal, day));
    await this.database.tenant(tenant, async (tx) => {
      for (const { scope, unitId, version } of stale) await tx.query(noLongerStale, [tenantId, scope, unitId, version]);
    });
  }
}
