import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';

/** Deletes the credentials that a module stores for a connection, in the transaction that clears the connection's own. */
type CredentialRemovalHook = (tx: Tx, tenantId: string, connectionId: string) => Promise<void>;

/** Leaves no credential behind when a connection is removed or gets another target. */
@Injectable()
export class CredentialRemovalHookRegistry {
  private readonly hooks: CredentialRemovalHook[] = [];

  /** Call in `onModuleInit`. */
  register(hook: CredentialRemovalHook): void {
    this.hooks.push(hook);
  }

  async run(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    for (const hook of this.hooks) await hook(tx, tenantId, connectionId);
  }
}
