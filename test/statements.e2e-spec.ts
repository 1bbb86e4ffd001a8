import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { databaseSchema } from '../src/migrations.js';
import { resolveDatabaseAddresses, workConnection, type WorkRole } from '../src/platform/database/addresses.js';
import { migrate } from '../src/platform/database/migrate.js';
import { emptyDatabase, testMasterKey } from './kit/database.js';
import { listStatements, type ListedStatement, rolesOf, StatementInspector } from './kit/statement-facts.js';

const committedTypes = path.join(import.meta.dirname, 'statement-types.ts');

let database: Awaited<ReturnType<typeof emptyDatabase>>;
const inspectors = new Map<WorkRole, StatementInspector>();
let statements: ListedStatement[];
beforeAll(async () => {
  statements = await listStatements();
  database = await emptyDatabase();
  const at = resolveDatabaseAddresses(database.url, testMasterKey);
  await migrate(at, testMasterKey, databaseSchema);
  for (const role of new Set(statements.flatMap(rolesOf)))
    inspectors.set(role, await StatementInspector.connect(workConnection(at.login, role)));
});
afterAll(async () => {
  await Promise.all([...inspectors.values()].map((inspector) => inspector.end()));
  await database.drop();
});

it('every statement has the types that the database gives it, for the roles that run it (update with npm run database:facts)', async () => {
  const lines: string[] = [];
  const failures: string[] = [];
  for (const listed of statements) {
    const { file, exportName, key, statement } = listed;
    const name = `${file} ${exportName}${key === undefined ? '' : `.${key}`}`;
    try {
      const [{ params, columns }] = await Promise.all(
        rolesOf(listed).map((role) => inspectors.get(role)!.factsOf(statement)),
      );
      const type = `typeof import('../${file.replace(/\.ts$/, '.js')}').${exportName}${key === undefined ? '' : `[${/^\d+$/.test(key) ? key : `'${key}'`}]`}`;
      const row = Object.keys(columns).length ? `, ${JSON.stringify(columns)}` : '';
      lines.push(`Verified<Mismatches<${type}, ${JSON.stringify(params)}${row}>>`);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  const source = `import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by \`npm run database:facts\`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
${lines.map((line) => `  ${line},`).join('\n')}
];
`;
  const formatted = await format(source, { ...(await resolveConfig(committedTypes)), parser: 'typescript' });
  if (process.env.UPDATE_DATABASE_FACTS) writeFileSync(committedTypes, formatted);
  expect(failures).toEqual([]);
  expect(formatted).toBe(readFileSync(committedTypes, 'utf8'));
});
