/** Held while a key is made: the first requests of several processes make one between them. */
export const lockSigningKeys = `select pg_advisory_xact_lock(hashtext('countersign oauth signing keys'))`;

/** The newest first: it signs. A retired one is published until nothing that it signed can still be believed. */
export const publishedSigningKeys = `
  select kid, sealed from oauth_signing_keys
  where retired_at is null or retired_at > now() - interval '1 day'
  order by retired_at nulls first, created_at desc`;

export const addSigningKey = `insert into oauth_signing_keys (kid, sealed, created_at) values ($1, $2, now())`;

/** All but $1 */
export const retireSigningKeys = `update oauth_signing_keys set retired_at = now() where kid <> $1 and retired_at is null`;
