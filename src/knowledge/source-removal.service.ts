import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { deletePartitions } from './documents.sql.js';
import { IndexService } from './index.service.js';
import { SourceRostersService } from './permissions/source-rosters.service.js';
import { SourcePassesService } from './source-passes.service.js';
import { deleteDeliveries } from './webhooks/deliveries.sql.js';
import { Source } from './source.entity.js';
import { endRunOfRemoved, listStoredNames } from './sources.sql.js';

const erasuresPerTransaction = 50;

/** Deletes all data of a removed connection. */
@Injectable()
export class SourceRemovalService {
  constructor(
    private readonly database: DatabaseService,
    private readonly index: IndexService,
    private readonly quarantine: DocumentQuarantineService,
    private readonly passes: SourcePassesService,
    private readonly rosters: SourceRostersService,
  ) {}

  /** In small transactions. The source is deleted last, so that another process continues after an interruption. */
  async removeAll(principal: Principal, connectionId: string): Promise<void> {
    const { tenantId } = principal;
    // first, because runs in progress would store rows that are deleted before they are committed
    await this.database.tenant(principal, async (tx) => {
      await tx.execute(endRunOfRemoved, [tenantId, connectionId]);
      await this.rosters.endRun(tx, tenantId, connectionId);
    });
    for (;;) {
      const isEmpty = await this.database.tenant(principal, async (tx) => {
        const rows = await tx.run(listStoredNames, [tenantId, connectionId, '', erasuresPerTransaction]);
        for (const { external_id } of rows) await this.index.erase(tx, tenantId, connectionId, external_id);
        if (rows.length) return false;
        await this.quarantine.removeAll(tx, principal, connectionId);
        await this.passes.removeAll(tx, tenantId, connectionId);
        await this.rosters.removeAll(tx, tenantId, connectionId);
        await tx.execute(deleteDeliveries, [tenantId, connectionId]);
        await tx.execute(deletePartitions, [tenantId, connectionId]);
        await tx.delete(Source, { tenantId, connectionId });
        return true;
      });
      if (isEmpty) return;
    }
  }
}
