/** The members who submitted tasks of any tenants: [tenants, ids]. Tasks of agents have no member. */
export const ownersOfTasks = {
  name: 'tasks-owners',
  text: `
    select t.id, t.principal ->> 'memberId' as "memberId"
    from unnest($1::uuid[], $2::uuid[]) as asked (tenant_id, id)
    join tasks t on t.tenant_id = asked.tenant_id and t.id = asked.id
    where t.principal ->> 'memberId' is not null`,
};
