import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { BulkDatabaseService } from '../platform/database/bulk-database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { resetNestedLoops, disableNestedLoops } from '../platform/database/nested-loops.sql.js';
import { anyUnmatched, type MatchedIdentity, matchIdentities } from './identity-matching.sql.js';
import { MemberPeopleSyncService } from './member-people-sync.service.js';
import { lockPeople, tryLockPeople } from './people-rows.sql.js';

/**
 * Matches identities to people by email address, alias or the vendor's user id. A match stays until an administrator
 * changes it: an email address can be reassigned to a new person, who must not inherit the usage of the previous one.
 */
@Injectable()
export class IdentityMatchingService implements OnModuleInit {
  constructor(
    private readonly bulk: BulkDatabaseService,
    private readonly queue: QueueService,
    private readonly audit: AuditService,
    private readonly memberPeopleSync: MemberPeopleSyncService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(job, ({ tenantId }) => this.runDeferredMatching(String(tenantId)));
  }

  /**
   * Call after members or identities changed, for one connection or for all. Returns the number of new matches, or 0 if
   * another transaction is changing people: a job then matches shortly after.
   */
  async match(tx: Tx, principal: Principal, connectionId?: string): Promise<number> {
    const [{ isMine }] = await tx.run(tryLockPeople, [principal.tenantId]);
    if (!isMine) return this.enqueueMatching(tx, principal);
    await this.memberPeopleSync.sync(tx, principal);
    const matched = await matchAll(tx, principal, connectionId);
    if (!matched.length) return 0;
    await this.audit.record(tx, principal, {
      kind: 'spend.identities_matched',
      detail: { ...(connectionId && { connectionId }), ...countBy(matched) },
    });
    return matched.length;
  }

  private async enqueueMatching(tx: Tx, { tenantId }: Principal): Promise<0> {
    await this.queue.add(tx, job, { tenantId }, { key: `${job} ${tenantId}` });
    return 0;
  }

  private async runDeferredMatching(tenantId: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'spend');
    await this.bulk.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [tenantId]);
      await this.match(tx, principal);
    });
  }
}

const job = 'spend.match';

/** Repeats until a round matches nothing: a new match can lead to other identities with the same vendor user id. */
async function matchAll(tx: Tx, { tenantId }: Principal, connectionId?: string): Promise<MatchedIdentity[]> {
  const where = [tenantId, connectionId ?? null] as const;
  const all: MatchedIdentity[][] = [];
  const [{ isAny }] = await tx.run(anyUnmatched, where);
  if (!isAny) return [];
  await tx.execute(disableNestedLoops);
  do all.push(await tx.run(matchIdentities, where));
  while (all.at(-1)!.length);
  await tx.execute(resetNestedLoops);
  return all.flat();
}

function countBy(matched: readonly MatchedIdentity[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { by } of matched) counts[by] = (counts[by] ?? 0) + 1;
  return counts;
}
