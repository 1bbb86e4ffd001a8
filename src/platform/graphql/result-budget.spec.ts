import { ApolloServer } from '@apollo/server';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { limitResultFields, resultBudget } from './result-budget.js';

const row = { name: 'a', slow: async () => 'b', parts: async () => [{ name: 'c', slow: async () => 'd' }] };
async function execute(query: string, rowCount: number, maxFields: number) {
  const schema = buildSchema(`
    type Row { name: String! slow: String! parts: [Row!]! }
    type Query { rows: [Row!]! }
    type Mutation { write: [Row!]! }`);
  const rows = () => Array.from({ length: rowCount }, () => row);
  const server = new ApolloServer({
    schema: limitResultFields(schema, maxFields),
    rootValue: { rows, write: rows },
    plugins: [resultBudget(maxFields)],
  });
  const { body, http } = await server.executeOperation({ query });
  await server.stop();
  return { status: http.status, ...(body.kind === 'single' ? body.singleResult : {}) };
}

describe('the result budget', () => {
  it('allows a result that is exactly as large as the budget', async () => {
    const { status, data, errors } = await execute('{ rows { name } }', 9, 10);
    expect([status, errors, (data as { rows: object[] }).rows]).toEqual([
      undefined,
      undefined,
      Array(9).fill({ name: 'a' }),
    ]);
  });

  it('rejects a larger result as a whole', async () => {
    const { status, data, errors } = await execute('{ rows { name } }', 10, 10);
    expect([status, data]).toEqual([400, undefined]);
    expect(errors).toMatchObject([{ extensions: { code: 'invalid-request' } }]);
    expect(errors![0].message).toContain('more than 10 fields');
  });

  it('executes no row of a list that cannot fit', async () => {
    const { errors } = await execute('{ rows { name slow } }', 1_000_000, 10);
    expect(errors![0].message).toContain('more than 10 fields');
  });

  it('leaves no rejection unhandled when rows that are still executed exceed it', async () => {
    const { errors } = await execute('{ rows { slow parts { slow name } } }', 10, 35);
    expect(errors![0].message).toContain('more than 35 fields');
    await new Promise((resolve) => setTimeout(resolve, 10)); // an unhandled rejection fails the run
  });

  it('reports that a mutation took effect', async () => {
    const { errors } = await execute('mutation { write { name } }', 10, 10);
    expect(errors![0].message).toMatch(/^The change was made/);
  });
});
