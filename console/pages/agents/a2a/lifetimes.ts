const dayMs = 86_400_000;

export const lifetimes = [
  { value: '', label: 'Until it is revoked' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];

/** When a key that is made now ends; null: it does not by itself. */
export const expiry = (days: string): string | null =>
  days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null;
