/** The rows of the authorization server, by the SHA-256 of what opens them. */

export interface StoredRow {
  payload: Record<string, unknown>;
  consumedAt: Date | null;
}

/** $1 model, $2 hash, $3 payload, $4 grant, $5 hash of the user code, $6 tenant, $7 member, $8 client, $9 seconds to live */
export const saveRow = {
  name: 'oauth-row-save',
  text: `
    insert into oauth_rows
      (model, id_hash, payload, grant_id, user_code_hash, tenant_id, member_id, client_id, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, now(), now() + make_interval(secs => $9))
    on conflict (model, id_hash) do update set
      payload = excluded.payload, grant_id = excluded.grant_id, tenant_id = excluded.tenant_id,
      member_id = excluded.member_id, client_id = excluded.client_id, expires_at = excluded.expires_at`,
};

/**
 * Expired ones, too: that a code was used before is told after its minute as well. Of a code that was used while this
 * request was under way already that is left to `consumeRow` to find out: sent twice at once, it is refused once, where one
 * that comes again ends what it gave.
 */
export const findRow = {
  name: 'oauth-row-find',
  text: `
    select payload, case when model = 'AuthorizationCode' and consumed_at >= now() then null else consumed_at end as "consumedAt"
    from oauth_rows where model = $1 and id_hash = $2`,
};

export interface LockedRow extends StoredRow {
  replay: Buffer | null;
}

/** Whoever asks second waits for the first to commit, and then sees what it did. */
export const lockRow = {
  name: 'oauth-row-lock',
  text: `select payload, consumed_at as "consumedAt", replay from oauth_rows where model = $1 and id_hash = $2 for update`,
};

export const usesOfRow = {
  name: 'oauth-row-uses',
  text: `select consumed_at is not null as "isUsed" from oauth_rows where model = $1 and id_hash = $2`,
};

/** $3 the answer, sealed under what was presented */
export const keepReplay = {
  name: 'oauth-row-keep-replay',
  text: `update oauth_rows set replay = $3 where model = $1 and id_hash = $2`,
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

export interface HolderRow {
  name: string;
  email: string;
  isActive: boolean;
  isTenantPaused: boolean;
}

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
