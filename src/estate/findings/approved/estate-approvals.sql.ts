import { statement } from '../../../platform/database/statement.js';
import type { ApprovableServer, ApprovedItem, ApprovedKind } from './approved-list.js';
import type { EstateApproval } from './estate-approval.entity.js';

export type ApprovalRow = Omit<EstateApproval, 'entries'>;

/** Newest first. `lastId`: of the previous page. */
export const listApproved = statement<
  [tenantId: string, lastId: string | null, limit: number],
  ApprovalRow & { total: number }
>(`
  with listed as (select * from estate_approved where tenant_id = $1 and withdrawn_at is null)
  select a.id, a.kind, a.value, a.server_id as "serverId", s.name as "serverName", a.note, a.approved_by as "approvedBy",
         m.name as "approvedByName", a.approved_at as "approvedAt", (select count(*)::int from listed) as total
  from listed a left join estate_servers s on s.tenant_id = a.tenant_id and s.id = a.server_id
  left join members m on m.tenant_id = a.tenant_id and m.id = a.approved_by
  where $2::uuid is null or a.id < $2
  order by a.id desc limit $3`);

export const findApproved = statement<[tenantId: string, id: string], ApprovalRow>(`
  select a.id, a.kind, a.value, a.server_id as "serverId", s.name as "serverName", a.note, a.approved_by as "approvedBy",
         m.name as "approvedByName", a.approved_at as "approvedAt"
  from estate_approved a left join estate_servers s on s.tenant_id = a.tenant_id and s.id = a.server_id
  left join members m on m.tenant_id = a.tenant_id and m.id = a.approved_by
  where a.tenant_id = $1 and a.id = $2`);

/** No row: already approved. */
export const insertApproved = statement<
  [
    tenantId: string,
    id: string,
    kind: ApprovedKind,
    value: string,
    serverId: string | null,
    note: string | null,
    memberId: string | null,
  ],
  { id: string }
>(`
  insert into estate_approved (tenant_id, id, kind, value, server_id, note, approved_by, approved_at)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (tenant_id, kind, value) where withdrawn_at is null do nothing
  returning id`);

export const revokeApproved = statement<[tenantId: string, id: string], ApprovedItem>(`
  update estate_approved set withdrawn_at = now() where tenant_id = $1 and id = $2 and withdrawn_at is null
  returning kind, value`);

/** The current definition. */
export const findEntryDefinition = statement<
  [tenantId: string, entryId: string],
  { serverId: string; hash: string; name: string }
>(`select server_id as "serverId", definition_hash as hash, name from estate_entries where tenant_id = $1 and id = $2`);

export const listApprovedItems = statement<[tenantId: string], ApprovedItem>(`
  select kind, value from estate_approved where tenant_id = $1 and withdrawn_at is null order by kind, value`);

/** The different definitions that current entries have. */
export const definitionsOfServers = statement<
  [tenantId: string, serverIds: readonly string[]],
  ApprovableServer & { serverId: string }
>(`
  select distinct on (server_id, definition_hash) server_id as "serverId", definition_hash as "definitionHash", package,
         host, url_scheme as "urlScheme"
  from estate_entries where tenant_id = $1 and server_id = any($2::uuid[]) and gone_at is null
  order by server_id, definition_hash`);
