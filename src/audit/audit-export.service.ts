import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { AuditEvent } from './audit-event.entity.js';
import type { AuditFilter } from './audit-filter.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditService } from './audit.service.js';
import { AuditHeadsService } from './audit-heads.service.js';
import { toSealedEvent } from './sealed-events.service.js';
import { type AuditTombstoneRow, exportedEvent, toHead, toTombstone } from './sealing/audit-head.js';
import { InclusionProofs } from './sealing/inclusion-proofs.js';
import { MerkleTree } from './sealing/merkle-tree.js';
import {
  eventsAndSeals,
  headsAfter,
  newestTombstone,
  sealedEvents,
  sealsOfEvents,
  tombstonesOf,
} from './sealing/seals.sql.js';

const batchSize = 1000;
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Exports the audit log of one organization as JSON Lines that an auditor can verify offline: events in the order of
 * their positions, then events that are not sealed yet, then the heads, the public keys, and a last line.
 */
@Injectable()
export class AuditExportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly log: AuditLogService,
    private readonly heads: AuditHeadsService,
  ) {}

  /** The export itself is recorded before the first line is returned. */
  async *export(principal: Principal, filter: AuditFilter): AsyncGenerator<string> {
    const to = new Date(Math.min(Date.now(), filter.to?.getTime() ?? Infinity));
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, { kind: 'audit.exported', detail: { ...filter, to } }),
    );
    const { tenantId } = principal;
    // before sealing, so that the events that record them are sealed
    const tombstones = await this.database.tenant(principal, (tx) => tx.run(tombstonesOf, [tenantId]));
    const head = await this.heads.sealAndFindNewest(principal);
    const size = head?.size ?? 0;
    const isFiltered = Object.values(filter).some((value) => value != null && value !== '');
    if (isFiltered) {
      yield* this.exportFiltered(principal, { ...filter, to }, size);
      if (head) yield toLines([{ head: toHead(head) }]);
    } else {
      yield* this.exportSealed(principal, tombstones, size);
      yield* this.exportUnsealed(principal, size);
      yield* this.exportHeads(principal, size);
    }
    const keys = head ? await this.heads.listKeys() : [];
    yield toLines([...keys.map((key) => ({ key })), { end: { tenantId, isFiltered, size } }]);
  }

  /** The records of retention come first: the events continue where they end. */
  private async *exportSealed(
    principal: Principal,
    tombstones: readonly AuditTombstoneRow[],
    size: number,
  ): AsyncGenerator<string> {
    const { tenantId } = principal;
    yield toLines(tombstones.map((row) => ({ tombstone: toTombstone(row) })));
    const start = tombstones.at(-1)?.to ?? 0;
    for (let from = start; from < size;) {
      const rows = await this.database.tenant(principal, async (tx) => {
        const found = await tx.run(sealedEvents, [tenantId, from, size, batchSize]);
        await refuseIfRemoved(tx, tenantId, start);
        return found;
      });
      if (!rows.length) return;
      yield toLines(rows.map(toSealedEvent));
      from = rows.at(-1)!.position + 1;
    }
  }

  private async *exportUnsealed(principal: Principal, size: number): AsyncGenerator<string> {
    const { tenantId } = principal;
    for (let after = firstId; ;) {
      const rows = await this.database.tenant(principal, (tx) =>
        tx.run(eventsAndSeals, [tenantId, after, size, batchSize]),
      );
      if (!rows.length) return;
      const ids = rows.filter(({ isSealed }) => !isSealed).map(({ id }) => id);
      if (ids.length) {
        const events = await this.database.tenant(principal, (tx) =>
          tx.find(AuditEvent, { where: { tenantId, id: In(ids) }, order: { id: 'ASC' } }),
        );
        yield toLines(events.map(exportedEvent));
      }
      after = rows.at(-1)!.id;
    }
  }

  private async *exportFiltered(principal: Principal, filter: AuditFilter, size: number): AsyncGenerator<string> {
    const { tenantId } = principal;
    const tombstone = await this.database.tenant(principal, (tx) => tx.one(newestTombstone, [tenantId]));
    const proofs = new InclusionProofs(tenantId, size, tombstone && new MerkleTree(tombstone.to, tombstone.frontier));
    for (let last: string | undefined; ;) {
      const events = await this.log.listAfter(principal, filter, last);
      if (!events.length) return;
      const ids = events.map(({ id }) => id);
      const lines = await this.database.tenant(principal, async (tx) => {
        const seals = new Map((await tx.run(sealsOfEvents, [tenantId, ids, size])).map((seal) => [seal.id, seal]));
        const proven: object[] = [];
        for (const event of events) {
          const seal = seals.get(event.id);
          proven.push({
            ...exportedEvent(event),
            ...(seal && {
              position: seal.position,
              leaf: seal.leaf.toString('hex'),
              proof: (await proofs.proofOf(tx, seal.position))?.map((hash) => hash.toString('hex')),
            }),
          });
        }
        await refuseIfRemoved(tx, tenantId, tombstone?.to ?? 0);
        return proven;
      });
      yield toLines(lines);
      last = ids.at(-1);
    }
  }

  private async *exportHeads(principal: Principal, size: number): AsyncGenerator<string> {
    for (let after = -1; ;) {
      const heads = await this.database.tenant(principal, (tx) =>
        tx.run(headsAfter, [principal.tenantId, after, size, batchSize]),
      );
      if (!heads.length) return;
      yield toLines(heads.map((head) => ({ head: toHead(head) })));
      after = heads.at(-1)!.size;
    }
  }
}

/** Events that were read after an export has started could be missing, and nothing in the file would explain it. */
async function refuseIfRemoved(tx: Tx, tenantId: string, start: number): Promise<void> {
  const tombstone = await tx.one(newestTombstone, [tenantId]);
  if (tombstone && tombstone.to > start) throw new Error('retention removed events during the export: export again');
}

const toLines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
