import { statement } from '../platform/database/statement.js';

/** Locks the row until the transaction ends. */
export const lockConnectionRevision = statement<[tenantId: string, id: string], { revision: number }>(
  'select revision from connections where tenant_id = $1 and id = $2 and removed_at is null for update',
);

export interface ConnectionSecretRow {
  revision: number;
  /** null in the only row of a connection without credentials. */
  name: string | null;
  sealed: Buffer | null;
}
export const listConnectionSecrets = statement<[tenantId: string, connectionId: string], ConnectionSecretRow>(`
  select c.revision, s.name, s.sealed from connections c
  left join connection_secrets s on s.tenant_id = c.tenant_id and s.connection_id = c.id
  where c.tenant_id = $1 and c.id = $2`);

export const listSecretNames = statement<
  [tenantId: string, connectionIds: readonly string[]],
  { connectionId: string; name: string }
>(`
  select connection_id as "connectionId", name from connection_secrets
  where tenant_id = $1 and connection_id = any ($2) order by name`);

export const storeConnectionSecret = statement<[tenantId: string, connectionId: string, name: string, sealed: Buffer]>(`
  insert into connection_secrets (tenant_id, connection_id, name, sealed) values ($1, $2, $3, $4)
  on conflict (tenant_id, connection_id, name) do update set sealed = excluded.sealed`);

export const deleteConnectionSecret = statement<[tenantId: string, connectionId: string, name: string]>(
  'delete from connection_secrets where tenant_id = $1 and connection_id = $2 and name = $3',
);

export const deleteConnectionSecrets = statement<[tenantId: string, connectionId: string]>(
  'delete from connection_secrets where tenant_id = $1 and connection_id = $2',
);
