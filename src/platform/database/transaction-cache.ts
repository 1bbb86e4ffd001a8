import type { Tx } from './tx.js';

/**
 * Caches reads of one transaction. Requests that are answered in the same batch share the results; no result outlives
 * the transaction.
 */
export class TransactionCache {
  private readonly results = new Map<string, Promise<unknown>>();

  constructor(readonly tx: Tx) {}

  /** `keyParts`: everything that the result depends on. */
  getOrLoad<T>(keyParts: readonly unknown[], load: (tx: Tx) => Promise<T>): Promise<T> {
    const key = JSON.stringify(keyParts);
    const cached = this.results.get(key) as Promise<T> | undefined;
    if (cached) return cached;
    const result = load(this.tx);
    this.results.set(key, result);
    return result;
  }
}
