import { ApolloServer } from '@apollo/server';
import { describe, expect, it } from 'vitest';
import { resultBudget } from './result-budget.plugin.js';

const row = { name: 'a' };
async function ask(query: string, rows: number, most: number) {
  const server = new ApolloServer({
    typeDefs: 'type Row { name: String } type Query { rows: [Row!]! } type Mutation { write: [Row!]! }',
    resolvers: {
      Query: { rows: () => Array.from({ length: rows }, () => row) },
      Mutation: { write: () => Array.from({ length: rows }, () => row) },
    },
    plugins: [resultBudget(most)],
  });
  const { body, http } = await server.executeOperation({ query });
  await server.stop();
  return { status: http.status, ...(body.kind === 'single' ? body.singleResult : {}) };
}

describe('the budget of a result', () => {
  it('lets a result through that is as large as the budget', async () => {
    const { status, data, errors } = await ask('{ rows { name } }', 9, 10);
    expect([status, errors, (data as { rows: object[] }).rows]).toEqual([undefined, undefined, Array(9).fill(row)]);
  });

  it('refuses a larger result as a whole', async () => {
    const { status, data, errors } = await ask('{ rows { name } }', 10, 10);
    expect([status, data]).toEqual([400, undefined]);
    expect(errors).toMatchObject([{ extensions: { code: 'invalid-request' } }]);
    expect(errors![0].message).toContain('more than 10 fields');
  });

  it('says of a mutation that the change was made', async () => {
    const { errors } = await ask('mutation { write { name } }', 10, 10);
    expect(errors![0].message).toMatch(/^The change was made/);
  });
});
