/** Across tenants: renews the leases of this process. $1 tenants, $2 ids, $3 seconds; 0 releases the leases. */
export const renewExchangeLeases = {
  name: 'mcp-exchanges-hold',
  text: `
    update mcp_exchanges e set alive_until = clock_timestamp() + $3 * interval '1 second'
    from unnest($1::uuid[], $2::uuid[]) as held (tenant_id, id)
    where e.tenant_id = held.tenant_id and e.id = held.id`,
};

/** Across tenants: deletes exchanges that clients can no longer resume. $1 seconds */
export const sweepMcpExchanges = `delete from mcp_exchanges where alive_until < now() - $1 * interval '1 second'`;
