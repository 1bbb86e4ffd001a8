import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<
    Mismatches<
      typeof import('../src/gate/gate.system.sql.js').lapsedCalls,
      [],
      { tenantId: 'uuid!'; id: 'uuid!'; isDelegation: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/gate.system.sql.js').strandedCalls,
      [],
      { tenantId: 'uuid!'; id: 'uuid!'; isExpired: 'boolean' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/gate/gate.system.sql.js').removeOldCalls, ['double precision', 'bigint'], {}>
  >,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').insertCalls, ['json', 'json'], { id: 'uuid!' }>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').taskCallHistories,
      ['uuid', 'json'],
      { denials: 'integer'; epoch: 'integer'; sentId: 'uuid' }
    >
  >,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').appendCallRefs, ['uuid', 'uuid', 'text[]'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').recordOutcomes,
      ['uuid', 'uuid[]', 'json', 'json'],
      { id: 'uuid!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').markDelivered, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').claimCall,
      ['uuid', 'uuid', 'text', 'double precision', 'integer', 'text'],
      { attempts: 'integer!'; executing_until: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').extendExecution,
      ['uuid', 'uuid', 'integer', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').listCallStates,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; state: 'text!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/gate/ledger.sql.js').lockCaller, ['text'], { pg_advisory_xact_lock: 'void' }>
  >,
  Verified<
    Mismatches<typeof import('../src/gate/ledger.sql.js').callIdsOfTasks, ['uuid', 'text[]', 'bigint'], { id: 'uuid!' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/claims.system.sql.js').claimDue,
      ['integer', 'double precision', 'integer', 'json'],
      {
        tenant_id: 'uuid';
        task_id: 'uuid';
        configuration_id: 'uuid';
        principal: 'json';
        trace: 'json';
        status: 'json';
        waiting: 'text';
        number: 'integer';
        is_told: 'boolean';
        turns: 'integer';
        is_tainted: 'boolean';
        lease_epoch: 'integer';
        attempts: 'integer';
        worked_ms: 'bigint';
        configuration: 'json';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/claims.system.sql.js').claimAbandonedTasks,
      ['bigint', 'double precision', 'uuid[]', 'bigint'],
      {
        tenant_id: 'uuid!';
        task_id: 'uuid!';
        configuration_id: 'uuid!';
        principal: 'json!';
        trace: 'json?';
        status: 'json!';
        waiting: 'text?';
        number: 'integer!';
        is_told: 'boolean';
        turns: 'integer!';
        is_tainted: 'boolean!';
        lease_epoch: 'integer!';
        attempts: 'integer!';
        worked_ms: 'bigint!';
        lost_processes: 'integer!';
        configuration: 'json';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/claims.system.sql.js').renewLeases,
      ['uuid[]', 'uuid[]', 'integer[]', 'double precision'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/claims.system.sql.js').releaseLeases, ['uuid[]', 'uuid[]', 'integer[]'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/claims.system.sql.js').sweepTasks, ['double precision', 'bigint'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/claims.system.sql.js').sweepRemoteDelegations, ['integer', 'bigint'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').findDelegation,
      ['uuid', 'uuid'],
      {
        callId: 'uuid!';
        taskId: 'uuid!';
        parentTaskId: 'uuid?';
        heard: 'integer!';
        createdAt: 'timestamp with time zone!';
        status: 'json?';
        artifacts: 'json?';
        isTainted: 'boolean';
        isParentOver: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').rootOfTask,
      ['uuid', 'uuid'],
      { rootId: 'uuid' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').lockTree,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').treeSize,
      ['uuid', 'uuid'],
      { tasks: 'integer'; turns: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').addDelegation,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'boolean'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').oldestPendingReply,
      ['uuid', 'uuid'],
      { position: 'integer!'; body: 'text!'; taskId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/delegation/delegations.sql.js').makeDueIfReplyPending, ['uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').markReplyHandled,
      ['uuid', 'uuid', 'integer', 'boolean'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').listDelegateReplies,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; position: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').listOpenChildren,
      ['uuid', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/delegations.sql.js').wakeParent,
      ['uuid', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').remoteDelegation,
      ['uuid', 'uuid'],
      {
        callId: 'uuid!';
        taskId: 'uuid!';
        connectionId: 'uuid!';
        createdAt: 'timestamp with time zone!';
        isParentOver: 'boolean';
        attempt: 'integer!';
        sentAt: 'timestamp with time zone?';
        address: 'jsonb?';
        remote: 'jsonb';
        standing: 'jsonb?';
        toldAt: 'timestamp with time zone!';
        silentSince: 'timestamp with time zone?';
        replyNotice: 'text?';
        parentTaskId: 'uuid?';
        isShown: 'boolean!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').addRemote,
      ['uuid', 'uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').claimSend,
      ['uuid', 'uuid', 'integer', 'jsonb'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').storeRemoteStatus,
      ['uuid', 'uuid', 'jsonb', 'text', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').claimReply,
      ['uuid', 'uuid', 'integer', 'double precision'],
      { attempts: 'integer!'; since: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').releaseReply,
      ['uuid', 'uuid', 'integer', 'integer'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').storeReplyEnd,
      ['uuid', 'uuid', 'integer', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').recordNoResponse,
      ['uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').acquireStream,
      ['uuid', 'uuid', 'uuid', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').releaseStream,
      ['uuid', 'uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').recordArtifactsShown,
      ['uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/key-usage.system.sql.js').incrementCounts,
      ['uuid[]', 'uuid[]', 'text[]', 'integer[]', 'integer[]'],
      { key_id: 'uuid!'; what: 'text!'; slot: 'integer!'; count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/key-usage.system.sql.js').replaceCounts,
      ['uuid[]', 'uuid[]', 'text[]', 'integer[]', 'integer[]'],
      { key_id: 'uuid!'; what: 'text!'; slot: 'integer!'; count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/key-usage.system.sql.js').usageElsewhere,
      ['uuid[]', 'text', 'integer', 'double precision'],
      { key_id: 'uuid!'; count: 'integer' }
    >
  >,
  Verified<Mismatches<typeof import('../src/tasks/key-usage.system.sql.js').sweepUsage, [], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-owners.system.sql.js').ownersOfTasks,
      ['uuid[]', 'uuid[]'],
      { id: 'uuid!'; memberId: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').submitMessages,
      ['uuid', 'json'],
      { nth: 'integer'; outcome: 'text'; task_id: 'uuid'; status: 'json'; number: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').tasksByExternalId,
      ['uuid', 'uuid[]', 'text[]'],
      { nth: 'integer'; task_id: 'uuid'; status: 'json'; artifacts: 'json'; number: 'integer'; context: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').listTaskEventsAfter,
      ['uuid', 'uuid[]', 'integer[]'],
      { task_id: 'uuid'; number: 'integer'; status: 'json'; artifacts: 'json'; chunk: 'json' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').transcriptItems,
      ['uuid', 'uuid[]', 'text[]'],
      { task_id: 'uuid'; kind: 'text'; body: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').storeAdvances,
      ['uuid', 'json'],
      { nth: 'integer'; kept: 'boolean'; number: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').cancelTask,
      ['uuid', 'uuid', 'json'],
      { number: 'integer!'; external_id: 'text!'; principal: 'json!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').releaseTask,
      ['uuid', 'uuid', 'json'],
      { number: 'integer!'; external_id: 'text!'; principal: 'json!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').recordDelegateProgress,
      ['uuid', 'uuid', 'json', 'json'],
      { number: 'integer!'; status: 'json!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/tasks.sql.js').taskArtifacts, ['uuid', 'uuid'], { artifacts: 'json?' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').lockLeasedTasks,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; epoch: 'integer!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/tasks/tasks.sql.js').wakeTask, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').listTaskStates,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; number: 'integer!'; status: 'json!'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').listTaskItems,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; kind: 'text!'; body: 'text!'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').countOwnTasks,
      ['uuid', 'text', 'text', 'text', 'boolean', 'text'],
      { count: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').listOwnTasks,
      ['uuid', 'text', 'text', 'text', 'boolean', 'text', 'text', 'uuid', 'bigint'],
      { id: 'text!'; task_id: 'uuid!'; status: 'json!'; artifacts: 'json?'; number: 'integer!'; context: 'text?' }
    >
  >,
];
