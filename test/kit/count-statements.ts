import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import pg from 'pg';

type Method = (...args: unknown[]) => unknown;

const statementCounter = new AsyncLocalStorage<{ count: number }>();

/** Counts only the SQL statements that requests to this server cause while `work` runs. */
export async function countStatements(server: Server, work: () => Promise<unknown>): Promise<number> {
  const total = { count: 0 };
  const http = server as unknown as { emit: Method };
  const { emit } = http;
  http.emit = function (this: unknown, ...args) {
    return args[0] === 'request' ? statementCounter.run(total, () => emit.apply(this, args)) : emit.apply(this, args);
  };
  try {
    await countingQueries(work);
  } finally {
    http.emit = emit;
  }
  return total.count;
}

/** Counts the SQL statements that `work` causes in this process. */
export async function countStatementsOf(work: () => Promise<unknown>): Promise<number> {
  const total = { count: 0 };
  await countingQueries(() => statementCounter.run(total, work));
  return total.count;
}

async function countingQueries(work: () => Promise<unknown>): Promise<void> {
  const client = pg.Client.prototype as unknown as { query: Method };
  const { query } = client;
  client.query = function (this: unknown, ...args) {
    const store = statementCounter.getStore();
    if (store) store.count++;
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    client.query = query;
  }
}
