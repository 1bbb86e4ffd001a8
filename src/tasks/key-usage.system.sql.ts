import type { Pool } from 'pg';

export interface UsageIncrement {
  tenantId: string;
  keyId: string;
  what: string;
  slot: number;
  count: number;
}
interface UsageRow {
  key_id: string;
  what: string;
  slot: number;
  count: number;
}

/** Adds to the shared counts and returns the sums. Sorted, so that two processes cannot deadlock. */
export async function addUsage(pool: Pool, spent: UsageIncrement[]): Promise<UsageRow[]> {
  const rows = [...spent].sort((a, b) => usageSortKey(a).localeCompare(usageSortKey(b)));
  return upsert(pool, 'tasks-usage-add', 'usage.count + excluded.count', rows);
}

/** Reports how many streams this process (the slot) has open. */
export async function setUsage(pool: Pool, spent: UsageIncrement[]): Promise<void> {
  await upsert(pool, 'tasks-usage-set', 'excluded.count', spent);
}

/** What the other processes reported in the last seconds. */
export async function usageElsewhere(
  pool: Pool,
  keyIds: string[],
  what: string,
  slot: number,
  seconds: number,
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ key_id: string; count: number }>({
    name: 'tasks-usage-elsewhere',
    text: `
      select key_id, sum(count)::int as count from key_usage
      where key_id = any($1::uuid[]) and what = $2 and slot <> $3 and at > now() - $4 * interval '1 second'
      group by key_id`,
    values: [keyIds, what, slot, seconds],
  });
  return new Map(rows.map((row) => [row.key_id, row.count]));
}

export async function sweepUsage(pool: Pool): Promise<void> {
  await pool.query(`delete from key_usage where at < now() - interval '5 minutes'`);
}

async function upsert(pool: Pool, name: string, count: string, rows: UsageIncrement[]): Promise<UsageRow[]> {
  const answer = await pool.query<UsageRow>({
    name,
    text: `
      insert into key_usage as usage (tenant_id, key_id, what, slot, count, at)
      select tenant_id, key_id, what, slot, count, now()
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[]) as spent(tenant_id, key_id, what, slot, count)
      on conflict (tenant_id, key_id, what, slot) do update set count = ${count}, at = now()
      returning key_id, what, slot, count`,
    values: [
      rows.map((r) => r.tenantId),
      rows.map((r) => r.keyId),
      rows.map((r) => r.what),
      rows.map((r) => r.slot),
      rows.map((r) => r.count),
    ],
  });
  return answer.rows;
}

const usageSortKey = ({ keyId, what, slot }: UsageIncrement): string => `${keyId} ${what} ${slot}`;
