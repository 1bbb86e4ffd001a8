/** $1 tenant, $2 id, $3 normalized name, $4 name. Locks the row, so that uploads of a device are serialized. */
export const upsertDevice = `
  insert into estate_sources (tenant_id, id, kind, key, name, first_seen, failures, problems, problem_count)
  values ($1, $2, 'device', $3, $4, now(), 0, '[]', 0)
  on conflict (tenant_id, kind, key) do update set name = excluded.name
  returning id, collected_at as "collectedAt", key_id as "keyId", device_secret_hash as "secretHash",
    exists (
      select from tenant_keys k
      where k.tenant_id = $1 and k.id = key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    ) as "isKeyUsable"`;

/** $1 tenant, $2 source, $3 key, $4 hash of the device's secret, or null */
export const bindDevice = `
  update estate_sources set key_id = $3, device_secret_hash = coalesce(device_secret_hash, $4) where tenant_id = $1 and id = $2`;

/** $1 tenant, $2 source */
export const releaseDevice = `
  update estate_sources set key_id = null, device_secret_hash = null where tenant_id = $1 and id = $2`;

/** $1 tenant, $2 source, $3 platform, $4 owner, $5 time of collection, $6 whether the upload is complete */
export const recordDeviceUpload = `
  update estate_sources
  set last_seen = now(), platform = coalesce($3, platform), owner_email = coalesce($4, owner_email),
      collected_at = coalesce($5, collected_at), complete_at = case when $6 then now() else complete_at end
  where tenant_id = $1 and id = $2`;
