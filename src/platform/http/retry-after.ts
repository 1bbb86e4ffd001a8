const maxSeconds = 3600;

/** `Retry-After`, at most an hour: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterSecondsOf(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : / GMT$/.test(value)
      ? (Date.parse(value) - now) / 1000
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxSeconds);
}
