import { statement } from '../../platform/database/statement.js';

export interface DeviceRow {
  id: string;
  collectedAt: Date | null;
  /** The key that owns the device; null until the first upload and after a release. */
  keyId: string | null;
  isKeyUsable: boolean;
  secretHash: Buffer | null;
}
/** Locks the row, so that uploads of a device are serialized. */
export const upsertDevice = statement<[tenantId: string, id: string, normalizedName: string, name: string], DeviceRow>(`
  insert into estate_sources (tenant_id, id, kind, key, name, first_seen, failures, problems, problem_count)
  values ($1, $2, 'device', $3, $4, now(), 0, '[]', 0)
  on conflict (tenant_id, kind, key) do update set name = excluded.name
  returning id, collected_at as "collectedAt", key_id as "keyId", device_secret_hash as "secretHash",
    exists (
      select from tenant_keys k
      where k.tenant_id = $1 and k.id = key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    ) as "isKeyUsable"`);

export const bindDevice = statement<
  [tenantId: string, sourceId: string, keyId: string | null, secretHash: Buffer | null]
>(`
  update estate_sources set key_id = $3, device_secret_hash = coalesce(device_secret_hash, $4) where tenant_id = $1 and id = $2`);

export const releaseDevice = statement<[tenantId: string, sourceId: string]>(`
  update estate_sources set key_id = null, device_secret_hash = null where tenant_id = $1 and id = $2`);

export const recordDeviceUpload = statement<
  [
    tenantId: string,
    sourceId: string,
    platform: string | null,
    ownerEmail: string | null,
    collectedAt: Date | null,
    isComplete: boolean,
  ]
>(`
  update estate_sources
  set last_seen = now(), platform = coalesce($3, platform), owner_email = coalesce($4, owner_email),
      collected_at = coalesce($5, collected_at), complete_at = case when $6 then now() else complete_at end
  where tenant_id = $1 and id = $2`);
