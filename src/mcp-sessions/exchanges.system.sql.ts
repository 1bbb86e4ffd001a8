import { statement } from '../platform/database/statement.js';

/** Across tenants: renews the leases of this process. 0 seconds release the leases. */
export const renewExchangeLeases = statement<
  [tenantIds: readonly string[], exchangeIds: readonly string[], seconds: number]
>(
  `
    update mcp_exchanges e set alive_until = clock_timestamp() + $3 * interval '1 second'
    from unnest($1::uuid[], $2::uuid[]) as held (tenant_id, id)
    where e.tenant_id = held.tenant_id and e.id = held.id`,
  { name: 'mcp-exchanges-hold' },
);

/** Across tenants: deletes exchanges that clients can no longer resume. */
export const sweepMcpExchanges = statement<[retentionSeconds: number]>(
  `delete from mcp_exchanges where alive_until < now() - $1 * interval '1 second'`,
);
