import { statement } from '../../platform/database/statement.js';

const thisMonth = `date_trunc('month', now() at time zone 'UTC')::date`;

/** An unknown cost makes the sum unknown. */
export const addTaskUsage = statement<
  [
    tenantId: string,
    connectionId: string,
    taskId: string,
    inputTokens: number,
    outputTokens: number,
    cost: string | null,
  ]
>(`
  insert into model_usage as u (tenant_id, connection_id, month, task_id, turns, input_tokens, output_tokens, cost)
  values ($1, $2, ${thisMonth}, $3, 1, $4, $5, $6)
  on conflict (tenant_id, connection_id, month, task_id) do update set
    turns = u.turns + 1, input_tokens = u.input_tokens + excluded.input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost`);

export const monthlyCost = statement<[tenantId: string, connectionId: string], { cost: string }>(`
  select coalesce(sum(cost), 0)::text as cost from model_usage
  where tenant_id = $1 and connection_id = $2 and month = ${thisMonth}`);

export interface ModelUsage {
  taskId: string;
  month: string;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Decimal; null if no price is set. */
  cost: string | null;
}

export const listModelUsage = statement<
  [tenantId: string, connectionIds: string[], firstDaysOfMonths: string[]],
  ModelUsage & { nth: number }
>(`
  select asked.nth::int, own.*
  from unnest($2::uuid[], $3::date[]) with ordinality asked(connection, month, nth)
  cross join lateral (
    select task_id as "taskId", month::text, turns, input_tokens::float8 as "inputTokens",
           output_tokens::float8 as "outputTokens", cost::text
    from model_usage where tenant_id = $1 and connection_id = asked.connection and month = asked.month
    order by model_usage.cost desc nulls last, task_id limit 1000
  ) own
  order by asked.nth, own.cost::numeric desc nulls last, own."taskId"`);
