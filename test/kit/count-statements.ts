import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import pg from 'pg';

type Method = (...args: unknown[]) => unknown;

const statementCounter = new AsyncLocalStorage<{ count: number }>();

/** Counts only the SQL statements that requests to this server cause while `work` runs. */
export async function countStatements(server: Server, work: () => Promise<unknown>): Promise<number> {
  const total = { count: 0 };
  const http = server as unknown as { emit: Method };
  const client = pg.Client.prototype as unknown as { query: Method };
  const { emit } = http;
  const { query } = client;
  http.emit = function (this: unknown, ...args) {
    return args[0] === 'request' ? statementCounter.run(total, () => emit.apply(this, args)) : emit.apply(this, args);
  };
  client.query = function (this: unknown, ...args) {
    const store = statementCounter.getStore();
    if (store) store.count++;
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    http.emit = emit;
    client.query = query;
  }
  return total.count;
}
