import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { newId } from '../../platform/crypto/ids.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { SealerDatabaseService } from '../../platform/database/sealer-database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { auditActorOf } from '../audit-actor.js';
import {
  type AuditTombstone,
  eventText,
  exportedEvent,
  isPresent,
  tombstoneStatement,
  tombstoneText,
} from './audit-head.js';
import { AuditSigningKeyService } from './audit-signing-key.service.js';
import { leafHash, MerkleTree } from './merkle-tree.js';
import { removableHead, removeEvents, tenantsWithOldEvents, tryLockRetention } from './sealer.sql.js';
import { newestTombstone, sealedEvents } from './seals.sql.js';

const jobName = 'audit.retention';
const everySeconds = 3600;
/** The sealer has few connections: a process removes events of one tenant at a time. */
const busyPauseMs = 5000;
const dayMs = 86_400_000;
/** One job removes about this many events, so that it delays the sealing of new ones only briefly. */
const maxEventsAtOnce = 10_000;
const pageSize = 1000;

/**
 * Removes events after AUDIT_RETENTION_DAYS, up to a signed head that is older. A signed tombstone with the state of
 * the tree takes their place. Events that were changed are left, because they are evidence.
 */
@Injectable()
export class AuditRetentionScheduler implements OnModuleInit {
  private isRemoving = false;

  constructor(
    private readonly config: Config,
    private readonly sealer: SealerDatabaseService,
    private readonly database: DatabaseService,
    private readonly signingKey: AuditSigningKeyService,
    private readonly queue: QueueService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    const days = this.config.auditRetentionDays;
    if (!days) return;
    const cutoff = () => new Date(Date.now() - days * dayMs);
    this.queue.handle(jobName, ({ tenantId }, signal) => this.runJob(String(tenantId), cutoff(), signal));
    this.queue.every(jobName, everySeconds, () => this.enqueueAll(cutoff()));
  }

  /** One job for each organization, so that nothing else waits for a long first run. */
  async enqueueAll(cutoff: Date): Promise<void> {
    const tenants = await this.sealer.transaction((tx) => tx.run(tenantsWithOldEvents, [cutoff]));
    for (const { tenantId } of tenants) await this.enqueue(tenantId);
  }

  private enqueue(tenantId: string, runAt?: Date): Promise<void> {
    const options = { key: `${jobName}:${tenantId}`, runAt };
    return this.database.tenant({ tenantId }, (tx) => this.queue.add(tx, jobName, { tenantId }, options));
  }

  /** Removes some events, and continues with another job. After an error, the next periodic run tries again. */
  private async runJob(tenantId: string, cutoff: Date, signal: AbortSignal): Promise<void> {
    if (this.isRemoving) return this.enqueue(tenantId, new Date(Date.now() + busyPauseMs));
    this.isRemoving = true;
    let hasMore = false;
    try {
      hasMore = await this.removeSome(tenantId, cutoff, signal);
    } catch (error) {
      signal.throwIfAborted(); // the queue repeats the job
      this.log.error({ err: error, tenantId }, 'old audit events could not be removed');
    } finally {
      this.isRemoving = false;
    }
    if (hasMore) await this.enqueue(tenantId);
  }

  /** False: there is nothing to remove, or another process removes it. */
  async removeSome(tenantId: string, cutoff: Date, signal?: AbortSignal): Promise<boolean> {
    const tombstone = await this.sealer.transaction(async (tx) => {
      if (!(await tx.one(tryLockRetention, [tenantId]))!.isAlone) return null;
      const { to: from, frontier } = (await tx.one(newestTombstone, [tenantId])) ?? {
        to: 0,
        frontier: Buffer.alloc(0),
      };
      const head = await tx.one(removableHead, [tenantId, from, maxEventsAtOnce, cutoff]);
      if (!head) return null;
      const tree = new MerkleTree(from, frontier);
      await this.appendStoredEvents(tx, tenantId, tree, head.size, signal);
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
  private async appendStoredEvents(
    tx: Tx,
    tenantId: string,
    tree: MerkleTree,
    size: number,
    signal?: AbortSignal,
  ): Promise<void> {
    while (tree.size < size) {
      signal?.throwIfAborted();
      const rows = await tx.run(sealedEvents, [tenantId, tree.size, size, pageSize]);
      for (const row of rows) {
        if (row.position !== tree.size || !isPresent(row))
          throw new Error(`the event at position ${tree.size} is missing: export and verify the audit log`);
        tree.append(leafHash(eventText(exportedEvent(row))));
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
      from,
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
