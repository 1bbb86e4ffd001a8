import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { SelectQueryBuilder } from 'typeorm';
import { firstIdAt } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest, notFound } from '../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import { AuditEvent } from './audit-event.entity.js';
import type { AuditFilter } from './audit-filter.js';
import { type AuditActorRow, auditActorsQuery, auditKindsQuery } from './audit.sql.js';

const dayMs = 86_400_000;
const pageSize = 1000;

/** Reads and exports the audit log of one organization. */
@Injectable()
export class AuditLogService {
  constructor(private readonly database: DatabaseService) {}

  /** Newest first. The total is counted for the first page only; the cursor carries it to the next pages. */
  list(principal: Principal, { first, after }: PageArgs, filter: AuditFilter = {}): Promise<Page<AuditEvent>> {
    const [last, counted] = after ? decodeCursor(after, ['id', 'text']) : [];
    return this.database.tenant(principal, async (tx) => {
      const query = filterEvents(tx, principal, filter);
      const total = /^\d{1,15}$/.test(counted ?? '') ? Number(counted) : await query.getCount();
      if (last) query.andWhere('e.id < :last', { last });
      const rows = await query
        .orderBy('e.id', 'DESC')
        .take(first + 1)
        .getMany();
      return toPage(rows, first, total, ({ id }) => [id, String(total)]);
    });
  }

  async get(principal: Principal, id: string): Promise<AuditEvent> {
    const { tenantId } = principal;
    const event = await this.database.tenant(principal, (tx) => tx.findOneBy(AuditEvent, { tenantId, id }));
    if (!event) throw notFound('Audit event not found.');
    return event;
  }

  listKinds(principal: Principal): Promise<string[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(auditKindsQuery, [principal.tenantId]);
      return rows.map(({ kind }) => kind);
    });
  }

  /** Every actor, with the name from its latest event. */
  listActors(principal: Principal): Promise<AuditActorRow[]> {
    return this.database.tenant(principal, (tx) => tx.run(auditActorsQuery, [principal.tenantId]));
  }

  /** The events of one kind, such as "call.", about each subject, oldest first; in the order of the ids. */
  listBySubjects(principal: Principal, kind: string, ids: readonly string[]): Promise<AuditEvent[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const events = await tx
        .createQueryBuilder(AuditEvent, 'e')
        .where(`e.tenantId = :tenantId and ${subjectId} = any (:ids) and starts_with(e.kind, :kind)`)
        .setParameters({ tenantId, ids, kind })
        .orderBy('e.id', 'ASC')
        .getMany();
      return groupedBy(ids, events, ({ subject }) => (subject as { id: string }).id);
    });
  }

  /** The next events after an id, oldest first. */
  listAfter(principal: Principal, filter: AuditFilter, last: string | undefined): Promise<AuditEvent[]> {
    return this.database.tenant(principal, (tx) => {
      const query = filterEvents(tx, principal, filter);
      if (last) query.andWhere('e.id > :last', { last });
      return query.orderBy('e.id', 'ASC').take(pageSize).getMany();
    });
  }
}

const actorId = `coalesce(e.actor ->> 'memberId', e.actor ->> 'agentId')`;
const subjectId = `(e.subject ->> 'id')`;

function filterEvents(tx: Tx, { tenantId }: Principal, filter: AuditFilter): SelectQueryBuilder<AuditEvent> {
  const { kind, from, to, search } = filter;
  if (from && to && from >= to)
    throw invalidRequest('The time range ends before it starts.', {
      errors: [{ pointer: '/from', detail: 'must be before "to"' }],
    });
  const query = tx.createQueryBuilder(AuditEvent, 'e').where('e.tenantId = :tenantId', { tenantId });
  if (kind) query.andWhere(kind.endsWith('.') ? 'starts_with(e.kind, :kind)' : 'e.kind = :kind', { kind });
  if (filter.actorId) query.andWhere(`${actorId} = :actorId`, { actorId: filter.actorId.toLowerCase() });
  if (filter.subjectId) query.andWhere(`${subjectId} = :subjectId`, { subjectId: filter.subjectId.toLowerCase() });
  // ids grow with time, but come from another clock than `at`: they narrow the index scan, and `at` decides
  if (from) query.andWhere('e.at >= :from and e.id >= :fromId', { from, fromId: firstIdAt(+from - dayMs) });
  if (to) query.andWhere('e.at < :to and e.id < :toId', { to, toId: firstIdAt(+to + dayMs) });
  if (search?.trim()) addSearch(query, search.trim());
  return query;
}

function addSearch(query: SelectQueryBuilder<AuditEvent>, search: string): void {
  if (isUUID(search)) {
    query.andWhere(`(e.id = :id or ${actorId} = :idText or ${subjectId} = :idText)`, {
      id: search,
      idText: search.toLowerCase(),
    });
    return;
  }
  const names = ['e.kind', `e.subject ->> 'name'`, `e.actor ->> 'name'`];
  query.andWhere(`(${names.map((name) => `strpos(lower(${name}), :words) > 0`).join(' or ')})`, {
    words: search.toLowerCase(),
  });
}
