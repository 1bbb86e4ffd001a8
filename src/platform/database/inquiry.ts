import type { EntityManager } from 'typeorm';

/**
 * What is asked of the tables in one transaction, each thing once: whoever is answered together shares the answers, and none
 * of them outlives the transaction.
 */
export class Inquiry {
  private readonly answers = new Map<string, Promise<unknown>>();

  constructor(readonly tx: EntityManager) {}

  /** `question`: everything that the answer depends on. */
  once<T>(question: readonly unknown[], ask: (tx: EntityManager) => Promise<T>): Promise<T> {
    const key = JSON.stringify(question);
    const known = this.answers.get(key) as Promise<T> | undefined;
    if (known) return known;
    const answer = ask(this.tx);
    this.answers.set(key, answer);
    return answer;
  }
}
