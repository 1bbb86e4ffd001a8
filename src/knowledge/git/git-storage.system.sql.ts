import { statement } from '../../platform/database/statement.js';

/** The ids of the given connections that are not removed, across all tenants. */
export const listExistingConnections = statement<[ids: readonly string[]], { id: string }>(`
  select id from connections where id = any($1::uuid[]) and removed_at is null`);
