import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import { BulkDatabaseService } from '../../platform/database/bulk-database.service.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { type Day, today } from '../../platform/time/day.js';
import { systemPrincipal } from '../../principal/principal.js';
import { tallyDayAfter, tallyDayOnOrBefore } from './day-range.js';
import { RollupsService } from './rollups.service.js';
import { lockRollupsExclusive } from './rollups.sql.js';
import {
  insertTally,
  insertUnitDays,
  insertUnitModels,
  insertUnitMonths,
  listActiveDays,
  deleteTally,
  deleteUnitSums,
  deleteUnitModels,
  deleteStaleUnit,
  advanceTallyMark,
  listStaleUnits,
  tryLockTallies,
  listTallyMarks,
  type StaleUnit,
  type TallyMark,
} from './rollup-maintenance.sql.js';
import { tenantsWithOutdatedRollups } from './rollup-maintenance.system.sql.js';

type TenantRef = { tenantId: string };

/** Reading single identities costs more per row than reading whole days. Above this number, whole days are cheaper. */
const maxIdentitiesPerUnitUpdate = 500;

/**
 * Updates rollups in the background after changes: tallies of people, and sums of units that people joined or left.
 * Until then, reports read more rows and return the same result.
 */
@Injectable()
export class RollupMaintenanceService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly bulk: BulkDatabaseService,
    private readonly queue: QueueService,
    private readonly rollups: RollupsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle('spend.settle', ({ tenantId }) => this.maintain({ tenantId: String(tenantId) }));
    this.queue.every('spend.settle', 15, () => this.enqueueOutdated());
  }

  async maintain(tenant: TenantRef): Promise<void> {
    await this.updateTallies(tenant);
    await this.recalculateStaleUnits(tenant);
  }

  private async enqueueOutdated(): Promise<void> {
    const last = tallyDayOnOrBefore(today());
    const tenants = await this.database.system('spend: tenants with outdated rollups', (tx) =>
      tx.run(tenantsWithOutdatedRollups, [last]),
    );
    for (const { tenantId } of tenants)
      await this.database.tenant({ tenantId }, (tx) =>
        this.queue.add(tx, 'spend.settle', { tenantId }, { key: `spend.settle:${tenantId}` }),
      );
  }

  private async updateTallies(tenant: TenantRef): Promise<void> {
    const last = tallyDayOnOrBefore(today());
    const marks = await this.database.tenant(tenant, (tx) => tx.run(listTallyMarks, [tenant.tenantId, last]));
    for (const mark of marks) {
      let settled = mark.settledDay ?? mark.firstDay;
      for (; settled !== null && settled < last; settled = await this.addNextTally(tenant, mark, settled));
    }
  }

  /** Adds one tally per transaction and returns its day. Null if a day changed meanwhile or another process adds it. */
  private addNextTally(
    { tenantId }: TenantRef,
    { connectionId, version }: TallyMark,
    settled: Day,
  ): Promise<Day | null> {
    const next = tallyDayAfter(settled);
    return this.bulk.tenant({ tenantId }, async (tx) => {
      const [{ isAlone }] = await tx.run(tryLockTallies, [tenantId, connectionId]);
      if (!isAlone) return null;
      await tx.execute(deleteTally, [tenantId, connectionId, next]);
      await tx.execute(insertTally, [tenantId, connectionId, next, tallyDayOnOrBefore(settled)]);
      const isAdvanced = await tx.execute(advanceTallyMark, [tenantId, connectionId, next, version]);
      return isAdvanced ? next : null;
    });
  }

  private async recalculateStaleUnits(tenant: TenantRef): Promise<void> {
    const { tenantId } = tenant;
    const stale = await this.database.tenant(tenant, (tx) => tx.run(listStaleUnits, [tenantId]));
    const identities = stale.reduce((sum, unit) => sum + unit.identities, 0);
    if (identities <= maxIdentitiesPerUnitUpdate) for (const unit of stale) await this.recalculateUnit(tenant, unit);
    else await this.recalculateAllUnits(tenant, stale);
  }

  private recalculateUnit({ tenantId }: TenantRef, { scope, unitId, version }: StaleUnit): Promise<void> {
    const unit: [string, number, string] = [tenantId, scope, unitId];
    return this.database.tenant({ tenantId }, async (tx) => {
      await tx.execute(lockRollupsExclusive, [tenantId]);
      for (const step of [deleteUnitSums, insertUnitDays, insertUnitMonths, deleteUnitModels, insertUnitModels])
        await tx.execute(step, unit);
      await tx.execute(deleteStaleUnit, [...unit, version]);
    });
  }

  private async recalculateAllUnits(tenant: TenantRef, stale: StaleUnit[]): Promise<void> {
    const { tenantId } = tenant;
    const days = await this.database.tenant(tenant, (tx) => tx.run(listActiveDays, [tenantId]));
    const principal = systemPrincipal(tenantId, 'spend');
    for (const day of days) await this.bulk.tenant(tenant, (tx) => this.rollups.recalculateDay(tx, principal, day));
    await this.database.tenant(tenant, async (tx) => {
      for (const { scope, unitId, version } of stale)
        await tx.execute(deleteStaleUnit, [tenantId, scope, unitId, version]);
    });
  }
}
