const dayMs = 86_400_000;

export const lifetimes = [
  { value: '', label: 'No expiry' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

/** When a key that is created now expires; null: never. */
export const expiry = (days: string): string | null =>
  days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null;
