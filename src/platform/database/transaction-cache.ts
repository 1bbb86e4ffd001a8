import type { EntityManager } from 'typeorm';

/**
 * What is asked of the tables in one transaction, each thing once: whoever is answered together shares the answers, and none
 * of them outlives the transaction.
 */
export class TransactionCache {
  private readonly results = new Map<string, Promise<unknown>>();

  constructor(readonly tx: EntityManager) {}

  /** `question`: everything that the answer depends on. */
  getOrLoad<T>(keyParts: readonly unknown[], load: (tx: EntityManager) => Promise<T>): Promise<T> {
    const key = JSON.stringify(keyParts);
    const cached = this.results.get(key) as Promise<T> | undefined;
    if (cached) return cached;
    const answer = load(this.tx);
    this.results.set(key, answer);
    return answer;
  }
}
