/** Held while a key is made: the first requests of several processes make one between them. */
export const lockSigningKeys = `select pg_advisory_xact_lock(hashtext('countersign oauth signing keys'))`;

/**
 * The one that signs first: the oldest that is not retired. A new key is published before it signs, and a retired one until
 * nothing that it signed can still be believed.
 */
export const publishedSigningKeys = `
  select kid, sealed from oauth_signing_keys
  where retired_at is null or retired_at > now() - interval '1 day'
  order by coalesce(retired_at <= now(), false), created_at`;

export const addSigningKey = `insert into oauth_signing_keys (kid, sealed, created_at) values ($1, $2, now())`;

/** All but $1, in $2 seconds: then it signs. */
export const retireSigningKeys = `
  update oauth_signing_keys set retired_at = now() + make_interval(secs => $2) where kid <> $1 and retired_at is null`;

/** What nothing depends on any more. */
export const dropRetiredSigningKeys = `delete from oauth_signing_keys where retired_at < now() - interval '1 day'`;

/** All but $1, at once. */
export const dropOtherSigningKeys = `delete from oauth_signing_keys where kid <> $1`;
