import type { EntityManager } from 'typeorm';

type CommitCallback = () => void | Promise<void>;
const callbacksByTransaction = new WeakMap<object, CommitCallback[]>();
const transactionKey = (tx: EntityManager): object => tx.queryRunner ?? tx;

/** Runs `then` once the transaction of `tx` is committed, never when it is rolled back. */
export function afterCommit(tx: EntityManager, then: CommitCallback): void {
  const list = callbacksByTransaction.get(transactionKey(tx)) ?? [];
  callbacksByTransaction.set(transactionKey(tx), [...list, then]);
}

/** For the one place that commits. */
export async function runAfterCommitCallbacks(tx: EntityManager): Promise<void> {
  const list = callbacksByTransaction.get(transactionKey(tx)) ?? [];
  callbacksByTransaction.delete(transactionKey(tx));
  for (const then of list) await then();
}
