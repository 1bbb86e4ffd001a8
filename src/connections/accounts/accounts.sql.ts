/** The account of one person at one connection. */
export interface AccountRow {
  id: string;
  /** Address of the server that the account is for; not valid for another one. */
  address: string;
  sealed: Buffer | null;
  version: number;
  expiresAt: Date | null;
  endedReason: string | null;
}

const selectAccount = `
  select a.id, a.address, a.sealed, a.version, a.expires_at as "expiresAt", a.ended_reason as "endedReason"
  from connection_accounts a`;

/** [tenant, connection, member] */
export const findAccount = {
  name: 'account-find',
  text: `${selectAccount} where a.tenant_id = $1 and a.connection_id = $2 and a.member_id = $3`,
};

/** The account that lists the tools, while its person is an active member. [tenant, connection] */
export const findListingAccount = {
  name: 'account-find-listing',
  text: `${selectAccount} join members m on m.tenant_id = a.tenant_id and m.id = a.member_id and m.status = 'active'
    where a.tenant_id = $1 and a.connection_id = $2 and a.lists_tools`,
};

/** [tenant, id] */
export const readAccount = { name: 'account-read', text: `${selectAccount} where a.tenant_id = $1 and a.id = $2` };

/**
 * Claims the renewal of this version for one process; an expired lease can be taken over. [tenant, id, version,
 * seconds]
 */
export const claimRenewal = `
  update connection_accounts set renewing_until = now() + make_interval(secs => $4)
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null
    and (renewing_until is null or renewing_until < now())
  returning id`;

/** [tenant, id, version, sealed, scope, expiry] */
export const storeRenewedTokens = `
  update connection_accounts
  set sealed = $4, scope = coalesce($5, scope), expires_at = $6, version = version + 1, renewing_until = null
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null
  returning id`;

/** [tenant, id, version] */
export const releaseTokenRenewal = `
  update connection_accounts set renewing_until = null where tenant_id = $1 and id = $2 and version = $3`;

/** Destroys the tokens; the row remains so that the person sees the account. [tenant, id, version, reason] */
export const endAccount = `
  update connection_accounts
  set sealed = null, ended_at = now(), ended_reason = $4, renewing_until = null, version = version + 1
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null
  returning member_id as "memberId"`;

/** The scope to request when the person next signs in at the authorization server. [tenant, id, scope] */
export const setWantedScope = 'update connection_accounts set wanted_scope = $3 where tenant_id = $1 and id = $2';

/** [tenant, connection, member, id, address, issuer, scope, lists tools, sealed, expiry] */
export const insertAccount = `
  insert into connection_accounts (tenant_id, connection_id, member_id, id, address, issuer, scope, wanted_scope, lists_tools,
                                   sealed, version, expires_at, renewing_until, connected_at, ended_at, ended_reason)
  values ($1, $2, $3, $4, $5, $6, $7, null, $8, $9, 1, $10, null, now(), null, null)`;

/** [tenant, connection, member] */
export const deleteAccount = `
  delete from connection_accounts where tenant_id = $1 and connection_id = $2 and member_id = $3
  returning id, sealed`;

/** [tenant, member] */
export const deleteAccountsOfMember = `
  delete from connection_accounts where tenant_id = $1 and member_id = $2
  returning id, sealed, connection_id as "connectionId"`;

/**
 * Whether no other person's account lists the tools. Clears that role from an account that ended or whose person left.
 * [tenant, connection, member]
 */
export const isListingAvailable = `
  with gone as (
    update connection_accounts a set lists_tools = false
    where a.tenant_id = $1 and a.connection_id = $2 and a.lists_tools
      and (a.ended_at is not null or not exists (
        select 1 from members m where m.tenant_id = a.tenant_id and m.id = a.member_id and m.status = 'active'))
    returning a.id)
  select not exists (
    select 1 from connection_accounts a
    where a.tenant_id = $1 and a.connection_id = $2 and a.member_id <> $3 and a.lists_tools
      and a.id not in (select id from gone)) as "isFree"`;

const endedReason = `
  case when a.address <> c.settings ->> 'url' then 'the address of the server was changed' else a.ended_reason end`;

/** The person's accounts, or these connections with or without an account. [tenant, member, connections or null] */
export const listAccountViews = `
  select c.id as "connectionId", c.name, c.settings ->> 'url' as address, a.issuer, a.scope, a.wanted_scope as "wantedScope",
         a.lists_tools as "listsTools", a.connected_at as "connectedAt",
         ${endedReason} as "endedReason"
  from connections c
  left join connection_accounts a on a.tenant_id = c.tenant_id and a.connection_id = c.id and a.member_id = $2
  where c.tenant_id = $1 and c.removed_at is null and c.settings ->> 'credentials' = 'personal'
    and case when $3::uuid[] is null then a.id is not null else c.id = any ($3) end
  order by c.name, c.id`;

/**
 * Accounts of all people, by name. [tenant, then a page per connection: connections, limits, id and name of the last
 * row or null]
 */
export const listConnectedAccounts = `
  with connected as (
    select a.id, a.connection_id as "connectionId", m.id as "memberId", m.name, a.issuer, a.scope, a.lists_tools as "listsTools", a.connected_at as "connectedAt",
           ${endedReason} as "endedReason"
    from connection_accounts a
    join connections c on c.tenant_id = a.tenant_id and c.id = a.connection_id
    join members m on m.tenant_id = a.tenant_id and m.id = a.member_id
    where a.tenant_id = $1 and a.connection_id = any ($2::uuid[]))
  select asked.nth::int, total.total, own.*
  from unnest($2::uuid[], $3::int[], $4::uuid[], $5::text[]) with ordinality asked(connection, most, after, after_name, nth)
  cross join lateral (select count(*)::int as total from connected c where c."connectionId" = asked.connection) total
  cross join lateral (
    select * from connected c
    where c."connectionId" = asked.connection and (asked.after is null or (c.name, c.id) > (asked.after_name, asked.after))
    order by c.name, c.id limit asked.most
  ) own
  order by asked.nth, own.name, own.id`;

/** The person's view of their own account at a connection, which may not exist yet. */
export interface AccountView {
  connectionId: string;
  name: string;
  address: string;
  issuer: string | null;
  scope: string | null;
  wantedScope: string | null;
  listsTools: boolean | null;
  connectedAt: Date | null;
  endedReason: string | null;
}
