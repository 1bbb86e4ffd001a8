import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';

/** Counts anew what was counted for these identities, in the transaction in which they became somebody else's. */
type Recount = (tx: EntityManager, principal: Principal, identityIds: readonly number[]) => Promise<void>;

/**
 * To whom the past belongs: an identity got another person, or its person another group or cost centre. All of its history
 * moves with it. Sums by group are kept elsewhere, and register here in `onModuleInit`.
 */
@Injectable()
export class Attribution {
  private readonly recounts: Recount[] = [];

  onChanged(recount: Recount): void {
    this.recounts.push(recount);
  }

  async changed(tx: EntityManager, principal: Principal, identityIds: readonly number[]): Promise<void> {
    if (!identityIds.length) return;
    for (const recount of this.recounts) await recount(tx, principal, identityIds);
  }
}
