import { statement } from '../../platform/database/statement.js';
import { accountsOfMember } from './readable-audiences.sql.js';

export interface AccountOfMember {
  externalId: string;
  name: string;
  email: string | null;
  isAssigned: boolean;
}
/** The accounts of a member at a connection. */
export const listAccountsOfMember = statement<
  [tenantId: string, connectionIds: readonly string[], memberId: string],
  AccountOfMember
>(`
  select external_id as "externalId", name, email, is_assigned as "isAssigned"
  from (${accountsOfMember('a.external_id, a.name, a.email')}) a order by external_id`);

/** How an account of the member belongs to a set: directly, or through a group. */
export interface MembershipPath {
  set: number;
  account: string;
  accountName: string;
  group: string | null;
}
export const listMembershipPaths = statement<
  [tenantId: string, connectionIds: readonly string[], memberId: string, audienceId: string],
  MembershipPath
>(`
  with account as materialized (
    ${accountsOfMember('a.connection_id, a.external_id, a.name, a.group_ids, a.set_ids')}
  )
  select s.number as set, a.external_id as account, a.name as "accountName", null as group
  from account a
  join source_audience_sets s on s.tenant_id = $1 and s.connection_id = a.connection_id and s.id = any(a.set_ids)
  where s.audience_id = $4
  union all
  select s.number, a.external_id, a.name, g.external_id
  from account a
  join source_groups g on g.tenant_id = $1 and g.connection_id = a.connection_id and g.id = any(a.group_ids)
  join source_audience_sets s on s.tenant_id = $1 and s.connection_id = g.connection_id and s.id = any(g.set_ids)
  where s.audience_id = $4
  order by 1, 2, 4`);

export interface AudienceRow {
  externalId: string;
  title: string;
  url: string | null;
  rule: string;
  readers: 'everyone' | 'unreadable' | 'sets';
  setCount: number;
}
export const findAudience = statement<[tenantId: string, connectionId: string, audienceId: string], AudienceRow>(`
  select external_id as "externalId", title, url, rule, readers, set_count as "setCount"
  from source_audiences where tenant_id = $1 and connection_id = $2 and id = $3`);

/** The groups and the audience that may read a document. */
export const findDocumentReaders = statement<
  [tenantId: string, documentId: string],
  { connectionId: string; groupIds: string[] | null; audienceId: string | null }
>(`
  select d.connection_id as "connectionId", s.group_ids as "groupIds", s.audience_id as "audienceId"
  from documents d join index_partitions s on s.tenant_id = d.tenant_id and s.id = d.partition_id
  where d.tenant_id = $1 and d.id = $2`);
