/** Requests each key once per pass. */
export function remember<T>(cache: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const cached = cache.get(key);
  if (cached) return cached;
  const pending = read();
  cache.set(key, pending);
  return pending;
}
