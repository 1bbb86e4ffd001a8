import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Tx } from '../platform/database/tx.js';
import { insertSlackSecretHolder, slackSecretHolders } from './slack-secret-holders.sql.js';

const keyPurpose = 'slack-secret-fingerprint';

/**
 * Remembers who entered the tokens and signing secrets of Slack apps, by fingerprint. A member still knows a secret
 * after the channel is removed, so nothing is deleted.
 */
@Injectable()
export class SlackSecretHoldersService {
  constructor(private readonly seal: SealService) {}

  /** `memberId` null: an unknown member. */
  async add(tx: Tx, tenantId: string, secrets: readonly string[], memberId: string | null): Promise<void> {
    if (!secrets.length) return;
    const key = this.seal.derive(keyPurpose);
    const fingerprints = secrets.map((secret) => fingerprintOf(secret, key));
    await tx.execute(insertSlackSecretHolder, [tenantId, fingerprints, memberId]);
  }

  /** Everyone who entered one of the secrets. Null: an unknown member. */
  async list(tx: Tx, tenantId: string, secrets: readonly string[]): Promise<(string | null)[]> {
    const keys = this.seal.deriveFromEach(keyPurpose);
    const fingerprints = secrets.flatMap((secret) => keys.map((key) => fingerprintOf(secret, key)));
    const holders = await tx.run(slackSecretHolders, [tenantId, fingerprints]);
    return holders.map(({ memberId }) => memberId);
  }
}

const fingerprintOf = (secret: string, key: Buffer): Buffer => createHmac('sha256', key).update(secret).digest();
