import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import { Independence, type Introduction, type Vouch } from './independence.js';
import { introductionsOf, type StatusChange, statusChangesOf, vouchesOf } from './independence.sql.js';

export { Independence } from './independence.js';
export type { Introduction, IntroductionKind, Vouch } from './independence.js';

/** Loads the facts that determine which accounts one person could use. */
@Injectable()
export class IndependenceService {
  /** Loads these members and, transitively, everyone who introduced them or vouched for them. */
  async load(tx: Tx, tenantId: string, memberIds: readonly string[]): Promise<Independence> {
    const introductions: Introduction[] = [];
    const vouches: Vouch[] = [];
    const known = new Set<string>();
    let next = [...new Set(memberIds)];
    while (next.length) {
      for (const id of next) known.add(id);
      const found = await tx.run(introductionsOf, [tenantId, next]);
      const vouched = found.length ? await tx.run(vouchesOf, [tenantId, next]) : [];
      introductions.push(...found);
      vouches.push(...vouched);
      const others = [...found, ...vouched].flatMap(({ by }) => by ?? []);
      next = [...new Set(others)].filter((id) => !known.has(id));
    }
    return new Independence(introductions, vouches);
  }

  /** Whether neither could be the other's second account, and no one person introduced both. */
  async areIndependent(tx: Tx, tenantId: string, memberId: string, otherId: string): Promise<boolean> {
    return (await this.areEachIndependent(tx, tenantId, memberId, [otherId]))[0];
  }

  /** The same for several others, in their order. */
  async areEachIndependent(
    tx: Tx,
    tenantId: string,
    memberId: string,
    otherIds: readonly string[],
  ): Promise<boolean[]> {
    const independence = await this.load(tx, tenantId, [memberId, ...otherIds]);
    const own = independence.requesters([memberId]);
    return otherIds.map(
      (otherId) =>
        independence.isIndependent(memberId, independence.requesters([otherId])) &&
        independence.isIndependent(otherId, own),
    );
  }

  /** Status changes (suspended, reactivated, removed) of these members since then, and who made them. */
  statusChanges(tx: Tx, tenantId: string, since: Date, memberIds: readonly string[]): Promise<StatusChange[]> {
    return tx.run(statusChangesOf, [tenantId, since, memberIds]);
  }
}
