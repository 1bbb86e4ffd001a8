import { statement } from '../database/statement.js';

/** A security definer function: the queue's tables belong to another role. */
export const enqueueJob = statement<
  [task: string, payload: string, key: string | null, runAt: Date | null, maxAttempts: number],
  { cs_enqueue: unknown }
>('select cs_enqueue($1, $2, $3, $4, $5)');
