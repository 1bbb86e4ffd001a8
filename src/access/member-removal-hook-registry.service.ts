import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';

/** Removes what a module stores for a member, in the transaction that removes the member. */
type MemberRemovalHook = (tx: Tx, principal: Principal, memberId: string) => Promise<void>;

/**
 * Deletes the data of removed members. A person who is invited again gets the same member id and must not find any of
 * it.
 */
@Injectable()
export class MemberRemovalHookRegistry {
  private readonly hooks: MemberRemovalHook[] = [];

  /** Call in `onModuleInit`. */
  register(end: MemberRemovalHook): void {
    this.hooks.push(end);
  }

  async run(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    for (const end of this.hooks) await end(tx, principal, memberId);
  }
}
