import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';

/** Held while a key is created, so that several processes create only one. */
export const lockSigningKeys = advisoryLock(`hashtext('countersign oauth signing keys')`);

/**
 * The signing key first: the oldest that is not retired. A new key is published before it signs. A retired key stays
 * published while its signatures can still be valid.
 */
export const publishedSigningKeys = statement<[], { kid: string; sealed: Buffer }>(`
  select kid, sealed from oauth_signing_keys
  where retired_at is null or retired_at > now() - interval '1 day'
  order by coalesce(retired_at <= now(), false), created_at`);

export const addSigningKey = statement<[kid: string, sealed: Buffer]>(
  `insert into oauth_signing_keys (kid, sealed, created_at) values ($1, $2, now())`,
);

/** The remaining key signs after these seconds. */
export const retireSigningKeys = statement<[remainingKid: string, inSeconds: number]>(`
  update oauth_signing_keys set retired_at = now() + make_interval(secs => $2) where kid <> $1 and retired_at is null`);

/** Deletes keys whose signatures have all expired. */
export const dropRetiredSigningKeys = statement(
  `delete from oauth_signing_keys where retired_at < now() - interval '1 day'`,
);

export const dropOtherSigningKeys = statement<[remainingKid: string]>(`delete from oauth_signing_keys where kid <> $1`);
