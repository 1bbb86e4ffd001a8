import { statement } from '../platform/database/statement.js';

/* The rows of the authorization server, identified by the SHA-256 of their credential. */

/** The first four list the consumed rows, the others the rows to store. */
export type RowWrites = [
  consumedRequests: readonly number[],
  consumedModels: readonly string[],
  consumedHashes: readonly Buffer[],
  replays: readonly (Buffer | null)[],
  requests: readonly number[],
  consumedCounts: readonly number[],
  models: readonly string[],
  idHashes: readonly Buffer[],
  payloads: readonly Record<string, unknown>[],
  grantIds: readonly (string | null)[],
  userCodeHashes: readonly (Buffer | null)[],
  tenantIds: readonly (string | null)[],
  memberIds: readonly (string | null)[],
  clientIds: readonly (string | null)[],
  lifetimeSeconds: readonly number[],
];

export interface StoredOauthRow {
  payload: Record<string, unknown>;
  consumedAt: Date | null;
}

/**
 * Writes the rows of several requests, each request atomically. Returns the numbers of requests that consumed a row.
 * Only one of two requests can consume the same row.
 */
// unnamed, so that it is planned each time: a plan cached while the table was small would scan all of it
export const writeRows = statement<RowWrites, { request: number }>(`
    with used as (
      update oauth_rows r set consumed_at = clock_timestamp(), replay = u.replay
      from unnest($1::int[], $2::text[], $3::bytea[], $4::bytea[]) as u (request, model, id_hash, replay)
      where r.model = u.model and r.id_hash = u.id_hash and r.consumed_at is null
      returning u.request
    ), saved as (
      insert into oauth_rows
        (model, id_hash, payload, grant_id, user_code_hash, tenant_id, member_id, client_id, created_at, expires_at)
      select s.model, s.id_hash, s.payload, s.grant_id, s.user_code_hash, s.tenant_id, s.member_id, s.client_id, now(),
             now() + make_interval(secs => s.seconds)
      from unnest($5::int[], $6::int[], $7::text[], $8::bytea[], $9::jsonb[], $10::uuid[], $11::bytea[], $12::uuid[],
                  $13::uuid[], $14::text[], $15::float8[])
        as s (request, needs, model, id_hash, payload, grant_id, user_code_hash, tenant_id, member_id, client_id, seconds)
      where s.needs = 0 or s.request in (select request from used)
      on conflict (model, id_hash) do update set
        payload = excluded.payload, grant_id = excluded.grant_id, tenant_id = excluded.tenant_id,
        member_id = excluded.member_id, client_id = excluded.client_id, expires_at = excluded.expires_at
    )
    select request from used`);

/** Includes expired rows. */
export const findRow = statement<[model: string, idHash: Buffer], StoredOauthRow>(
  `select payload, consumed_at as "consumedAt" from oauth_rows where model = $1 and id_hash = $2`,
  { name: 'oauth-row-find' },
);

export interface HolderRow {
  name: string;
  email: string;
  isActive: boolean;
  isTenantPaused: boolean;
}

/** A row with its grant and member, which are null if they no longer exist. */
export interface PresentedRow extends StoredOauthRow {
  /** Milliseconds since its use by the database clock; null if it is unused. */
  usedMsAgo: number | null;
  replay: Buffer | null;
  grant: StoredOauthRow['payload'] | null;
  holder: HolderRow | null;
}

/**
 * Reads presented single-use credentials with everything that decides on them. Includes expired rows, so that a
 * replayed code is detected after its lifetime. `asked` numbers them from 1.
 */
// planned each time, like `writeRows`
export const selectPresentedRows = statement<
  [models: readonly string[], idHashes: readonly Buffer[]],
  PresentedRow & { asked: number }
>(`
    select a.asked::int as asked, r.payload, r.consumed_at as "consumedAt", r.replay, g.payload as "grant",
           (extract(epoch from clock_timestamp() - r.consumed_at) * 1000)::float8 as "usedMsAgo",
           case when m.id is not null then
             json_build_object('name', m.name, 'email', m.email, 'isActive', m.status = 'active',
                               'isTenantPaused', t.paused_at is not null)
           end as holder
    from unnest($1::text[], $2::bytea[]) with ordinality as a (model, id_hash, asked)
    join oauth_rows r on r.model = a.model and r.id_hash = a.id_hash
    left join oauth_rows g on g.model = 'Grant' and g.grant_id = r.grant_id and g.expires_at > now()
    left join members m on m.tenant_id = r.tenant_id and m.id = r.member_id
    left join tenants t on t.id = r.tenant_id`);

export const findRowUse = statement<[model: string, idHash: Buffer], { isUsed: boolean }>(
  `select consumed_at is not null as "isUsed" from oauth_rows where model = $1 and id_hash = $2`,
  { name: 'oauth-row-uses' },
);

export const eraseReplays = statement(`
  update oauth_rows set replay = null where replay is not null and consumed_at < now() - interval '10 seconds'`);

/** Of two concurrent uses, the second updates no row. */
export const consumeRow = statement<[model: string, idHash: Buffer]>(
  `update oauth_rows set consumed_at = clock_timestamp() where model = $1 and id_hash = $2 and consumed_at is null`,
  { name: 'oauth-row-consume' },
);

export const deleteRow = statement<[model: string, idHash: Buffer]>(
  `delete from oauth_rows where model = $1 and id_hash = $2`,
  { name: 'oauth-row-delete' },
);

export interface EndedGrantRow {
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

/** Deletes only the grant; `deleteRowsOfGrant` deletes its tokens and codes. */
export const deleteGrant = statement<[idHash: Buffer], EndedGrantRow>(
  `
    delete from oauth_rows g using members m
    where g.model = 'Grant' and g.id_hash = $1 and m.tenant_id = g.tenant_id and m.id = g.member_id
    returning g.tenant_id as "tenantId", g.member_id as "memberId", m.name as "memberName", g.client_id as "clientId"`,
  { name: 'oauth-grant-delete', neverNull: ['tenantId', 'memberId', 'clientId'] },
);

export const deleteRowsOfGrant = statement<[model: string, grantId: string]>(
  `delete from oauth_rows where model = $1 and grant_id = $2`,
  { name: 'oauth-rows-of-grant-delete' },
);

/** The member that a token acts for. */
export const findTokenHolder = statement<[tenantId: string, memberId: string], HolderRow>(
  `
    select m.name, m.email, m.status = 'active' as "isActive", t.paused_at is not null as "isTenantPaused"
    from members m join tenants t on t.id = m.tenant_id
    where m.tenant_id = $1 and m.id = $2`,
  { name: 'oauth-holder' },
);

/**
 * Deletes expired rows. A used code stays as long as its grant exists, so that a replay still ends the grant.
 */
export const sweepRows = statement(`
  delete from oauth_rows r
  where r.expires_at < now() - interval '1 hour'
    and not (r.model = 'AuthorizationCode' and r.consumed_at is not null
             and exists (select 1 from oauth_rows g where g.model = 'Grant' and g.grant_id = r.grant_id))`);
