const maxSeconds = 3600;

/** The time in `Retry-After`, which contains seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterIn(headers: Headers, now = Date.now()): Date | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return new Date(now + Number(value) * 1000);
  // `Date.parse` alone accepts "-5"
  const time = / GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** The pause that `Retry-After` requests in seconds, at most an hour. */
export function retryAfterSecondsOf(headers: Headers, now = Date.now()): number | undefined {
  const at = retryAfterIn(headers, now);
  return at && Math.min(Math.max((at.getTime() - now) / 1000, 0), maxSeconds);
}
