import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';

/** Moves what a module stores for a person to another one, in the transaction that merges them. */
type PersonMergeHook = (tx: Tx, principal: Principal, people: { from: string; into: string }) => Promise<void>;

/** Moves the data of merged people. What no hook moves is deleted with the person. */
@Injectable()
export class PersonMergeHookRegistry {
  private readonly hooks: PersonMergeHook[] = [];

  /** Call in `onModuleInit`. */
  register(hook: PersonMergeHook): void {
    this.hooks.push(hook);
  }

  async run(tx: Tx, principal: Principal, people: { from: string; into: string }): Promise<void> {
    for (const hook of this.hooks) await hook(tx, principal, people);
  }
}
