import { statement } from '../database/statement.js';

/** A security definer function: the queue's tables belong to another role. */
export const enqueueJob = statement<
  [task: string, payload: string, key: string | null, runAt: Date | null, maxAttempts: number],
  { cs_enqueue: unknown }
>('select cs_enqueue($1, $2, $3, $4, $5)');

export const enqueueJobs = statement<
  [task: string, payloads: readonly string[], runAt: readonly Date[], maxAttempts: number],
  { cs_enqueue: unknown }
>(
  `select cs_enqueue($1, payload::json, null, run_at, $4)
   from unnest($2::jsonb[], $3::timestamptz[]) as t (payload, run_at)`,
);
