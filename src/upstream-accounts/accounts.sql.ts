import { statement } from '../platform/database/statement.js';
import type { ConnectedAccount } from './connected-account.js';

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

export const findAccount = statement<[tenantId: string, connectionId: string, memberId: string], AccountRow>(
  `${selectAccount} where a.tenant_id = $1 and a.connection_id = $2 and a.member_id = $3`,
  { name: 'account-find' },
);

/** The account that lists the tools, while its person is an active member. */
export const findListingAccount = statement<[tenantId: string, connectionId: string], AccountRow>(
  `${selectAccount} join members m on m.tenant_id = a.tenant_id and m.id = a.member_id and m.status = 'active'
    where a.tenant_id = $1 and a.connection_id = $2 and a.lists_tools`,
  { name: 'account-find-listing' },
);

export const readAccount = statement<[tenantId: string, id: string], AccountRow>(
  `${selectAccount} where a.tenant_id = $1 and a.id = $2`,
  { name: 'account-read' },
);

/** Claims the renewal of this version for one process; an expired lease can be taken over. */
export const claimRenewal = statement<[tenantId: string, id: string, version: number, leaseSeconds: number]>(`
  update connection_accounts set renewing_until = now() + make_interval(secs => $4)
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null
    and (renewing_until is null or renewing_until < now())`);

export const storeRenewedTokens = statement<
  [tenantId: string, id: string, version: number, sealed: Buffer, scope: string | null, expiresAt: Date | null]
>(`
  update connection_accounts
  set sealed = $4, scope = coalesce($5, scope), expires_at = $6, version = version + 1, renewing_until = null
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null`);

export const releaseTokenRenewal = statement<[tenantId: string, id: string, version: number]>(`
  update connection_accounts set renewing_until = null where tenant_id = $1 and id = $2 and version = $3`);

/** Destroys the tokens; the row remains so that the person sees the account. */
export const endAccount = statement<
  [tenantId: string, id: string, version: number, reason: string],
  { memberId: string }
>(`
  update connection_accounts
  set sealed = null, ended_at = now(), ended_reason = $4, renewing_until = null, version = version + 1
  where tenant_id = $1 and id = $2 and version = $3 and ended_at is null
  returning member_id as "memberId"`);

/** The scope to request when the person next signs in at the authorization server. */
export const setWantedScope = statement<[tenantId: string, id: string, scope: string]>(
  'update connection_accounts set wanted_scope = $3 where tenant_id = $1 and id = $2',
);

export const insertAccount = statement<
  [
    tenantId: string,
    connectionId: string,
    memberId: string,
    id: string,
    address: string,
    issuer: string,
    scope: string | null,
    listsTools: boolean,
    sealed: Buffer,
    expiresAt: Date | null,
  ]
>(`
  insert into connection_accounts (tenant_id, connection_id, member_id, id, address, issuer, scope, wanted_scope, lists_tools,
                                   sealed, version, expires_at, renewing_until, connected_at, ended_at, ended_reason)
  values ($1, $2, $3, $4, $5, $6, $7, null, $8, $9, 1, $10, null, now(), null, null)`);

export interface DeletedAccount {
  id: string;
  sealed: Buffer | null;
}
export const deleteAccount = statement<[tenantId: string, connectionId: string, memberId: string], DeletedAccount>(`
  delete from connection_accounts where tenant_id = $1 and connection_id = $2 and member_id = $3
  returning id, sealed`);

export const deleteAccountsOfMember = statement<
  [tenantId: string, memberId: string],
  DeletedAccount & { connectionId: string }
>(`
  delete from connection_accounts where tenant_id = $1 and member_id = $2
  returning id, sealed, connection_id as "connectionId"`);

export const deleteAccountsOfConnection = statement<[tenantId: string, connectionId: string]>(
  'delete from connection_accounts where tenant_id = $1 and connection_id = $2',
);

/** Whether no other person's account lists the tools. Clears that role from an account that ended or whose person left. */
export const isListingAvailable = statement<
  [tenantId: string, connectionId: string, memberId: string],
  { isFree: boolean }
>(`
  with gone as (
    update connection_accounts a set lists_tools = false
    where a.tenant_id = $1 and a.connection_id = $2 and a.lists_tools
      and (a.ended_at is not null or not exists (
        select 1 from members m where m.tenant_id = a.tenant_id and m.id = a.member_id and m.status = 'active'))
    returning a.id)
  select not exists (
    select 1 from connection_accounts a
    where a.tenant_id = $1 and a.connection_id = $2 and a.member_id <> $3 and a.lists_tools
      and a.id not in (select id from gone)) as "isFree"`);

const endedReason = `
  case when a.address <> c.settings ->> 'url' then 'the address of the server was changed' else a.ended_reason end`;

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
/** The person's accounts, or these connections with or without an account. */
export const listAccountViews = statement<
  [tenantId: string, memberId: string, connectionIds: readonly string[] | null],
  AccountView
>(`
  select c.id as "connectionId", c.name, c.settings ->> 'url' as address, a.issuer, a.scope, a.wanted_scope as "wantedScope",
         a.lists_tools as "listsTools", a.connected_at as "connectedAt",
         ${endedReason} as "endedReason"
  from connections c
  left join connection_accounts a on a.tenant_id = c.tenant_id and a.connection_id = c.id and a.member_id = $2
  where c.tenant_id = $1 and c.removed_at is null and c.settings ->> 'credentials' = 'personal'
    and case when $3::uuid[] is null then a.id is not null else c.id = any ($3) end
  order by c.name, c.id`);

/** Accounts of all people, by name: a page per connection, after the id and name of the last row of the previous page. */
export const listConnectedAccounts = statement<
  [
    tenantId: string,
    connectionIds: string[],
    limits: number[],
    afterIds: (string | null)[],
    afterNames: (string | null)[],
  ],
  ConnectedAccount & { connectionId: string; nth: number; total: number }
>(`
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
  order by asked.nth, own.name, own.id`);
