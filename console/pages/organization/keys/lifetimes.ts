const dayMs = 86_400_000;

/** Lifetimes of a credential, in days. */
export const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

/** The time of expiry (RFC 3339), less a minute, so that one year does not exceed the limit when the request arrives. */
export const daysFromNow = (days: number): string => new Date(Date.now() + days * dayMs - 60_000).toISOString();
