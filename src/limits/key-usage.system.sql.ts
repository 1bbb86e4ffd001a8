import { statement, type StatementRunner } from '../platform/database/statement.js';

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

type UsageColumns = [
  tenantIds: readonly string[],
  keyIds: readonly string[],
  kinds: readonly string[],
  slots: readonly number[],
  counts: readonly number[],
];

const upsertUsage = (count: string) => `
  insert into key_usage as usage (tenant_id, key_id, what, slot, count, at)
  select tenant_id, key_id, what, slot, count, now()
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[]) as spent(tenant_id, key_id, what, slot, count)
  on conflict (tenant_id, key_id, what, slot) do update set count = ${count}, at = now()
  returning key_id, what, slot, count`;

export const incrementCounts = statement<UsageColumns, UsageRow>(upsertUsage('usage.count + excluded.count'), {
  name: 'tasks-usage-add',
});
export const replaceCounts = statement<UsageColumns, UsageRow>(upsertUsage('excluded.count'), {
  name: 'tasks-usage-set',
});

/** Adds to the shared counts and returns the sums. Sorted, so that two processes cannot deadlock. */
export async function addUsage(runner: StatementRunner, spent: readonly UsageIncrement[]): Promise<UsageRow[]> {
  const rows = [...spent].sort((a, b) => usageSortKey(a).localeCompare(usageSortKey(b)));
  return runner.run(incrementCounts, toColumns(rows));
}

/** Reports how many streams this process (the slot) has open. */
export async function setUsage(runner: StatementRunner, spent: readonly UsageIncrement[]): Promise<void> {
  await runner.execute(replaceCounts, toColumns(spent));
}

/** What the other processes reported in the last seconds. */
export const usageElsewhere = statement<
  [keyIds: readonly string[], kind: string, ownSlot: number, seconds: number],
  { key_id: string; count: number }
>(
  `select key_id, sum(count)::int as count from key_usage
   where key_id = any($1::uuid[]) and what = $2 and slot <> $3 and at > now() - $4 * interval '1 second'
   group by key_id`,
  { name: 'tasks-usage-elsewhere' },
);

export const sweepUsage = statement("delete from key_usage where at < now() - interval '5 minutes'");

const toColumns = (rows: readonly UsageIncrement[]): UsageColumns => [
  rows.map((row) => row.tenantId),
  rows.map((row) => row.keyId),
  rows.map((row) => row.what),
  rows.map((row) => row.slot),
  rows.map((row) => row.count),
];

const usageSortKey = ({ keyId, what, slot }: UsageIncrement): string => `${keyId} ${what} ${slot}`;
