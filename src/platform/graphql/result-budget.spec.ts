import { ApolloServer } from '@apollo/server';
import { describe, expect, it } from 'vitest';
import { resultBudget } from './result-budget.plugin.js';

const row = { name: 'a' };
async function execute(query: string, rows: number, maxFields: number) {
  const server = new ApolloServer({
    typeDefs: 'type Row { name: String } type Query { rows: [Row!]! } type Mutation { write: [Row!]! }',
    resolvers: {
      Query: { rows: () => Array.from({ length: rows }, () => row) },
      Mutation: { write: () => Array.from({ length: rows }, () => row) },
    },
    plugins: [resultBudget(maxFields)],
  });
  const { body, http } = await server.executeOperation({ query });
  await server.stop();
  return { status: http.status, ...(body.kind === 'single' ? body.singleResult : {}) };
}

describe('the result budget', () => {
  it('allows a result that is exactly as large as the budget', async () => {
    const { status, data, errors } = await execute('{ rows { name } }', 9, 10);
    expect([status, errors, (data as { rows: object[] }).rows]).toEqual([undefined, undefined, Array(9).fill(row)]);
  });

  it('rejects a larger result as a whole', async () => {
    const { status, data, errors } = await execute('{ rows { name } }', 10, 10);
    expect([status, data]).toEqual([400, undefined]);
    expect(errors).toMatchObject([{ extensions: { code: 'invalid-request' } }]);
    expect(errors![0].message).toContain('more than 10 fields');
  });

  it('reports that a mutation took effect', async () => {
    const { errors } = await execute('mutation { write { name } }', 10, 10);
    expect(errors![0].message).toMatch(/^The change was made/);
  });
});
