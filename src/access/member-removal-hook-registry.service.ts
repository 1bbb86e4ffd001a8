import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../principal/principal.js';

/** Ends what a room keeps of a member, in the transaction in which the member is removed. */
type MemberRemovalHook = (tx: EntityManager, principal: Principal, memberId: string) => Promise<void>;

/** What goes with a member who is removed for good. Who comes back is the same member, and must find none of it. */
@Injectable()
export class MemberRemovalHookRegistry {
  private readonly hooks: MemberRemovalHook[] = [];

  /** In `onModuleInit`. */
  register(end: MemberRemovalHook): void {
    this.hooks.push(end);
  }

  async run(tx: EntityManager, principal: Principal, memberId: string): Promise<void> {
    for (const end of this.hooks) await end(tx, principal, memberId);
  }
}
