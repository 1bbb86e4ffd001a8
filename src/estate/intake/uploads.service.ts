import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { derivedId } from '../../platform/crypto/ids.js';
import { Database } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import type { Taken } from './found-file.js';
import { Intake } from './intake.service.js';
import { deviceKnown, deviceSeen } from './sources.sql.js';
import type { Upload } from './upload.js';

export interface Uploaded extends Taken {
  /** Collected before what is known already; nothing was changed by it. */
  isStale: boolean;
  /** Files that were not taken in, by their number among those sent. */
  skipped: { index: number; reason: string }[];
}

/** What devices upload. The same upload twice changes nothing. */
@Injectable()
export class EstateUploads {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly intake: Intake,
  ) {}

  /** One upload of a device after the other; what a complete one does not have is gone. */
  take(principal: Principal, upload: Upload): Promise<Uploaded> {
    return this.database.tenant(principal, async (tx) => {
      const source = await lockDevice(tx, principal, upload);
      if (source.collectedAt && upload.collectedAt && upload.collectedAt < source.collectedAt)
        return { isStale: true, added: 0, changed: 0, unchanged: 0, gone: 0, skipped: [] };
      const { metIds, skipped, ...taken } = await this.intake.take(tx, principal, source.id, upload.files);
      const gone = upload.isComplete ? await this.intake.withdraw(tx, principal, source.id, metIds) : 0;
      const { tenantId } = principal;
      const { platform, ownerEmail, collectedAt, isComplete } = upload;
      await tx.query(deviceSeen, [tenantId, source.id, platform, ownerEmail, collectedAt, isComplete]);
      if (taken.added || taken.changed || gone)
        await this.audit.record(tx, principal, {
          kind: 'estate.uploaded',
          subject: { type: 'estate_source', id: source.id, name: upload.device },
          detail: { added: taken.added, changed: taken.changed, gone },
        });
      return { isStale: false, ...taken, gone, skipped };
    });
  }
}

async function lockDevice(tx: EntityManager, { tenantId }: Principal, { device }: Upload) {
  const key = device.normalize('NFC').toLowerCase();
  const values = [tenantId, derivedId(tenantId, 'device', key), key, device];
  const [source] = await tx.query<{ id: string; collectedAt: Date | null }[]>(deviceKnown, values);
  return source;
}
