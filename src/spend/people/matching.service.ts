import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { OwnConnections } from '../../platform/database/own-connections.service.js';
import { Queue } from '../../platform/queue/queue.service.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { joinAsUsual, joinByHash } from '../join-by-hash.sql.js';
import { anyUnmatched, matchIdentities, type MatchedBy } from './matching.sql.js';
import { MembersAsPeople } from './members-as-people.service.js';
import { lockPeople, triesPeople } from './people-rows.js';

interface Matched {
  id: number;
  by: MatchedBy;
}

/**
 * Finds out whose an identity is: by the address, by an alias, by the vendor's own number. What was matched stays so until an
 * administrator changes it: addresses are given to new people, and the past of one is not the past of the other.
 */
@Injectable()
export class Matching implements OnModuleInit {
  constructor(
    private readonly bulk: OwnConnections,
    private readonly queue: Queue,
    private readonly audit: AuditService,
    private readonly membersAsPeople: MembersAsPeople,
  ) {}

  onModuleInit(): void {
    this.queue.handle(job, ({ tenantId }) => this.matchLate(String(tenantId)));
  }

  /**
   * After members or identities changed; of one connection, or of all. How many were matched: at once, or in a moment if
   * somebody else changes people right now.
   */
  async match(tx: EntityManager, principal: Principal, connectionId?: string): Promise<number> {
    if (!(await triesPeople(tx, principal.tenantId))) return this.later(tx, principal);
    await this.membersAsPeople.follow(tx, principal);
    const matched = await matchAll(tx, principal, connectionId);
    if (!matched.length) return 0;
    await this.audit.record(tx, principal, {
      kind: 'spend.identities_matched',
      detail: { ...(connectionId && { connectionId }), ...countBy(matched) },
    });
    return matched.length;
  }

  private async later(tx: EntityManager, { tenantId }: Principal): Promise<0> {
    await this.queue.add(tx, job, { tenantId }, { key: `${job} ${tenantId}` });
    return 0;
  }

  private async matchLate(tenantId: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'spend');
    await this.bulk.tenant(principal, async (tx) => {
      await lockPeople(tx, tenantId);
      await this.match(tx, principal);
    });
  }
}

const job = 'spend.match';

/** Until a round finds nobody: whom one found may lead to others with the same number at the vendor. */
async function matchAll(tx: EntityManager, { tenantId }: Principal, connectionId?: string): Promise<Matched[]> {
  const where = [tenantId, connectionId ?? null];
  const all: Matched[][] = [];
  const [{ isAny }] = await tx.query<[{ isAny: boolean }]>(anyUnmatched, where);
  if (!isAny) return [];
  await tx.query(joinByHash);
  do all.push(await tx.query<Matched[]>(matchIdentities, where));
  while (all.at(-1)!.length);
  await tx.query(joinAsUsual);
  return all.flat();
}

function countBy(matched: readonly Matched[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { by } of matched) counts[by] = (counts[by] ?? 0) + 1;
  return counts;
}
