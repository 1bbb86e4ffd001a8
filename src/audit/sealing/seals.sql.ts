import { statement } from '../../platform/database/statement.js';
import type { AuditHeadRow, AuditTombstoneRow } from './audit-head.js';

export interface SealedEventRow {
  position: number;
  leaf: Buffer;
  id: string;
  /** Null if somebody has removed the event. So are the other columns. */
  at: Date | null;
  kind: string | null;
  actor: object | null;
  subject: object | null;
  detail: object | null;
  requestId: string | null;
}
/** The leaves from a position on, with their events. */
export const sealedEvents = statement<[tenantId: string, from: number, size: number, limit: number], SealedEventRow>(
  `
  select s.position::float8 as position, s.leaf, s.event_id as id, e.at, e.kind, e.actor, e.subject, e.detail,
         e.request_id as "requestId"
  from audit_seals s left join audit_events e on e.tenant_id = s.tenant_id and e.id = s.event_id
  where s.tenant_id = $1 and s.position >= $2 and s.position < $3 order by s.position limit $4`,
  { roles: ['cs_app', 'cs_sealer'], neverNull: ['position'] },
);

/** The next events after an id, and whether each is a leaf of the tree of this size. */
export const eventsAndSeals = statement<
  [tenantId: string, afterId: string, size: number, limit: number],
  { id: string; isSealed: boolean }
>(
  `
  select e.id, coalesce(s.position < $3::bigint, false) as "isSealed"
  from (select id from audit_events where tenant_id = $1 and id > $2 order by id limit $4) e
  left join audit_seals s on s.tenant_id = $1 and s.event_id = e.id order by e.id`,
  { neverNull: ['isSealed'] },
);

export const sealsOfEvents = statement<
  [tenantId: string, eventIds: readonly string[], size: number],
  { id: string; position: number; leaf: Buffer }
>(
  `select event_id as id, position::float8 as position, leaf from audit_seals
   where tenant_id = $1 and event_id = any ($2::uuid[]) and position < $3::bigint`,
  { neverNull: ['position'] },
);

const headColumns = `tenant_id as "tenantId", size::float8 as size, root, previous, at, epoch, signature`;

export const newestHead = statement<[tenantId: string], AuditHeadRow>(
  `select ${headColumns} from audit_heads where tenant_id = $1 order by audit_heads.size desc limit 1`,
  { neverNull: ['size'] },
);

/** Oldest first. */
export const headsAfter = statement<[tenantId: string, afterSize: number, size: number, limit: number], AuditHeadRow>(
  `select ${headColumns} from audit_heads
   where tenant_id = $1 and audit_heads.size > $2 and audit_heads.size <= $3 order by audit_heads.size limit $4`,
  { neverNull: ['size'] },
);

export const leavesBetween = statement<
  [tenantId: string, from: number, to: number],
  { position: number; hash: Buffer }
>(
  `select position::float8 as position, leaf as hash from audit_seals where tenant_id = $1 and position >= $2 and position < $3`,
  { neverNull: ['position'] },
);

export const nodesBetween = statement<
  [tenantId: string, level: number, from: number, to: number],
  { position: number; hash: Buffer }
>(
  `select position::float8 as position, hash from audit_nodes
   where tenant_id = $1 and level = $2 and position >= $3 and position < $4`,
  { neverNull: ['position'] },
);

/** The records of retention, oldest first. */
export const tombstonesOf = statement<[tenantId: string], AuditTombstoneRow>(
  `select tenant_id as "tenantId", start_position::float8 as "from", end_position::float8 as "to", frontier, cutoff, at,
          epoch, signature
   from audit_tombstones where tenant_id = $1 order by start_position`,
  { neverNull: ['from', 'to'] },
);

export const newestTombstone = statement<[tenantId: string], { to: number; frontier: Buffer }>(
  `select end_position::float8 as "to", frontier from audit_tombstones
   where tenant_id = $1 order by start_position desc limit 1`,
  { roles: ['cs_app', 'cs_sealer'], neverNull: ['to'] },
);

/** For each position: how many events are sealed at or after it, and the time of the first one. */
export const sealedBacklogs = statement<
  [tenantId: string, positions: readonly number[]],
  { position: number; count: number; since: Date | null }
>(
  `
  select p.position::float8 as position, greatest(0, coalesce((
           select s.position + 1 from audit_seals s where s.tenant_id = $1 order by s.position desc limit 1), 0) - p.position)::float8
           as count,
         (select e.at from audit_seals s join audit_events e on e.tenant_id = s.tenant_id and e.id = s.event_id
          where s.tenant_id = $1 and s.position >= p.position order by s.position limit 1) as since
  from unnest($2::bigint[]) with ordinality as p (position, number) order by p.number`,
  { neverNull: ['position', 'count'] },
);
