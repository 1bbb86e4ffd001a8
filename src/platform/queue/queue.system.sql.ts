import { statement } from '../database/statement.js';

/** The periodic tasks whose interval is over. Usually none is, so one statement asks for all of them. */
export const findDueTicks = statement<[names: string[]], { name: string }>(
  `select due.name from unnest($1::text[]) as due(name)
    where not exists (select from ticks t where t.name = due.name and t.due_at > now())`,
);

/** Affects no row if another process has run the periodic task within the interval. */
export const claimTick = statement<[name: string, seconds: number]>(
  `insert into ticks (name, due_at) values ($1, now() + $2 * interval '1 second')
   on conflict (name) do update set due_at = now() + $2 * interval '1 second' where ticks.due_at <= now()`,
);

/** For a periodic task that was claimed and could not run: it is due again at once. */
export const postponeTick = statement<[name: string]>(`update ticks set due_at = now() where name = $1`);
