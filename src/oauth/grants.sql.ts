const matchingGrants = `
  tenant_id = $1 and model = 'Grant' and ($2::uuid is null or grant_id = $2) and ($3::uuid is null or member_id = $3)
  and ($4::text[] is null or client_id = any($4))`;

/** $1 tenant, $2 grant, $3 member, $4 clients. Excludes grants without a valid token. */
export const liveGrants = `
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

/** $5 last id of the previous page, $6 limit */
export const liveGrantsByPage = `
  with live as (${liveGrants})
  select l.*, m.name as "memberName", m.email as "memberEmail", (select count(*)::int from live) as total
  from live l
  join members m on m.tenant_id = $1 and m.id = l."memberId"
  where $5::uuid is null or l.id < $5
  order by l.id desc limit $6`;

/** $4 clients, then a page for each: $5 clients, $6 limits, $7 last ids of the previous pages, or null */
export const liveGrantsOfClients = `
  with live as (${liveGrants})
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
  order by asked.nth, l.id desc`;

/** Also deletes their tokens and codes. */
export const deleteGrants = `
  with ended as (delete from oauth_rows where ${matchingGrants} returning grant_id, member_id, client_id),
  gone as (
    delete from oauth_rows
    where tenant_id = $1 and model <> 'Grant' and grant_id in (select grant_id from ended)
  )
  select grant_id as id, member_id as "memberId", client_id as "clientId" from ended`;

/** $1 tenant, $2 client. Used codes stay, so that a replay is detected. */
export const deleteCodes = `
  delete from oauth_rows
  where model = 'AuthorizationCode' and tenant_id = $1 and client_id = $2 and consumed_at is null`;

/** $1 tenant, $2 member, $3 client */
export const revokeConsents = `
  update oauth_consents set revoked_at = now()
  where tenant_id = $1 and ($2::uuid is null or member_id = $2) and ($3::text is null or client::text = $3) and revoked_at is null`;
