import { statement } from '../platform/database/statement.js';

/**
 * Delete rows that can never be used again. Links stay for a month, so that administrators can see their final state.
 */
export const sweepSessions = statement<[idleSeconds: number]>(
  'delete from sessions where expires_at < now() or used_at < now() - make_interval(secs => $1)',
);
export const sweepLinks = statement(`delete from links where expires_at < now() - interval '30 days'`);
