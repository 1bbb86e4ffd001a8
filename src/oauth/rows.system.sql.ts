/** The rows of the authorization server, by the SHA-256 of what opens them. */

export interface StoredRow {
  payload: Record<string, unknown>;
  consumedAt: Date | null;
}

/** What one request writes. $1–$3 rows that are used up, with the sealed answer; $4–$12 rows to store. */
export const writeRows = {
  name: 'oauth-rows-write',
  text: `
    with used as (
      update oauth_rows r
      set consumed_at = coalesce(r.consumed_at, clock_timestamp()), replay = coalesce(u.replay, r.replay)
      from unnest($1::text[], $2::bytea[], $3::bytea[]) as u (model, id_hash, replay)
      where r.model = u.model and r.id_hash = u.id_hash
      returning 1
    ), saved as (
      insert into oauth_rows
        (model, id_hash, payload, grant_id, user_code_hash, tenant_id, member_id, client_id, created_at, expires_at)
      select s.model, s.id_hash, s.payload, s.grant_id, s.user_code_hash, s.tenant_id, s.member_id, s.client_id, now(),
             now() + make_interval(secs => s.seconds)
      from unnest($4::text[], $5::bytea[], $6::jsonb[], $7::uuid[], $8::bytea[], $9::uuid[], $10::uuid[], $11::text[],
                  $12::float8[])
        as s (model, id_hash, payload, grant_id, user_code_hash, tenant_id, member_id, client_id, seconds)
      on conflict (model, id_hash) do update set
        payload = excluded.payload, grant_id = excluded.grant_id, tenant_id = excluded.tenant_id,
        member_id = excluded.member_id, client_id = excluded.client_id, expires_at = excluded.expires_at
    )
    select count(*)::int as used from used`,
};

/** Expired ones, too. */
export const findRow = {
  name: 'oauth-row-find',
  text: `select payload, consumed_at as "consumedAt" from oauth_rows where model = $1 and id_hash = $2`,
};

export interface HolderRow {
  name: string;
  email: string;
  isActive: boolean;
  isTenantPaused: boolean;
}

/** With what it hangs on. `grant` and `holder` are null where there is none any more. */
export interface PresentedRow extends StoredRow {
  /** Used by somebody else while this request was under way already. */
  isJustUsed: boolean;
  replay: Buffer | null;
  grant: StoredRow['payload'] | null;
  holder: HolderRow | null;
}

/**
 * What works once, as it is presented, and all that it is judged by. Expired ones, too: that a code was used before is told
 * after its minute as well. Whoever asks second waits for the first to commit, and then sees what it did.
 */
export const presentRow = {
  name: 'oauth-row-present',
  text: `
    select r.payload, r.consumed_at as "consumedAt", coalesce(r.consumed_at >= now(), false) as "isJustUsed", r.replay,
           g.payload as "grant",
           case when m.id is not null then
             json_build_object('name', m.name, 'email', m.email, 'isActive', m.status = 'active',
                               'isTenantPaused', t.paused_at is not null)
           end as holder
    from oauth_rows r
    left join oauth_rows g on g.model = 'Grant' and g.grant_id = r.grant_id and g.expires_at > now()
    left join members m on m.tenant_id = r.tenant_id and m.id = r.member_id
    left join tenants t on t.id = r.tenant_id
    where r.model = $1 and r.id_hash = $2
    for update of r`,
};

export const usesOfRow = {
  name: 'oauth-row-uses',
  text: `select consumed_at is not null as "isUsed" from oauth_rows where model = $1 and id_hash = $2`,
};

export const eraseReplays = `
  update oauth_rows set replay = null where replay is not null and consumed_at < now() - interval '10 seconds'`;

/** Once: of two at the same time, the second finds nothing to update. */
export const consumeRow = {
  name: 'oauth-row-consume',
  text: `update oauth_rows set consumed_at = clock_timestamp() where model = $1 and id_hash = $2 and consumed_at is null`,
};

export const deleteRow = {
  name: 'oauth-row-delete',
  text: `delete from oauth_rows where model = $1 and id_hash = $2`,
};

export interface EndedGrantRow {
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

/** $1 hash. Of the grant alone: what hangs on it goes by `deleteRowsOfGrant`. */
export const deleteGrant = {
  name: 'oauth-grant-delete',
  text: `
    delete from oauth_rows g using members m
    where g.model = 'Grant' and g.id_hash = $1 and m.tenant_id = g.tenant_id and m.id = g.member_id
    returning g.tenant_id as "tenantId", g.member_id as "memberId", m.name as "memberName", g.client_id as "clientId"`,
};

export const deleteRowsOfGrant = {
  name: 'oauth-rows-of-grant-delete',
  text: `delete from oauth_rows where model = $1 and grant_id = $2`,
};

/** Whom a token would act for. $1 tenant, $2 member */
export const holderOfTokens = {
  name: 'oauth-holder',
  text: `
    select m.name, m.email, m.status = 'active' as "isActive", t.paused_at is not null as "isTenantPaused"
    from members m join tenants t on t.id = m.tenant_id
    where m.tenant_id = $1 and m.id = $2`,
};

/**
 * What can never be used again. A code that was used is kept as long as its grant lives, so that a second use of it still
 * ends that grant.
 */
export const sweepRows = `
  delete from oauth_rows r
  where r.expires_at < now() - interval '1 hour'
    and not (r.model = 'AuthorizationCode' and r.consumed_at is not null
             and exists (select 1 from oauth_rows g where g.model = 'Grant' and g.grant_id = r.grant_id))`;
