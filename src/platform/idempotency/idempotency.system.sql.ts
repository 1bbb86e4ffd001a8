import { statement } from '../database/statement.js';

export const deleteExpiredRequests = statement<[retentionHours: number]>(
  `delete from idempotent_requests where created_at < now() - $1 * interval '1 hour'`,
);
