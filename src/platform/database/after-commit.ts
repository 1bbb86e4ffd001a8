import type { EntityManager } from 'typeorm';

type Then = () => void | Promise<void>;
const waiting = new WeakMap<object, Then[]>();
const key = (tx: EntityManager): object => tx.queryRunner ?? tx;

/** Runs `then` once the transaction of `tx` is committed, never when it is rolled back. */
export function afterCommit(tx: EntityManager, then: Then): void {
  const list = waiting.get(key(tx)) ?? [];
  waiting.set(key(tx), [...list, then]);
}

/** For the one place that commits. */
export async function committed(tx: EntityManager): Promise<void> {
  const list = waiting.get(key(tx)) ?? [];
  waiting.delete(key(tx));
  for (const then of list) await then();
}
