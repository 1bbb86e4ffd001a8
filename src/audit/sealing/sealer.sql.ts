import { advisoryLock } from '../../platform/database/advisory-lock.js';
import { statement } from '../../platform/database/statement.js';

const sealer = { roles: ['cs_sealer'] } as const;
const sealerLock = `hashtext('countersign audit sealer')`;

/** Waits for another sealer. */
export const lockSealing = advisoryLock(sealerLock, sealer);

export const tryLockSealing = statement<[], { isAlone: boolean }>(
  `select pg_try_advisory_xact_lock(${sealerLock}) as "isAlone"`,
  { ...sealer, neverNull: ['isAlone'] },
);

export interface SettledEvent {
  tenantId: string;
  id: string;
  /** As it is exported: formatted here, because a `Date` costs more. */
  at: string;
  kind: string;
  actor: object;
  subject: object | null;
  detail: object;
  requestId: string | null;
  transactionId: string;
  /** False after a restore by other means than ours: the transaction id comes from another server. */
  isOfThisServer: boolean;
  isSealed: boolean;
}
export const settledPageSize = 1000;

/**
 * The next events that no running transaction can precede: their transactions are older than the oldest running one. A
 * visible event at or above xmax comes from another server. Without a position to start from, the stored progress is
 * used. The scalar subqueries keep the plan to index look-ups, whatever the planner expects.
 */
export const settledEvents = statement<
  [withEventsOfOtherServers: boolean, fromTransactionId: string | null, fromEventId: string | null],
  SettledEvent
>(
  `
  with snapshot as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax
  ), progress as materialized (
    select p.transaction_id, p.event_id from audit_sealing p, snapshot s where p.transaction_id < s.xmax
  )
  select e.tenant_id as "tenantId", e.id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, e.kind,
         e.actor, e.subject, e.detail, e.request_id as "requestId",
         e.transaction_id::text as "transactionId", e.transaction_id < (select xmin from snapshot) as "isOfThisServer",
         coalesce(
           (select true from audit_seals s where s.tenant_id = e.tenant_id and s.event_id = e.id), false) as "isSealed"
  from audit_events e
  where (e.transaction_id, e.id) >= (
      coalesce($2::text::xid8, (select transaction_id from progress), '0'::xid8),
      coalesce($3::uuid, (select event_id from progress), '00000000-0000-0000-0000-000000000000'::uuid))
    and e.transaction_id < case when $1::boolean then '18446744073709551615'::xid8 else (select xmin from snapshot) end
    and (e.transaction_id < (select xmin from snapshot) or e.transaction_id >= (select xmax from snapshot))
  order by e.transaction_id, e.id limit ${settledPageSize}`,
  { ...sealer, name: 'audit-settled', neverNull: ['at', 'transactionId', 'isOfThisServer', 'isSealed'] },
);

export const setSealingProgress = statement<[transactionId: string, eventId: string]>(
  `insert into audit_sealing (transaction_id, event_id) values ($1::text::xid8, $2)
   on conflict (singleton) do update set transaction_id = excluded.transaction_id, event_id = excluded.event_id`,
  sealer,
);

export interface TreeRow {
  tenantId: string;
  size: number;
  frontier: Buffer;
  headSize: number;
  headHash: Buffer | null;
  headAt: Date | null;
}
/** The trees of these tenants, and all trees that have grown since their newest head. */
export const treesToSeal = statement<[tenantIds: readonly string[]], TreeRow>(
  `select tenant_id as "tenantId", size::float8 as size, frontier, head_size::float8 as "headSize",
          head_hash as "headHash", head_at as "headAt"
   from audit_trees where tenant_id = any ($1::uuid[]) or size > head_size`,
  { ...sealer, neverNull: ['size', 'headSize'] },
);

export const setTree = statement<
  [tenantId: string, size: number, frontier: Buffer, headSize: number, headHash: Buffer | null, headAt: Date | null]
>(
  `insert into audit_trees (tenant_id, size, frontier, head_size, head_hash, head_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (tenant_id) do update set size = excluded.size, frontier = excluded.frontier,
     head_size = excluded.head_size, head_hash = excluded.head_hash, head_at = excluded.head_at`,
  sealer,
);

/**
 * `eventIds` and `leaves` (of 32 bytes) contain those of one tenant after the other: `counts` of them, after the `skipped`
 * ones of the tenants before. They get positions from `starts` on.
 */
export const insertSeals = statement<
  [
    tenantIds: readonly string[],
    starts: readonly number[],
    counts: readonly number[],
    skipped: readonly number[],
    eventIds: readonly string[],
    leaves: Buffer,
  ]
>(
  `insert into audit_seals (tenant_id, position, event_id, leaf)
   select tree.tenant_id, tree.start + n, ($5::uuid[])[tree.skipped + n + 1], substr($6::bytea, (tree.skipped + n) * 32 + 1, 32)
   from unnest($1::uuid[], $2::bigint[], $3::int[], $4::int[]) as tree (tenant_id, start, count, skipped),
        generate_series(0, tree.count - 1) n`,
  { ...sealer, name: 'audit-seals' },
);

export const insertNodes = statement<
  [tenantIds: readonly string[], levels: readonly number[], positions: readonly number[], hashes: readonly Buffer[]]
>(
  `insert into audit_nodes (tenant_id, level, position, hash)
   select * from unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::bytea[])`,
  sealer,
);

export const insertHead = statement<
  [tenantId: string, size: number, root: Buffer, previous: Buffer | null, at: Date, epoch: number, signature: Buffer]
>(
  `insert into audit_heads (tenant_id, size, root, previous, at, epoch, signature) values ($1, $2, $3, $4, $5, $6, $7)`,
  sealer,
);

export interface KeyRow {
  epoch: number;
  publicKey: Buffer;
  endorsement: Buffer | null;
}
export const sealerKeys = statement<[], KeyRow>(
  `select epoch, public_key as "publicKey", endorsement from audit_keys order by epoch`,
  sealer,
);

export const insertKey = statement<[epoch: number, publicKey: Buffer, endorsement: Buffer | null]>(
  `insert into audit_keys (epoch, public_key, endorsement, created_at) values ($1, $2, $3, now())`,
  sealer,
);

/** The tenants whose oldest head without a tombstone is before the cutoff. */
export const tenantsWithOldEvents = statement<[cutoff: Date], { tenantId: string }>(
  `
  select t.tenant_id as "tenantId" from audit_trees t
  where $1 > (
    select h.at from audit_heads h
    where h.tenant_id = t.tenant_id and h.size > coalesce(
      (select max(r.end_position) from audit_tombstones r where r.tenant_id = t.tenant_id), 0)
    order by h.size limit 1)
  order by t.tenant_id`,
  sealer,
);

/** Held until the transaction ends. */
export const tryLockRetention = statement<[tenantId: string], { isAlone: boolean }>(
  `select pg_try_advisory_xact_lock(hashtext('audit retention'), hashtext($1::text)) as "isAlone"`,
  { ...sealer, neverNull: ['isAlone'] },
);

/** The newest head before the cutoff that is about this many events away, or the next one if that is farther. */
export const removableHead = statement<
  [tenantId: string, from: number, maxEvents: number, cutoff: Date],
  { size: number; root: Buffer }
>(
  `
  select h.size::float8 as size, h.root from audit_heads h
  where h.tenant_id = $1 and h.size > $2::bigint and h.at < $4
    and h.size <= greatest($2::bigint + $3::bigint, (
      select next.size from audit_heads next where next.tenant_id = $1 and next.size > $2::bigint
      order by next.size limit 1))
  order by h.size desc limit 1`,
  { ...sealer, neverNull: ['size'] },
);

/** A security definer function: no role may delete events. */
export const removeEvents = statement<
  [
    tenantId: string,
    startPosition: number,
    endPosition: number,
    frontier: Buffer,
    cutoff: Date,
    at: Date,
    epoch: number,
    signature: Buffer,
    eventId: string,
    actor: string,
    detail: string,
  ],
  { cs_remove_audit_events: unknown }
>(`select cs_remove_audit_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, sealer);
