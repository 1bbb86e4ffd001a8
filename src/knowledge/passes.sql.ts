import { statement } from '../platform/database/statement.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { PassKind } from './source.entity.js';
import type { PassState } from './sync-run.js';

export interface PassRow {
  id: string;
  kind: PassKind;
  connection_revision: number;
  started_at: Date;
  progress: JsonObject;
  state: PassState;
}
export const findPass = statement<[tenantId: string, connectionId: string], PassRow>(`
  select id, kind, connection_revision, started_at, progress, state
  from source_passes where tenant_id = $1 and connection_id = $2`);

export const storePass = statement<
  [
    tenantId: string,
    connectionId: string,
    id: string,
    kind: PassKind,
    connectionRevision: number,
    startedAt: Date,
    progress: string,
    state: string,
  ]
>(`
  insert into source_passes (tenant_id, connection_id, id, kind, connection_revision, started_at, progress, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, connection_id) do update
  set id = $3, kind = $4, connection_revision = $5, started_at = $6, progress = $7, state = $8`);

export const deletePass = statement<[tenantId: string, connectionId: string]>(
  'delete from source_passes where tenant_id = $1 and connection_id = $2',
);

export const listPassMarks = statement<[tenantId: string, connectionId: string, passId: string], { marks: Buffer }>(`
  select marks from source_pass_marks where tenant_id = $1 and connection_id = $2 and pass_id = $3 order by number`);

export const insertPassMarks = statement<
  [tenantId: string, connectionId: string, passId: string, number: number, marks: Buffer]
>(`
  insert into source_pass_marks (tenant_id, connection_id, pass_id, number, marks) values ($1, $2, $3, $4, $5)`);

export const deletePassMarks = statement<[tenantId: string, connectionId: string]>(
  'delete from source_pass_marks where tenant_id = $1 and connection_id = $2',
);

export const listHints = statement<[tenantId: string, connectionId: string], { id: string; hint: JsonObject }>(`
  select id, hint from source_hints where tenant_id = $1 and connection_id = $2 order by id`);

export const insertHints = statement<
  [tenantId: string, connectionId: string, ids: readonly string[], hints: readonly string[]]
>(`
  insert into source_hints (tenant_id, connection_id, id, hint)
  select $1, $2, id, hint from unnest($3::uuid[], $4::jsonb[]) as new (id, hint)`);

export const countHints = statement<[tenantId: string, connectionId: string], { count: number }>(
  'select count(*)::int as count from source_hints where tenant_id = $1 and connection_id = $2',
);

export const deleteHints = statement<[tenantId: string, connectionId: string, ids: readonly string[]]>(`
  delete from source_hints where tenant_id = $1 and connection_id = $2 and id = any($3::uuid[])`);

export const deleteAllHints = statement<[tenantId: string, connectionId: string]>(
  'delete from source_hints where tenant_id = $1 and connection_id = $2',
);
