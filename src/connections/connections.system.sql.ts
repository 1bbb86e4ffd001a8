/** Connections whose last verification is older than their time: ten minutes, or one where it failed. [limit] */
export const dueForVerification = `
  select tenant_id as "tenantId", id from connections
  where removed_at is null and paused_at is null and status <> 'unverified'
    and verified_at < now() - case status when 'failed' then interval '1 minute' else interval '10 minutes' end
  order by verified_at limit $1`;
