import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import { lockAccessChanges, lockAccessChangesShared } from './independence.sql.js';

/** Runs in the transaction of the change. */
type AccessChangeHandler = (tx: Tx, tenantId: string) => Promise<void>;

/** Publishes changes to who may act as whom: accounts, memberships, groups, and holders of credentials. */
@Injectable()
export class AccessChangeNotifier {
  private readonly handlers: AccessChangeHandler[] = [];

  /** Call in `onModuleInit`. */
  subscribe(handler: AccessChangeHandler): void {
    this.handlers.push(handler);
  }

  /** Call at the end of the transaction that makes the change: it waits for decisions based on the earlier state. */
  async publish(tx: Tx, tenantId: string): Promise<void> {
    await tx.execute(lockAccessChanges, [accessChangeLockKey(tenantId)]);
    for (const handler of this.handlers) await handler(tx, tenantId);
  }

  /** Call before a decision that depends on who may act as whom: no change commits until this transaction ends. */
  async blockChanges(tx: Tx, tenantId: string): Promise<void> {
    await tx.execute(lockAccessChangesShared, [accessChangeLockKey(tenantId)]);
  }
}

const accessChangeLockKey = (tenantId: string) => `access changes of ${tenantId}`;
