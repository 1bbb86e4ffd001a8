import { statement } from '../database/statement.js';

export type OutboxPayload = Record<string, string | number | null>;

export const insertOutboxRow = statement<[tenantId: string, id: string, kind: string, payload: OutboxPayload]>(
  'insert into outbox (tenant_id, id, kind, payload, at) values ($1, $2, $3, $4, now())',
);

export const insertOutboxRows = statement<[tenantId: string, kind: string, ids: string[], payloads: string[]]>(
  `insert into outbox (tenant_id, id, kind, payload, at)
   select $1, id, $2, payload, now() from unnest($3::uuid[], $4::jsonb[]) as t (id, payload)`,
);
