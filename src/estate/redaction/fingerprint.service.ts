import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealService } from '../../platform/crypto/seal.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { findEstateKey, insertEstateKey } from './estate-keys.sql.js';

/** Fingerprints of one organization, for one transaction. */
export interface Fingerprinter {
  /** 128 bits, hex. */
  secret(value: string): string;
  /** 256 bits, hex. */
  content(bytes: Uint8Array): string;
}

/**
 * Compares values without storing them. A plain hash would be unsafe, because anyone could verify a guessed value. Each
 * organization has its own key, which does not change when master keys are rotated.
 */
@Injectable()
export class FingerprintService {
  constructor(private readonly seal: SealService) {}

  async forTenant(tx: Tx, { tenantId }: Principal): Promise<Fingerprinter> {
    const sealContext = { table: 'estate_keys', column: 'sealed', row: tenantId };
    const sealed =
      (await find(tx, tenantId)) ?? (await make(tx, tenantId, this.seal.seal(randomBytes(32), sealContext)));
    const key = this.seal.open(sealed, sealContext);
    const digest = (purpose: string, data: string | Uint8Array) =>
      createHmac('sha256', key).update(purpose).update('\0').update(data).digest('hex');
    return {
      secret: (value) => digest('secret', value).slice(0, 32),
      content: (bytes) => digest('content', bytes),
    };
  }
}

async function find(tx: Tx, tenantId: string): Promise<Buffer | null> {
  const row = await tx.one(findEstateKey, [tenantId]);
  return row?.sealed ?? null;
}

async function make(tx: Tx, tenantId: string, sealed: Buffer): Promise<Buffer> {
  await tx.execute(insertEstateKey, [tenantId, sealed]);
  return (await find(tx, tenantId))!;
}
