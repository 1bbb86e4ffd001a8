import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<Mismatches<typeof import('../src/platform/database/database.system.sql.js').ping, [], { one: 'integer' }>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/database/transaction.sql.js').disableSynchronousCommit,
      [],
      { set_config: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.sql.js').insertOutboxRow,
      ['uuid', 'uuid', 'text', 'jsonb'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.sql.js').insertOutboxRows,
      ['uuid', 'text', 'uuid[]', 'jsonb[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.system.sql.js').deleteExpiredOutboxRows,
      ['double precision', 'bigint'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.system.sql.js').outboxRowsSince,
      ['uuid[]', 'uuid', 'bigint'],
      { tenantId: 'uuid!'; id: 'uuid!'; kind: 'text!'; payload: 'jsonb!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/wakeup.system.sql.js').notifyChannel,
      ['text', 'text'],
      { pg_notify: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').claimKey,
      ['uuid', 'text', 'text', 'uuid', 'bytea', 'double precision'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').findKey,
      ['uuid', 'text', 'text', 'double precision'],
      { id: 'uuid!'; fingerprint: 'bytea!'; answerSealed: 'bytea?'; isBusy: 'boolean'; isOver: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').takeOverKey,
      ['uuid', 'text', 'text', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/idempotency/idempotency.sql.js').deleteKey, ['uuid', 'text', 'text'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').storeAnswer,
      ['uuid', 'text', 'text', 'uuid', 'bytea'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').releaseKey,
      ['uuid', 'text', 'text', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').abandonKey,
      ['uuid', 'text', 'text', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.system.sql.js').deleteExpiredRequests,
      ['double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/process-presence.sql.js').lockPresence,
      ['integer', 'integer'],
      { pg_advisory_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/process-presence.sql.js').insertJobPool, ['text', 'integer'], {}>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/process-presence.sql.js').markStopping, ['integer'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/process-presence.sql.js').deleteLostPools,
      ['oid', 'integer', 'double precision'],
      { poolId: 'text!'; isStopping: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/queue.sql.js').enqueueJob,
      ['text', 'json', 'text', 'timestamp with time zone', 'integer'],
      { cs_enqueue: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/queue.system.sql.js').claimTick, ['text', 'double precision'], {}>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').openLane, [], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').countLosses,
      ['text[]', 'integer', 'integer'],
      {}
    >
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').isolateSuspects, [], {}>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').dropQuarantined, [], {}>>,
  Verified<
    Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').clearSuspicion, ['text', 'jsonb'], {}>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').enterLane, ['text'], {}>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').unlockLane, ['text'], {}>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').unlockLaneOf, ['text[]'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').leaveLane,
      ['text', 'jsonb', 'bigint', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').deleteExpiredSuspects,
      ['double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').beginWork,
      ['text', 'text', 'jsonb'],
      { isSuspect: 'boolean' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').endWork, ['text', 'text', 'jsonb'], {}>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').deleteWork, ['text[]'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').unlockJobs,
      ['text[]'],
      { force_unlock_workers: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').notifyWorkers, [], { pg_notify: 'void' }>
  >,
];
