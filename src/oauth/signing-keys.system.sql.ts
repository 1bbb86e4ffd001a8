/** Held while a key is created, so that several processes create only one. */
export const lockSigningKeys = `select pg_advisory_xact_lock(hashtext('countersign oauth signing keys'))`;

/**
 * The signing key first: the oldest that is not retired. A new key is published before it signs. A retired key stays
 * published while its signatures can still be valid.
 */
export const publishedSigningKeys = `
  select kid, sealed from oauth_signing_keys
  where retired_at is null or retired_at > now() - interval '1 day'
  order by coalesce(retired_at <= now(), false), created_at`;

export const addSigningKey = `insert into oauth_signing_keys (kid, sealed, created_at) values ($1, $2, now())`;

/** Retires all keys but $1 in $2 seconds; $1 signs from then on. */
export const retireSigningKeys = `
  update oauth_signing_keys set retired_at = now() + make_interval(secs => $2) where kid <> $1 and retired_at is null`;

/** Deletes keys whose signatures have all expired. */
export const dropRetiredSigningKeys = `delete from oauth_signing_keys where retired_at < now() - interval '1 day'`;

/** Deletes all keys but $1 immediately. */
export const dropOtherSigningKeys = `delete from oauth_signing_keys where kid <> $1`;
