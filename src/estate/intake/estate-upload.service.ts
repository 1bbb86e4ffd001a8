import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { derivedId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { overloaded } from '../../platform/errors/general.error.js';
import { IsolationError } from '../../platform/isolation/isolation.error.js';
import type { Principal } from '../../principal/principal.js';
import { bindOrRefuseDevice } from './device-binding.js';
import type { IntakeCounts } from './collected-file.js';
import { IntakeService, type ParsedFiles } from './intake.service.js';
import { upsertDevice, recordDeviceUpload } from './sources.sql.js';
import type { Upload } from './upload.js';

export interface UploadResult extends IntakeCounts {
  /** Collected before the stored upload; nothing was changed. */
  isStale: boolean;
  /** Files that were not stored, by their index in the upload. */
  skipped: { index: number; reason: string }[];
}

const retryLater = { headers: { 'Retry-After': '5' } };

/** Handles uploads from devices. Repeating an upload changes nothing. */
@Injectable()
export class EstateUploadService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly intake: IntakeService,
  ) {}

  /** Uploads of one device are serialized. Files missing from a complete upload are marked as gone. */
  async ingest(principal: Principal, upload: Upload, secret: string | null): Promise<UploadResult> {
    const { id } = await this.database.tenant(principal, (tx) => lockOwnDevice(tx, principal, upload, secret));
    return this.intake
      .parseAndStore(principal, id, upload.files, (files) => this.store(principal, upload, secret, files))
      .catch((error: unknown) => {
        if (error instanceof IsolationError) throw overloaded('Too many files are waiting to be read.', retryLater);
        throw error;
      });
  }

  private store(
    principal: Principal,
    upload: Upload,
    secret: string | null,
    files: ParsedFiles,
  ): Promise<UploadResult> {
    return this.database.tenant(principal, async (tx) => {
      const source = await lockOwnDevice(tx, principal, upload, secret);
      if (source.collectedAt && upload.collectedAt && upload.collectedAt < source.collectedAt)
        return { isStale: true, added: 0, changed: 0, unchanged: 0, gone: 0, skipped: [] };
      const { metIds, skipped, ...taken } = await this.intake.storeFiles(tx, principal, files);
      const gone = upload.isComplete ? await this.intake.markMissing(tx, principal, source.id, metIds) : 0;
      const { tenantId } = principal;
      const { platform, ownerEmail, collectedAt, isComplete } = upload;
      await tx.execute(recordDeviceUpload, [tenantId, source.id, platform, ownerEmail, collectedAt, isComplete]);
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

/**
 * Locks the device, so that its uploads are serialized. Rejects uploads with another key or secret before files are
 * read.
 */
async function lockOwnDevice(tx: Tx, principal: Principal, { device }: Upload, secret: string | null) {
  const { tenantId } = principal;
  const key = device.normalize('NFC').toLowerCase();
  const [source] = await tx.run(upsertDevice, [tenantId, derivedId(tenantId, 'device', key), key, device]);
  await bindOrRefuseDevice(tx, principal, source, secret);
  return source;
}
