import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { statement } from '../src/platform/database/statement.js';
import type { Tx } from '../src/platform/database/tx.js';
import type { Mismatches } from './kit/statement-check.js';

/* The compiler runs the tests of types (`npm run check:types`). */

const _findMember = statement<[tenantId: string, limit: number], { id: string; name: string | null; roles?: string[] }>(
  'select …',
);
const _updateSettings = statement<[settings: { limit: number }, list: string[]]>('update …');
type Params = ['uuid', 'integer'];

test('a statement whose types agree with the database has no mismatch', () => {
  expectTypeOf<Mismatches<typeof _findMember, Params, { id: 'uuid!'; name: 'text?' }>>().toEqualTypeOf<never>();
  expectTypeOf<
    Mismatches<typeof _findMember, Params, { id: 'uuid'; name: 'text'; roles: 'text[]!' }>
  >().toEqualTypeOf<never>();
  expectTypeOf<Mismatches<typeof _updateSettings, ['jsonb', 'text[]']>>().toEqualTypeOf<never>();
});

test('each difference is a mismatch', () => {
  type Row = { id: 'uuid!'; name: 'text?' };
  expectTypeOf<Mismatches<typeof _findMember, Params, { id: 'uuid?'; name: 'text!' }>>().toEqualTypeOf<
    'id may be null' | 'name is never null'
  >();
  expectTypeOf<
    Mismatches<typeof _findMember, Params, { id: 'integer!'; name: 'text?' }>
  >().toEqualTypeOf<'id is integer'>();
  expectTypeOf<Mismatches<typeof _findMember, Params, { id: 'uuid!'; title: 'text?' }>>().toEqualTypeOf<
    'name is not returned' | 'title is not declared'
  >();
  expectTypeOf<Mismatches<typeof _findMember, ['uuid', 'text'], Row>>().toEqualTypeOf<'$2 is text'>();
  expectTypeOf<Mismatches<typeof _findMember, ['uuid'], Row>>().toEqualTypeOf<'the statement has 1 parameters'>();
  expectTypeOf<Mismatches<typeof _updateSettings, ['jsonb', 'jsonb'], { id: 'uuid!' }>>().toEqualTypeOf<
    '$2 is jsonb: pass JSON.stringify(list)' | 'the statement returns rows: declare them'
  >();
  expectTypeOf<Mismatches<typeof _findMember, ['uuid', 'money'], Row>>().toEqualTypeOf<'$2: add money to ParamTypes'>();
});

test('the types of parameters are those of the statement, whatever the call passes', () => {
  const _run = (tx: Tx, name: string | null) => {
    // @ts-expect-error the limit is missing
    void tx.run(_findMember, ['tenant']);
    // @ts-expect-error a parameter that is never null
    void tx.run(_findMember, [name, 1]);
    return tx.run(_findMember, [name!, 1]);
  };
  expectTypeOf<Awaited<ReturnType<typeof _run>>[0]['name']>().toEqualTypeOf<string | null>();
});

const root = path.join(import.meta.dirname, '../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
const creates = /\b(?:statement|advisoryLock|sharedAdvisoryLock)(?:<|\()/;

test('statements are created in files whose exports are checked', () => {
  const elsewhere = sources.filter(({ file, text }) => !file.endsWith('.sql.ts') && creates.test(text));
  expect(elsewhere.map(({ file }) => file)).toEqual(['platform/database/advisory-lock.ts']);
});

test('every statement with a name of its own is exported', () => {
  const unexported = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^const (\w+) = (?:statement|advisoryLock|sharedAdvisoryLock)\b/gm)].map(
      ([, name]) => `${file} ${name}`,
    ),
  );
  expect(unexported).toEqual([]);
});
