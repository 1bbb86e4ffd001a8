import { statement } from '../../platform/database/statement.js';

export const findEstateKey = statement<[tenantId: string], { sealed: Buffer }>(
  'select sealed from estate_keys where tenant_id = $1',
);

/** If two processes create a key at the same time, the first one wins. */
export const insertEstateKey = statement<[tenantId: string, sealed: Buffer]>(
  'insert into estate_keys (tenant_id, sealed, created_at) values ($1, $2, now()) on conflict do nothing',
);
