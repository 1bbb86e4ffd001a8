import type { EntityManager } from 'typeorm';

/**
 * Caches reads of one transaction. Requests that are answered in the same batch share the results; no result outlives
 * the transaction.
 */
export class TransactionCache {
  private readonly results = new Map<string, Promise<unknown>>();

  constructor(readonly tx: EntityManager) {}

  /** `keyParts`: everything that the result depends on. */
  getOrLoad<T>(keyParts: readonly unknown[], load: (tx: EntityManager) => Promise<T>): Promise<T> {
    const key = JSON.stringify(keyParts);
    const cached = this.results.get(key) as Promise<T> | undefined;
    if (cached) return cached;
    const result = load(this.tx);
    this.results.set(key, result);
    return result;
  }
}
