import { statement } from '../platform/database/statement.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { PassKind } from './source.entity.js';

export interface ClaimedSource {
  run_id: string;
  started_at: Date;
  cursor: JsonObject | null;
  cursor_revision: number | null;
  listed_at: Date | null;
  listing_due_at: Date | null;
}
/** Returns no row if another process runs the sync. */
export const claimRun = statement<
  [tenantId: string, connectionId: string, runId: string, connectionRevision: number, cadenceSeconds: number],
  ClaimedSource
>(
  `
  update sources
  set run_id = $3, running_until = now() + interval '12 seconds', started_at = now(), next_at = now() + $5 * interval '1 second',
      connection_revision = $4, wait_reason = null, is_held = false
  where tenant_id = $1 and connection_id = $2 and (running_until is null or running_until < now())
  returning run_id, started_at, cursor, cursor_revision, listed_at, listing_due_at`,
  { neverNull: ['run_id', 'started_at'] },
);

/** Sets the counts of the pass that the run starts or continues. */
export const beginPass = statement<
  [
    tenantId: string,
    connectionId: string,
    runId: string,
    seen: number,
    changed: number,
    removed: number,
    problems: string,
    problemCount: number,
    kind: PassKind,
  ]
>(`
  update sources set seen_before = $4, seen = $4, changed = $5, removed = $6, problems = $7, problem_count = $8, pass_kind = $9
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Updates no row if the run is superseded and must not write any more. */
export const renewRun = statement<
  [
    tenantId: string,
    connectionId: string,
    runId: string,
    seen: number,
    changed: number,
    removed: number,
    expected: number | null,
    quota: string | null,
  ]
>(`
  update sources
  set running_until = now() + interval '12 seconds', seen = $4, changed = $5, removed = $6, expected = coalesce($7, expected),
      quota = coalesce($8, quota)
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/**
 * A complete listing replaces the cursor, or removes it. Deferred documents are outdated or missing, so the next
 * listing then starts early: after a minute, or after four times the duration of this one if that is longer.
 */
export const completeRun = statement<
  [
    tenantId: string,
    connectionId: string,
    runId: string,
    problems: string,
    problemCount: number,
    isListing: boolean,
    cursor: string | null,
    connectionRevision: number,
    expected: number | null,
    startedAt: Date,
    isRepeated: boolean,
  ]
>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), complete_at = now(), failure = null, failures = 0, problems = $4,
      problem_count = $5, listed_at = case when $6 then now() else listed_at end,
      listing_due_at = case when $11 then now() when $6 and listing_due_at < $10 then null else listing_due_at end,
      next_at = case when $11 then least(next_at, now() + greatest(interval '1 minute', 4 * (now() - $10))) else next_at end,
      cursor = case when $6 then $7::jsonb else coalesce($7::jsonb, cursor) end, cursor_revision = $8,
      expected = case when $6 then $9 else expected end
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** The source asked to wait. The pass continues at `until`. */
export const suspendRun = statement<
  [tenantId: string, connectionId: string, runId: string, until: Date, reason: string]
>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), failure = null, failures = 0, wait_reason = $5, next_at = $4
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** The next run lists all documents. */
export const expireCursor = statement<[tenantId: string, connectionId: string, runId: string]>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), cursor = null, listing_due_at = now(), next_at = now()
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Retries with exponential backoff: 30 s, 1 min, … 1 h, but not after `next_at`. */
export const failRun = statement<
  [tenantId: string, connectionId: string, runId: string, reason: string, problems: string, problemCount: number],
  { failures: number }
>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), failure = $4, failures = failures + 1, problems = $5, problem_count = $6,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning failures`);

/** Releases a run that stopped because this process shuts down. Any worker can start the next one. */
export const releaseRun = statement<[tenantId: string, connectionId: string, runId: string]>(`
  update sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** A run that still writes for a removed connection cannot commit after this. */
export const endRunOfRemoved = statement<[tenantId: string, connectionId: string]>(
  'update sources set run_id = null where tenant_id = $1 and connection_id = $2',
);

/** Defers a paused source by a day. Resuming or removing its connection makes it due earlier. */
export const deferPausedSource = statement<[tenantId: string, connectionId: string]>(`
  update sources set next_at = now() + interval '1 day'
  where tenant_id = $1 and connection_id = $2 and running_until is null`);

/** Makes an existing source due now. */
export const makeSourceDue = statement<[tenantId: string, connectionId: string]>(
  'update sources set next_at = now() where tenant_id = $1 and connection_id = $2',
);

/** Makes a source due now, or registers it if it is new. */
export const upsertDueSource = statement<[tenantId: string, connectionId: string]>(`
  insert into sources (tenant_id, connection_id, next_at) values ($1, $2, now())
  on conflict (tenant_id, connection_id) do update set next_at = now()`);

/** A connection to which documents are pushed is never due. */
export const insertPushedSource = statement<[tenantId: string, connectionId: string], { connectionId: string }>(`
  insert into sources (tenant_id, connection_id) values ($1, $2)
  on conflict do nothing returning connection_id as "connectionId"`);

/**
 * Makes a source due, but not before `minSeconds` after the start of its last sync, and not while it waits because the
 * source asked for it. Updates no row if its connection was removed.
 */
export const hastenSource = statement<
  [tenantId: string, connectionId: string, minSeconds: number, isListingDue: boolean]
>(`
  update sources
  set next_at = case when wait_reason is null then least(next_at, greatest(now(), started_at + $3 * interval '1 second')) else next_at end,
      listing_due_at = case when $4 then now() else listing_due_at end
  where tenant_id = $1 and connection_id = $2
    and exists (select from connections c where c.tenant_id = $1 and c.id = $2 and c.removed_at is null)`);

export interface StoredFingerprint {
  external_id: string;
  fingerprint: string;
  /** The partition, which depends on the readers. */
  partition_id: string;
}
/** Fingerprints and partitions of stored documents. */
export const listFingerprints = statement<
  [tenantId: string, connectionId: string, externalIds: readonly string[]],
  StoredFingerprint
>(`
  select external_id, fingerprint, partition_id from documents
  where tenant_id = $1 and connection_id = $2 and external_id = any($3::text[])`);

/** Ordered by name. */
export const listStoredNames = statement<
  [tenantId: string, connectionId: string, after: string, limit: number],
  { external_id: string }
>(`
  select external_id from documents where tenant_id = $1 and connection_id = $2 and external_id > $3
  order by external_id limit $4`);
