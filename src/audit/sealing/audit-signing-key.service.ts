import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealService } from '../../platform/crypto/seal.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { endorsedText } from './audit-head.js';
import { insertKey, sealerKeys } from './sealer.sql.js';

const purpose = 'audit heads';
/** PKCS #8 around the 32 bytes of an Ed25519 private key (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyBytes = 32;

interface SigningKey {
  privateKey: KeyObject;
  publicKey: Buffer;
}

/**
 * Signs heads of the audit log. The private key is derived from the master key and never stored; another master key
 * starts a new epoch.
 */
@Injectable()
export class AuditSigningKeyService {
  /** The current key first, then those of the former master keys. */
  private readonly keys: SigningKey[];

  constructor(seal: SealService) {
    this.keys = seal.deriveFromEach(purpose).map((secret) => {
      const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, secret]), format: 'der', type: 'pkcs8' });
      const encoded = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
      return { privateKey, publicKey: encoded.subarray(-publicKeyBytes) };
    });
  }

  sign(text: string): Buffer {
    return sign(null, Buffer.from(text), this.keys[0].privateKey);
  }

  /** The epoch of the current key. Starts it, endorsed by the key before if its master key is still configured. */
  async findEpoch(tx: Tx): Promise<number> {
    const { publicKey } = this.keys[0];
    const stored = await tx.run(sealerKeys);
    const current = stored.find((key) => key.publicKey.equals(publicKey));
    if (current) return current.epoch;
    const before = stored.at(-1);
    const epoch = (before?.epoch ?? 0) + 1;
    const former = this.keys.find((key) => before?.publicKey.equals(key.publicKey));
    const endorsement = former ? sign(null, Buffer.from(endorsedText(epoch, publicKey)), former.privateKey) : null;
    await tx.execute(insertKey, [epoch, publicKey, endorsement]);
    return epoch;
  }
}
