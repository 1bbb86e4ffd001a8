import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { newId } from '../../platform/crypto/ids.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { SealerDatabaseService } from '../../platform/database/sealer-database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { auditActorOf } from '../audit-actor.js';
import { type AuditTombstone, eventText, isPresent, tombstoneText, tombstoneStatement } from './audit-head.js';
import { AuditSigningKeyService } from './audit-signing-key.service.js';
import { leafHash, MerkleTree } from './merkle-tree.js';
import { removableHead, removeEvents, tenantsWithTrees } from './sealer.sql.js';
import { newestTombstone, sealedEvents } from './seals.sql.js';

const everySeconds = 3600;
const dayMs = 86_400_000;
/** One transaction removes about this many events, so that it delays the sealing of new ones only briefly. */
const maxEventsAtOnce = 10_000;
const pageSize = 1000;

/**
 * Removes events after AUDIT_RETENTION_DAYS, up to a signed head that is older. A signed tombstone with the state of
 * the tree takes their place. Events that were changed are left, because they are evidence.
 */
@Injectable()
export class AuditRetentionScheduler implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly database: SealerDatabaseService,
    private readonly signingKey: AuditSigningKeyService,
    private readonly queue: QueueService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    const days = this.config.auditRetentionDays;
    if (days)
      this.queue.every('audit.retention', everySeconds, () => this.removeBefore(new Date(Date.now() - days * dayMs)));
  }

  async removeBefore(cutoff: Date): Promise<void> {
    const tenants = await this.database.transaction((tx) => tx.run(tenantsWithTrees));
    for (const { tenantId } of tenants) {
      try {
        while (await this.removeSome(tenantId, cutoff));
      } catch (error) {
        this.log.error({ err: error, tenantId }, 'old audit events could not be removed');
      }
    }
  }

  private async removeSome(tenantId: string, cutoff: Date): Promise<boolean> {
    const tombstone = await this.database.transaction(async (tx) => {
      const { to: from, frontier } = (await tx.one(newestTombstone, [tenantId])) ?? {
        to: 0,
        frontier: Buffer.alloc(0),
      };
      const head = await tx.one(removableHead, [tenantId, from, maxEventsAtOnce, cutoff]);
      if (!head) return null;
      const tree = new MerkleTree(from, frontier);
      await this.appendStoredEvents(tx, tenantId, tree, head.size);
      if (!tree.root().equals(head.root))
        throw new Error(
          `events between position ${from} and ${head.size} were changed: export and verify the audit log`,
        );
      return this.remove(tx, tenantId, from, tree, cutoff);
    });
    if (tombstone) this.log.info({ tombstone }, 'old audit events removed');
    return tombstone !== null;
  }

  /** Computes the leaves from the events, not from their stored hashes. */
  private async appendStoredEvents(tx: Tx, tenantId: string, tree: MerkleTree, size: number): Promise<void> {
    while (tree.size < size) {
      const rows = await tx.run(sealedEvents, [tenantId, tree.size, size, pageSize]);
      for (const row of rows) {
        if (row.position !== tree.size || !isPresent(row))
          throw new Error(`the event at position ${tree.size} is missing: export and verify the audit log`);
        tree.append(leafHash(eventText(row)));
      }
      if (!rows.length)
        throw new Error(`the event at position ${tree.size} is missing: export and verify the audit log`);
    }
  }

  private async remove(
    tx: Tx,
    tenantId: string,
    from: number,
    tree: MerkleTree,
    cutoff: Date,
  ): Promise<AuditTombstone> {
    const at = new Date();
    const epoch = await this.signingKey.findEpoch(tx);
    const frontier = tree.packFrontier();
    const statement = tombstoneStatement({ tenantId, from, to: tree.size, frontier, cutoff, at, epoch });
    const text = tombstoneText(statement);
    const signature = this.signingKey.sign(text);
    const detail = { from, to: tree.size, count: tree.size - from, cutoff, tombstone: sha256(text).toString('hex') };
    const actor = auditActorOf(systemPrincipal(tenantId, 'retention'));
    await tx.execute(removeEvents, [
      tenantId,
      tree.size,
      frontier,
      cutoff,
      at,
      epoch,
      signature,
      newId(),
      JSON.stringify(actor),
      JSON.stringify(detail),
    ]);
    return { ...statement, signature: signature.toString('hex') };
  }
}
