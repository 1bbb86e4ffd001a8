import { statement } from '../platform/database/statement.js';

/** An authorization from a member to a client. It lives while one of its tokens is valid. */
export interface LiveGrant {
  id: string;
  memberId: string;
  clientId: string;
  scopes: string[];
  grantedAt: Date;
  /** When its last token was issued. */
  usedAt: Date;
  /** When its last token expires, unless it is refreshed. */
  expiresAt: Date;
}

export type RevokedGrant = Pick<LiveGrant, 'id' | 'memberId' | 'clientId'>;

/** Includes the member, for lists across members. */
export interface NamedGrant extends LiveGrant {
  memberName: string;
  memberEmail: string;
}

/** Null selects the grants of all. */
export type GrantSelection = [
  tenantId: string,
  grantId: string | null,
  memberId: string | null,
  clientIds: readonly string[] | null,
];

const matchingGrants = `
  tenant_id = $1 and model = 'Grant' and ($2::uuid is null or grant_id = $2) and ($3::uuid is null or member_id = $3)
  and ($4::text[] is null or client_id = any($4))`;

const selectLiveGrants = `
  select g.grant_id as id, g.member_id as "memberId", g.client_id as "clientId", g.created_at as "grantedAt",
         t.used_at as "usedAt", t.expires_at as "expiresAt", string_to_array(t.scope, ' ') as scopes
  from (select * from oauth_rows where ${matchingGrants}) g
  cross join lateral (
    select max(created_at) as used_at, max(expires_at) as expires_at,
           (array_agg(payload ->> 'scope' order by created_at desc))[1] as scope
    from oauth_rows r
    where r.tenant_id = g.tenant_id and r.grant_id = g.grant_id and r.model in ('RefreshToken', 'AccessToken')
      and r.consumed_at is null and r.expires_at > now()
  ) t
  where t.expires_at is not null
  order by g.grant_id desc`;
/** The columns are null only in rows that are not grants. */
const neverNull = ['id', 'memberId', 'clientId'];

/** Excludes grants without a valid token. */
export const liveGrants = statement<GrantSelection, LiveGrant>(selectLiveGrants, { neverNull });

export const liveGrantsByPage = statement<
  [...GrantSelection, lastId: string | null, limit: number],
  NamedGrant & { total: number }
>(
  `
  with live as (${selectLiveGrants})
  select l.*, m.name as "memberName", m.email as "memberEmail", (select count(*)::int from live) as total
  from live l
  join members m on m.tenant_id = $1 and m.id = l."memberId"
  where $5::uuid is null or l.id < $5
  order by l.id desc limit $6`,
  { neverNull },
);

/** A page for each client. `clientIds` contains the clients of all pages. */
export const liveGrantsOfClients = statement<
  [...GrantSelection, pageClientIds: readonly string[], limits: readonly number[], lastIds: readonly (string | null)[]],
  NamedGrant & { nth: number; total: number }
>(
  `
  with live as (${selectLiveGrants})
  select asked.nth::int, total.total, l.*
  from unnest($5::text[], $6::int[], $7::uuid[]) with ordinality asked(client, most, after, nth)
  cross join lateral (select count(*)::int as total from live l where l."clientId" = asked.client) total
  cross join lateral (
    select l.*, m.name as "memberName", m.email as "memberEmail"
    from live l
    join members m on m.tenant_id = $1 and m.id = l."memberId"
    where l."clientId" = asked.client and (asked.after is null or l.id < asked.after)
    order by l.id desc limit asked.most
  ) l
  order by asked.nth, l.id desc`,
  { neverNull },
);

/** Also deletes their tokens and codes. */
export const deleteGrants = statement<GrantSelection, RevokedGrant>(
  `
  with ended as (delete from oauth_rows where ${matchingGrants} returning grant_id, member_id, client_id),
  tokens as (
    delete from oauth_rows
    where tenant_id = $1 and model <> 'Grant' and grant_id in (select grant_id from ended)
  )
  select grant_id as id, member_id as "memberId", client_id as "clientId" from ended`,
  { neverNull },
);

/** Used codes stay, so that a replay is detected. */
export const deleteCodes = statement<[tenantId: string, clientId: string]>(`
  delete from oauth_rows
  where model = 'AuthorizationCode' and tenant_id = $1 and client_id = $2 and consumed_at is null`);

export const revokeConsents = statement<[tenantId: string, memberId: string | null, clientId: string | null]>(`
  update oauth_consents set revoked_at = now()
  where tenant_id = $1 and ($2::uuid is null or member_id = $2) and ($3::text is null or client::text = $3) and revoked_at is null`);
