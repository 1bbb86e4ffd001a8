/** Parses `Retry-After` (RFC 9110, section 10.2.3): seconds or a date. */
export function retryAfterOf({ headers }: Response, now = Date.now()): Date | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const time = /^\d{1,9}$/.test(value) ? now + Number(value) * 1000 : Date.parse(value);
  return Number.isNaN(time) || time <= now ? undefined : new Date(time);
}
