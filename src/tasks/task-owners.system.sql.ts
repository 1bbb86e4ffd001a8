import { statement } from '../platform/database/statement.js';

/** The members who submitted tasks of any tenants. Tasks of agents have no member. */
export const ownersOfTasks = statement<
  [tenantIds: readonly string[], ids: readonly string[]],
  { id: string; memberId: string }
>(
  `select t.id, t.principal ->> 'memberId' as "memberId"
   from unnest($1::uuid[], $2::uuid[]) as asked (tenant_id, id)
   join tasks t on t.tenant_id = asked.tenant_id and t.id = asked.id
   where t.principal ->> 'memberId' is not null`,
  { name: 'tasks-owners' },
);
