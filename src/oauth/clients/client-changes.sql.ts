import { statement } from '../../platform/database/statement.js';

export const membersWhoChangedClient = statement<[tenantId: string, clientId: string], { changedBy: string }>(
  'select distinct changed_by as "changedBy" from oauth_client_changes where tenant_id = $1 and client = $2',
);

export type ClientChange = 'registered' | 'updated' | 'secret_shown';

export const insertClientChange = statement<
  [tenantId: string, id: string, clientId: string, change: ClientChange, changedBy: string]
>(`
  insert into oauth_client_changes (tenant_id, id, client, change, changed_by, at)
  values ($1, $2, $3, $4, $5, clock_timestamp())`);
