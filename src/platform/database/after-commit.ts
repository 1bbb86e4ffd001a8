import type { EntityManager } from 'typeorm';

type CommitCallback = () => void | Promise<void>;
const callbacksByTransaction = new WeakMap<object, CommitCallback[]>();
const transactionKey = (tx: EntityManager): object => tx.queryRunner ?? tx;

/** Runs `then` after the transaction of `tx` commits. Does not run it after a rollback. */
export function afterCommit(tx: EntityManager, then: CommitCallback): void {
  const list = callbacksByTransaction.get(transactionKey(tx)) ?? [];
  callbacksByTransaction.set(transactionKey(tx), [...list, then]);
}

/** Only for the code that commits (transaction.ts). */
export async function runAfterCommitCallbacks(tx: EntityManager): Promise<void> {
  const list = callbacksByTransaction.get(transactionKey(tx)) ?? [];
  callbacksByTransaction.delete(transactionKey(tx));
  for (const then of list) await then();
}
