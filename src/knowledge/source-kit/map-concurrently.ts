/** Yields the results in the order of the items. At most `limit` of them are in progress or wait to be consumed. */
export async function* mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const started: Promise<R>[] = [];
  for (let next = 0; next < items.length || started.length;) {
    while (next < items.length && started.length < limit) {
      const result = map(items[next++]);
      // a failure is thrown when its turn comes; until then, or after an earlier failure, it must not end the process
      result.catch(() => undefined);
      started.push(result);
    }
    yield await started.shift()!;
  }
}
