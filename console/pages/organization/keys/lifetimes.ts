const dayMs = 86_400_000;

/** How long something may be used, counted from now. */
export const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];

/** The time at which it ends: RFC 3339. A minute before, so that "a year" is within a year when it gets there. */
export const daysFromNow = (days: number): string => new Date(Date.now() + days * dayMs - 60_000).toISOString();
