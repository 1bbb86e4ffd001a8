import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../principal/principal.js';

/** Ends what a room keeps of a member, in the transaction in which the member is removed. */
type End = (tx: EntityManager, principal: Principal, memberId: string) => Promise<void>;

/** What goes with a member who is removed for good. Who comes back is the same member, and must find none of it. */
@Injectable()
export class Departures {
  private readonly ends: End[] = [];

  /** In `onModuleInit`. */
  on(end: End): void {
    this.ends.push(end);
  }

  async of(tx: EntityManager, principal: Principal, memberId: string): Promise<void> {
    for (const end of this.ends) await end(tx, principal, memberId);
  }
}
