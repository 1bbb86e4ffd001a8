import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';
import type { SpendBudget } from './budget.entity.js';
import type { SpendBudgetAlert } from './budget-status.entity.js';

/** Visibility of budgets of people. `groupIds`: the groups whose people the requester sees. */
export type BudgetVisibility = [
  tenantId: string,
  seesEveryone: boolean,
  groupIds: readonly string[],
  showsPseudonyms: boolean,
];

export interface BudgetRow extends SpendBudget {
  /** Name of the group, cost centre or person; empty for the organization. */
  name: string;
  /** Group of the person. */
  groupId: string | null;
}

const columns = `
  b.tenant_id as "tenantId", b.id, b.scope, b.unit_id as "unitId", b.person_id as "personId", b.counts,
  trim_scale(b.amount_cents) as "amountCents", b.thresholds, b.created_at as "createdAt",
  coalesce(u.name, case when $4::boolean then p.pseudonym else p.name end, '') as name,
  p.group_id as "groupId"`;
const visibleBudgets = `
  from spend_budgets b
  left join spend_units u on u.tenant_id = b.tenant_id and u.id = b.unit_id
  left join spend_people p on p.tenant_id = b.tenant_id and p.id = b.person_id
  where b.tenant_id = $1 and (b.person_id is null or $2::boolean or p.group_id = any($3::uuid[]))`;

/** By name, the organization's first. `lastName` and `lastId`: of the last budget of the previous page. */
export const listBudgets = statement<
  [...BudgetVisibility, lastName: string | null, lastId: string | null, limit: number],
  BudgetRow & { total: number }
>(`
  select * from (select ${columns}, count(*) over ()::int as total ${visibleBudgets}) budget
  where $5::text is null or (name, id) > ($5, $6::uuid)
  order by name, id limit $7`);

export const findBudget = statement<[...BudgetVisibility, id: string], BudgetRow>(
  `select ${columns} ${visibleBudgets} and b.id = $5`,
);

/** Serializes concurrent updates, so that the second one sees the result of the first. */
export const lockBudget = statement<[tenantId: string, id: string]>(
  `select from spend_budgets where tenant_id = $1 and id = $2 for update`,
);

/** Budgets that existed in the month. */
export const budgetsOfMonth = statement<[tenantId: string, month: Day], SpendBudget>(`
  select tenant_id as "tenantId", id, scope, unit_id as "unitId", person_id as "personId", counts,
         trim_scale(amount_cents) as "amountCents", thresholds, created_at as "createdAt"
  from spend_budgets where tenant_id = $1 and created_at < $2::date + interval '1 month'`);

/** Moves the budgets of a merged person that have no counterpart at the other person. */
export const inheritBudgets = statement<[tenantId: string, mergedPersonId: string, personId: string]>(`
  update spend_budgets b set person_id = $3
  where b.tenant_id = $1 and b.person_id = $2
    and not exists (select from spend_budgets o where o.tenant_id = $1 and o.person_id = $3 and o.counts = b.counts)`);

export const listBudgetAlerts = statement<
  [tenantId: string, budgetIds: readonly string[], month: Day],
  SpendBudgetAlert & { budgetId: string }
>(`
  select budget_id as "budgetId", threshold, reached_at as "reachedAt", trim_scale(spent_cents) as "spentCents",
         trim_scale(amount_cents) as "amountCents"
  from spend_budget_alerts where tenant_id = $1 and budget_id = any($2) and month = $3::date order by threshold`);

/** `spentCents`: of each budget. Returns only thresholds that are new. */
export const recordReachedThresholds = statement<
  [tenantId: string, month: Day, budgetIds: readonly string[], spentCents: readonly string[]],
  { budgetId: string; threshold: number }
>(`
  insert into spend_budget_alerts (tenant_id, budget_id, month, threshold, reached_at, spent_cents, amount_cents)
  select b.tenant_id, b.id, $2::date, t.threshold, now(), s.spent, b.amount_cents
  from unnest($3::uuid[], $4::numeric[]) s (id, spent)
  join spend_budgets b on b.tenant_id = $1 and b.id = s.id
  cross join unnest(b.thresholds) t (threshold)
  where s.spent * 100 >= b.amount_cents * t.threshold
  order by b.id, t.threshold
  on conflict (tenant_id, budget_id, month, threshold) do nothing
  returning budget_id as "budgetId", threshold`);
