import DataLoader from 'dataloader';

/**
 * Loads the data of a field for all rows of a list in one statement. Each request has its own principal, and therefore
 * its own batch and cache: a request never gets data that was loaded for another one.
 */
export class RequestLoader<By extends object, Out, Key = string> {
  private readonly loaders = new WeakMap<By, DataLoader<Key, Out>>();

  /** `read` returns one value for each key, in the order of the keys. */
  constructor(private readonly read: (by: By, keys: readonly Key[]) => Promise<Out[]>) {}

  load(by: By, key: Key): Promise<Out> {
    const known = this.loaders.get(by);
    const loader =
      known ??
      new DataLoader<Key, Out>((keys) => this.read(by, keys), {
        batchScheduleFn: (run) => setImmediate(run), // guards of fields take several microtask turns
      });
    if (!known) this.loaders.set(by, loader);
    return loader.load(key);
  }
}

/** Groups rows by id, in the order of the ids. An id without rows gets an empty list. */
export function groupedBy<Row>(ids: readonly string[], rows: Row[], idOf: (row: Row) => string): Row[][] {
  const groups = Map.groupBy(rows, idOf);
  return ids.map((id) => groups.get(id) ?? []);
}
