import { statement } from '../platform/database/statement.js';
import type { QuarantinedDocument } from './quarantined-document.js';

const columns = `
  id, connection_id as "connectionId", external_id as "externalId", digest, size, reason, quarantined_at as "quarantinedAt"`;

export const listQuarantined = statement<[tenantId: string, connectionId: string], QuarantinedDocument>(`
  select ${columns} from knowledge_quarantine where tenant_id = $1 and connection_id = $2 order by external_id`);

export const findQuarantined = statement<[tenantId: string, id: string], QuarantinedDocument>(
  `select ${columns} from knowledge_quarantine where tenant_id = $1 and id = $2`,
);

export const upsertQuarantined = statement<
  [tenantId: string, id: string, connectionId: string, externalId: string, digest: string, size: number, reason: string]
>(`
  insert into knowledge_quarantine (tenant_id, id, connection_id, external_id, digest, size, reason, quarantined_at)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (tenant_id, id) do update
  set digest = excluded.digest, size = excluded.size, reason = excluded.reason, quarantined_at = excluded.quarantined_at`);

export const deleteQuarantined = statement<[tenantId: string, ids: readonly string[]], QuarantinedDocument>(`
  delete from knowledge_quarantine where tenant_id = $1 and id = any($2::uuid[])
  returning ${columns}`);

export const deleteAllQuarantined = statement<[tenantId: string, connectionId: string]>(
  'delete from knowledge_quarantine where tenant_id = $1 and connection_id = $2',
);
