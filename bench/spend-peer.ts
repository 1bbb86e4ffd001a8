import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { countMetrics, tokenMetrics } from '../src/spend/usage-row.ts';
import { chargeRow, daysOf, type Size, usageRow } from './spend-rows.ts';

/*
 * The same rows by COPY into equal tables with the same indexes. Ids of people and models are already known, the tables
 * are empty, and no coverage or sums are computed. Its first line contains the duration.
 */

const owner = new pg.Client(process.env.DATABASE_URL!);
await owner.connect();
const size = JSON.parse(process.env.SIZE!) as Size;
const tenant = '01a00000-0000-7000-8000-000000000000';
const today = new Date().toISOString().slice(0, 10);
const days = daysOf(new Date(Date.now() - (size.days - 1) * 86_400_000).toISOString().slice(0, 10), today);
const nobody = { kind: 'email', key: '' } as const;
const text = (values: unknown[]) => `${values.map((value) => value ?? '\\N').join('\t')}\n`;

await owner.query('drop table if exists bare_days, bare_charges');
await owner.query('create table bare_days (like spend_days including indexes)');
await owner.query('create table bare_charges (like spend_charges including indexes)');
await owner.query('checkpoint');
const before = performance.now();
await copy(
  'bare_days',
  [
    'tenant_id',
    'day',
    'identity',
    ...countMetrics,
    ...tokenMetrics,
    'charged_cents',
    'included_cents',
    'request_units',
  ],
  dayLines(),
);
if (size.hasEvents)
  await copy(
    'bare_charges',
    [
      'tenant_id',
      'day',
      'identity',
      'model',
      'is_included',
      'events',
      ...tokenMetrics,
      'charged_cents',
      'list_cents',
      'request_units',
    ],
    chargeLines(),
  );
const seconds = (performance.now() - before) / 1000;
await owner.query('drop table bare_days, bare_charges');
await owner.end();
process.stdout.write(`${JSON.stringify({ seconds })}\n`);

function* dayLines(): Generator<string> {
  for (const day of days)
    for (let person = 0; person < size.people; person++) {
      const row = usageRow(person, day, nobody);
      const charge = size.hasEvents ? chargeRow(person, day, nobody) : undefined;
      const sums = [charge?.chargedCents, charge?.isIncluded ? charge.chargedCents : null, charge?.requestUnits];
      yield text([
        tenant,
        day,
        person,
        ...countMetrics.map((name) => row[name]),
        ...tokenMetrics.map((name) => charge?.[name]),
        ...sums,
      ]);
    }
}

function* chargeLines(): Generator<string> {
  for (const day of days)
    for (let person = 0; person < size.people; person++) {
      const row = chargeRow(person, day, nobody);
      const amounts = [row.chargedCents, row.listCents, row.requestUnits];
      yield text([
        tenant,
        day,
        person,
        person % 12,
        row.isIncluded,
        row.events,
        ...tokenMetrics.map((name) => row[name]),
        ...amounts,
      ]);
    }
}

async function copy(table: string, columns: string[], lines: Iterable<string>): Promise<void> {
  const stream = owner.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunks(lines)), stream);
}

function* chunks(lines: Iterable<string>): Generator<Buffer> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 65_536) continue;
    yield Buffer.from(chunk, 'latin1');
    chunk = '';
  }
  yield Buffer.from(chunk, 'latin1');
}
