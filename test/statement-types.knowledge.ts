import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertPartition,
      ['uuid', 'uuid', 'uuid', 'text', 'uuid[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').findPartitionGroups,
      ['uuid', 'uuid'],
      { groups: 'uuid[]?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').listConnectionSizes,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; documents: 'integer'; chunks: 'integer' }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deletePartitions, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').lockDocumentName,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').findDocument,
      ['uuid', 'uuid', 'text'],
      { id: 'uuid!'; shelf_id: 'uuid!'; chunk_count: 'integer!'; term_count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').upsertDocument,
      [
        'uuid',
        'uuid',
        'uuid',
        'text',
        'text',
        'text',
        'text',
        'text',
        'text',
        'uuid',
        'text',
        'integer',
        'integer',
        'timestamp with time zone',
      ],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertChunks,
      ['uuid', 'uuid', 'uuid[]', 'jsonb[]', 'text[]', 'text[]', 'integer[]', 'integer[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertPostings,
      ['uuid', 'uuid', 'text[]', 'uuid[]', 'smallint[]', 'smallint[]'],
      {}
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deletePostings, ['uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deleteChunks, ['uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deleteDocument, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').updatePartitionSize,
      ['uuid', 'uuid', 'integer', 'integer', 'bigint'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/quarantine.sql.js').listQuarantined,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        connectionId: 'uuid!';
        externalId: 'text!';
        digest: 'text!';
        size: 'integer!';
        reason: 'text!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/quarantine.sql.js').findQuarantined,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        connectionId: 'uuid!';
        externalId: 'text!';
        digest: 'text!';
        size: 'integer!';
        reason: 'text!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/quarantine.sql.js').upsertQuarantined,
      ['uuid', 'uuid', 'uuid', 'text', 'text', 'integer', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/quarantine.sql.js').deleteQuarantined,
      ['uuid', 'uuid[]'],
      {
        id: 'uuid!';
        connectionId: 'uuid!';
        externalId: 'text!';
        digest: 'text!';
        size: 'integer!';
        reason: 'text!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/quarantine.sql.js').deleteAllQuarantined, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').openConnections,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; slug: 'text!'; settings: 'jsonb!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').searchPassages,
      ['uuid', 'uuid[]', 'uuid[]', 'text[]', 'bigint', 'text'],
      {
        documents: 'integer';
        chunks: 'integer';
        average: 'double precision';
        frequencies: 'json';
        score: 'double precision';
        chunk_id: 'uuid?';
        number: 'integer?';
        heading: 'text[]?';
        text: 'text?';
        unit: 'text?';
        starts: 'integer?';
        ends: 'integer?';
        document_id: 'uuid?';
        connection_id: 'uuid?';
        external_id: 'text?';
        kind: 'text?';
        title: 'text?';
        author: 'text?';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').listReadableDocuments,
      ['uuid', 'uuid[]', 'uuid[]', 'uuid', 'bigint'],
      {
        document_id: 'uuid!';
        connection_id: 'uuid!';
        kind: 'text!';
        title: 'text!';
        author: 'text?';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').readDocumentChunks,
      ['uuid', 'uuid[]', 'uuid[]', 'uuid', 'integer', 'bigint'],
      {
        chunk_id: 'uuid!';
        number: 'integer!';
        heading: 'text[]!';
        text: 'text!';
        unit: 'text!';
        starts: 'integer!';
        ends: 'integer!';
        document_id: 'uuid!';
        connection_id: 'uuid!';
        external_id: 'text!';
        kind: 'text!';
        title: 'text!';
        author: 'text?';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
        chunk_count: 'integer!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').claimRun,
      ['uuid', 'uuid', 'uuid', 'integer', 'double precision'],
      { run_id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').renewRun,
      ['uuid', 'uuid', 'uuid', 'integer', 'integer', 'integer'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').completeRun,
      ['uuid', 'uuid', 'uuid', 'jsonb', 'integer'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').failRun,
      ['uuid', 'uuid', 'uuid', 'text', 'jsonb', 'integer'],
      { failures: 'integer!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').releaseRun, ['uuid', 'uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').deferPausedSource, ['uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').makeSourceDue, ['uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').upsertDueSource, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').listStoredDocuments,
      ['uuid', 'uuid'],
      { external_id: 'text!'; fingerprint: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').listSomeStoredDocuments,
      ['uuid', 'uuid', 'bigint'],
      { external_id: 'text!'; fingerprint: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.system.sql.js').insertMissingSources,
      ['text[]', 'text[]'],
      { connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.system.sql.js').claimDueSources,
      [],
      { tenantId: 'uuid!'; connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').insertExchange,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'jsonb', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').insertMessage,
      ['uuid', 'uuid', 'integer', 'text', 'bytea'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/exchanges.sql.js').withdrawRequest, ['uuid', 'uuid', 'integer'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').findExchangeAnswer,
      ['uuid', 'uuid', 'integer'],
      { answerSealed: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').storeExchangeAnswer,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'integer', 'bytea'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').findClosedRequest,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'integer'],
      { number: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').findNextMessage,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'integer'],
      { isAlive: 'boolean'; number: 'integer?'; kind: 'text?'; sealed: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.system.sql.js').renewExchangeLeases,
      ['uuid[]', 'uuid[]', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/exchanges.system.sql.js').sweepMcpExchanges, ['double precision'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').insertSession,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'bytea', 'text', 'jsonb'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').endExcessSessions, ['uuid', 'uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').findSession,
      ['uuid', 'bytea', 'uuid', 'uuid', 'uuid', 'integer'],
      { id: 'uuid'; protocolVersion: 'text'; initialize: 'jsonb'; logLevel: 'text'; shown: 'jsonb' }
    >
  >,
  Verified<Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').endSession, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').updateLogLevel, ['uuid', 'uuid', 'text'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').updateShown, ['uuid', 'uuid', 'jsonb'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').addSubscription, ['uuid', 'uuid', 'text'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').removeSubscription,
      ['uuid', 'uuid', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').replaceListener,
      ['uuid', 'uuid', 'uuid'],
      { last: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').pendingSessionUpdates,
      ['uuid[]', 'uuid[]', 'uuid[]', 'integer[]', 'integer[]'],
      {
        listener: 'uuid';
        isOver: 'boolean';
        number: 'integer?';
        sealed: 'bytea?';
        changes: 'integer?';
        subscriptions: 'text[]';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').touchSessions, ['uuid[]', 'uuid[]'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').sweepMcpSessions,
      ['double precision', 'bigint'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').sweepMcpEvents,
      ['double precision', 'bigint'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/session-events.sql.js').insertSessionEvents,
      ['uuid', 'uuid', 'uuid', 'integer[]', 'boolean[]', 'bytea[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/session-events.sql.js').allocateEventNumbers,
      ['uuid', 'uuid', 'integer'],
      { last: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/session-events.sql.js').sessionEventsAfter,
      ['uuid', 'uuid', 'uuid', 'integer'],
      { number: 'integer!'; isLast: 'boolean!'; sealed: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/session-events.sql.js').findStreamStatus,
      ['uuid', 'uuid', 'uuid'],
      { isAlive: 'boolean'; requestId: 'jsonb?'; newest: 'integer'; hasEnded: 'boolean' }
    >
  >,
];
