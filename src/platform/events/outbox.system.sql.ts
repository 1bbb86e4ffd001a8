/** Across tenants: what nobody came for in so many days. */
export const forgetOldNews = `
  delete from outbox where ctid in (
    select ctid from outbox where at < now() - $1 * interval '1 day' limit $2)`;
