import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../platform/crypto/digest.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { deviceBelongsToAnotherKey, deviceSecretMismatch } from './intake.error.js';
import { bindDevice, type DeviceRow } from './sources.sql.js';

/**
 * Device names are self-declared. The first key that uploads a device owns it while the key works, and the first secret
 * of a device is required from then on, with any key.
 */
export async function bindOrRefuseDevice(
  tx: Tx,
  { tenantId, keyId }: Principal,
  device: DeviceRow,
  secret: string | null,
): Promise<void> {
  if (device.keyId && device.keyId !== keyId && device.isKeyUsable)
    throw deviceBelongsToAnotherKey('Another key uploaded this device first.');
  const hash = secret === null ? null : sha256(secret);
  if (device.secretHash && !(hash && timingSafeEqual(device.secretHash, hash)))
    throw deviceSecretMismatch(
      secret === null ? 'The secret of this device is missing.' : 'The secret does not match this device.',
    );
  if (device.keyId === keyId && (device.secretHash || !hash)) return;
  await tx.execute(bindDevice, [tenantId, device.id, keyId ?? null, hash]);
}
