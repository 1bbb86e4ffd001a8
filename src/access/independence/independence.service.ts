import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Independence, type Introduction, type Vouch } from './independence.js';
import { introductionsOf, statusChangesOf, vouchesOf } from './independence.sql.js';

export { Independence } from './independence.js';
export type { Introduction, IntroductionKind, Vouch } from './independence.js';

/** Reads which accounts one person could use. */
@Injectable()
export class IndependenceService {
  /** For questions about these members: with everybody from whom an introduction or a vouch leads to one of them. */
  async load(tx: EntityManager, tenantId: string, memberIds: readonly string[]): Promise<Independence> {
    const introductions: Introduction[] = [];
    const vouches: Vouch[] = [];
    const known = new Set<string>();
    let next = [...new Set(memberIds)];
    while (next.length) {
      for (const id of next) known.add(id);
      const found = await tx.query<Introduction[]>(introductionsOf, [tenantId, next]);
      const vouched = found.length ? await tx.query<Vouch[]>(vouchesOf, [tenantId, next]) : [];
      introductions.push(...found);
      vouches.push(...vouched);
      const others = [...found, ...vouched].flatMap(({ by }) => by ?? []);
      next = [...new Set(others)].filter((id) => !known.has(id));
    }
    return new Independence(introductions, vouches);
  }

  /** By which members one of these was suspended, reactivated or removed since then. */
  statusChanges(
    tx: EntityManager,
    tenantId: string,
    since: Date,
    memberIds: readonly string[],
  ): Promise<{ changedBy: string; memberId: string; at: Date }[]> {
    return tx.query(statusChangesOf, [tenantId, since, memberIds]);
  }
}
