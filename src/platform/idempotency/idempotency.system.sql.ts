/** $1 retention in hours */
export const deleteExpiredRequests = `delete from idempotent_requests where created_at < now() - $1 * interval '1 hour'`;
