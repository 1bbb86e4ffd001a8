import { statement } from '../database/statement.js';

/** Affects no row if another process has run the periodic task within the interval. */
export const claimTick = statement<[name: string, seconds: number]>(
  `insert into ticks (name, due_at) values ($1, now() + $2 * interval '1 second')
   on conflict (name) do update set due_at = now() + $2 * interval '1 second' where ticks.due_at <= now()`,
);
