/** Runs at most `limit` at a time. Rejects with the first error. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
