import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** In the transaction of the change. */
type AccessChangeHandler = (tx: EntityManager, tenantId: string) => Promise<void>;

/** Changes of who may act as whom: accounts, memberships, groups, and who knows a credential. */
@Injectable()
export class AccessChangeNotifier {
  private readonly handlers: AccessChangeHandler[] = [];

  /** In `onModuleInit`. */
  subscribe(handler: AccessChangeHandler): void {
    this.handlers.push(handler);
  }

  /** At the end of the transaction that changes something: it waits for decisions that have read the state before it. */
  async publish(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [accessChangeLockKey(tenantId)]);
    for (const handler of this.handlers) await handler(tx, tenantId);
  }

  /** Before something is decided by who may act as whom: until this transaction ends, no change is committed. */
  async blockChanges(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [accessChangeLockKey(tenantId)]);
  }
}

const accessChangeLockKey = (tenantId: string) => `access changes of ${tenantId}`;
