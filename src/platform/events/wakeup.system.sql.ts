import { statement } from '../database/statement.js';

export const notifyChannel = statement<[channel: string, payload: string], { pg_notify: unknown }>(
  'select pg_notify($1, $2)',
);
