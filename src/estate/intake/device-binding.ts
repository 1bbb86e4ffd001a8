import { timingSafeEqual } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { sha256 } from '../../platform/crypto/digest.js';
import type { Principal } from '../../principal/principal.js';
import { deviceBelongsToAnotherKey, deviceSecretMismatch } from './intake.error.js';
import { bindDevice } from './sources.sql.js';

export interface BoundDevice {
  id: string;
  /** The key whose uploads count; null until the first upload, and after a release. */
  keyId: string | null;
  isKeyUsable: boolean;
  secretHash: Buffer | null;
}

/**
 * A device name is self-declared. The first key that uploads it owns it for as long as that key works, and the first secret that
 * comes with it is asked for from then on, whatever key is used.
 */
export async function bindOrRefuseDevice(
  tx: EntityManager,
  { tenantId, keyId }: Principal,
  device: BoundDevice,
  secret: string | null,
): Promise<void> {
  if (device.keyId && device.keyId !== keyId && device.isKeyUsable)
    throw deviceBelongsToAnotherKey('Another key uploaded this device first.');
  const hash = secret === null ? null : sha256(secret);
  if (device.secretHash && !(hash && timingSafeEqual(device.secretHash, hash)))
    throw deviceSecretMismatch(
      secret === null ? 'The secret of this device is missing.' : 'The device has another secret.',
    );
  if (device.keyId === keyId && (device.secretHash || !hash)) return;
  await tx.query(bindDevice, [tenantId, device.id, keyId, hash]);
}
