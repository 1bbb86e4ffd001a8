import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { type AuditHead, type AuditHeadRow, toHead } from './sealing/audit-head.js';
import { publishedKeys } from './sealing/audit-keys.system.sql.js';
import { AuditSealerService } from './sealing/audit-sealer.service.js';
import { newestHead } from './sealing/seals.sql.js';

/** The public key of an epoch, in hex. `endorsement`: a signature with the key of the epoch before. */
export interface AuditPublicKey {
  epoch: number;
  publicKey: string;
  endorsement: string | null;
}

/** Reads the signed heads of the audit log, and the keys that verify them. */
@Injectable()
export class AuditHeadsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly sealer: AuditSealerService,
    private readonly log: LogService,
  ) {}

  findNewest(principal: Principal): Promise<AuditHeadRow | null> {
    return this.database.tenant(principal, (tx) => tx.one(newestHead, [principal.tenantId]));
  }

  /** Seals first, so that the head includes all events of finished transactions. */
  async sealAndFindNewest(principal: Principal): Promise<AuditHeadRow | null> {
    try {
      await this.sealer.sealNow(principal.tenantId);
    } catch (error) {
      this.log.warn({ err: error }, 'audit events could not be sealed; the export uses the newest head');
    }
    return this.findNewest(principal);
  }

  /** The newest head with its public key: what an auditor stores, to compare later exports with. */
  async newestWithKey(principal: Principal): Promise<(AuditHead & { publicKey: string }) | null> {
    const head = await this.sealAndFindNewest(principal);
    if (!head) return null;
    const key = (await this.listKeys()).find(({ epoch }) => epoch === head.epoch);
    return { ...toHead(head), publicKey: key!.publicKey };
  }

  async listKeys(): Promise<AuditPublicKey[]> {
    const keys = await this.database.systemPool.run(publishedKeys);
    return keys.map(({ epoch, publicKey, endorsement }) => ({
      epoch,
      publicKey: publicKey.toString('hex'),
      endorsement: endorsement?.toString('hex') ?? null,
    }));
  }
}
