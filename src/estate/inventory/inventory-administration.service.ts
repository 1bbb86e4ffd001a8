import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import type { Principal } from '../../principal/principal.js';
import { scanJob, scanKey } from '../folders/folder-scan.service.js';
import { IntakeService } from '../intake/intake.service.js';
import { releaseDevice } from '../intake/sources.sql.js';
import { notAFolder, notQuarantined } from './inventory.error.js';
import { InventoryService } from './inventory.service.js';
import { releaseFile, scheduleScanNow } from './inventory.sql.js';
import type { InventoryFile, InventorySource } from './inventory-rows.js';

/** What administrators request of the inventory: scans, retries, and the removal or release of devices. */
@Injectable()
export class InventoryAdministrationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly queue: QueueService,
    private readonly intake: IntakeService,
    private readonly inventory: InventoryService,
  ) {}

  /** Scans a folder now, or right after the current scan. */
  requestScan(principal: Principal, id: string): Promise<InventorySource> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const source = await this.inventory.getSource(tx, principal, id);
      const scheduled = await tx.one(scheduleScanNow, [tenantId, id]);
      if (!scheduled) throw notAFolder('This is not a connected folder.');
      await this.queue.add(tx, scanJob, { tenantId, sourceId: id }, { key: scanKey(id), maxAttempts: 1 });
      await this.record(tx, principal, 'estate.scan_requested', source);
      return source;
    });
  }

  /**
   * Releases a file from quarantine. It is read with the next upload of its device, or now if its folder can be
   * scanned.
   */
  retryFile(principal: Principal, id: string): Promise<InventoryFile> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const file = await this.inventory.getFile(tx, principal, id);
      const released = await tx.one(releaseFile, [tenantId, id]);
      if (!released) throw notQuarantined('This file is not quarantined.');
      const source = await this.inventory.getSource(tx, principal, file.sourceId);
      if (source.kind === 'folder') {
        await tx.execute(scheduleScanNow, [tenantId, source.id]);
        const payload = { tenantId, sourceId: source.id };
        await this.queue.add(tx, scanJob, payload, { key: scanKey(source.id), maxAttempts: 1 });
      }
      await this.audit.record(tx, principal, {
        kind: 'estate.file_retried',
        subject: { type: 'estate_file', id, name: file.path },
        detail: { digest: released.digest },
      });
      return this.inventory.getFile(tx, principal, id);
    });
  }

  /** Marks all files of a device as gone. If the device uploads again, they reappear. */
  forgetDevice(principal: Principal, id: string): Promise<InventorySource> {
    return this.database.tenant(principal, async (tx) => {
      const source = await this.inventory.getSource(tx, principal, id);
      if (source.kind !== 'device') throw notAFolder('To remove a folder, remove its integration.');
      const gone = await this.intake.markMissing(tx, principal, id, []);
      await this.record(tx, principal, 'estate.device_forgotten', source, { gone });
      return this.inventory.getSource(tx, principal, id);
    });
  }

  /** The next upload binds the device to its key and secret. The inventory remains. */
  async releaseDevice(principal: Principal, id: string): Promise<InventorySource> {
    const { tenantId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const source = await this.inventory.getSource(tx, principal, id);
      if (source.kind !== 'device') throw notAFolder('Only devices are bound to a key.');
      await tx.execute(releaseDevice, [tenantId, id]);
      await this.record(tx, principal, 'estate.device_released', source, { keyId: source.keyId });
      return this.inventory.getSource(tx, principal, id);
    });
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: InventorySource,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'estate_source', id, name }, detail });
  }
}
