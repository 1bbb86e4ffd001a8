import { statement } from '../platform/database/statement.js';

/**
 * Across tenants: claims running shadows that have calls below `beforeId` and no job, up to `maxClaims` claims at the
 * same time. A claim ends by itself in case its job is lost.
 */
export const claimShadows = statement<
  [beforeId: string, claimSeconds: number, maxClaims: number],
  { tenantId: string; configurationId: string }
>(`
  update policy_shadows set claimed_until = now() + $2::int * interval '1 second'
  where (tenant_id, configuration_id) in (
    select s.tenant_id, s.configuration_id from policy_shadows s
    where s.stopped_at is null and (s.claimed_until is null or s.claimed_until <= now())
      and exists (select 1 from tool_calls c
                  where c.tenant_id = s.tenant_id and c.configuration_id = s.configuration_id
                    and c.id > s.evaluated_until and c.id < $1::uuid)
    order by s.claimed_until nulls first
    limit greatest($3::int - (select count(*) from policy_shadows where stopped_at is null and claimed_until > now()), 0)
    for update skip locked)
  returning tenant_id as "tenantId", configuration_id as "configurationId"`);
