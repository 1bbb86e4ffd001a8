import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').findAccount,
      ['uuid', 'uuid', 'uuid'],
      {
        id: 'uuid!';
        address: 'text!';
        sealed: 'bytea?';
        version: 'integer!';
        expiresAt: 'timestamp with time zone?';
        endedReason: 'text?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').findListingAccount,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        address: 'text!';
        sealed: 'bytea?';
        version: 'integer!';
        expiresAt: 'timestamp with time zone?';
        endedReason: 'text?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').readAccount,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        address: 'text!';
        sealed: 'bytea?';
        version: 'integer!';
        expiresAt: 'timestamp with time zone?';
        endedReason: 'text?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').claimRenewal,
      ['uuid', 'uuid', 'integer', 'double precision'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').storeRenewedTokens,
      ['uuid', 'uuid', 'integer', 'bytea', 'text', 'timestamp with time zone'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').releaseTokenRenewal,
      ['uuid', 'uuid', 'integer'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').endAccount,
      ['uuid', 'uuid', 'integer', 'text'],
      { memberId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').setWantedScope,
      ['uuid', 'uuid', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').insertAccount,
      ['uuid', 'uuid', 'uuid', 'uuid', 'text', 'text', 'text', 'boolean', 'bytea', 'timestamp with time zone'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').deleteAccount,
      ['uuid', 'uuid', 'uuid'],
      { id: 'uuid!'; sealed: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').deleteAccountsOfMember,
      ['uuid', 'uuid'],
      { id: 'uuid!'; sealed: 'bytea?'; connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').isListingAvailable,
      ['uuid', 'uuid', 'uuid'],
      { isFree: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').listAccountViews,
      ['uuid', 'uuid', 'uuid[]'],
      {
        connectionId: 'uuid!';
        name: 'text!';
        address: 'text';
        issuer: 'text?';
        scope: 'text?';
        wantedScope: 'text?';
        listsTools: 'boolean?';
        connectedAt: 'timestamp with time zone?';
        endedReason: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/accounts.sql.js').listConnectedAccounts,
      ['uuid', 'uuid[]', 'integer[]', 'uuid[]', 'text[]'],
      {
        nth: 'integer';
        total: 'integer';
        id: 'uuid!';
        connectionId: 'uuid!';
        memberId: 'uuid!';
        name: 'text!';
        issuer: 'text!';
        scope: 'text?';
        listsTools: 'boolean!';
        connectedAt: 'timestamp with time zone!';
        endedReason: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').storePendingAuthorization,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bytea', 'bytea', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').consumePendingAuthorization,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bytea'],
      { sealed: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').clientsOfConnection,
      ['uuid', 'uuid'],
      { issuer: 'text!'; redirectUri: 'text!'; sealed: 'bytea!'; revision: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').storeClient,
      ['uuid', 'uuid', 'text', 'text', 'bytea', 'integer', 'boolean'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').deleteRegisteredClient,
      ['uuid', 'uuid', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').confirmedAuthorizationServer,
      ['uuid', 'uuid'],
      { confirmed: 'jsonb?'; pending: 'jsonb?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').confirmAuthorizationServer,
      ['uuid', 'uuid', 'jsonb', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').setPendingAuthorizationServer,
      ['uuid', 'uuid', 'jsonb'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').clearPendingAuthorizationServer,
      ['uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').pendingAuthorizationServers,
      ['uuid', 'uuid[]'],
      {
        connectionId: 'uuid!';
        issuer: 'text';
        authorizationEndpoint: 'text';
        confirmedIssuer: 'text';
        foundAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/accounts/authorizations.sql.js').knownIssuers,
      ['uuid', 'uuid', 'text'],
      { issuer: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.sql.js').lockConnectionRevision,
      ['uuid', 'uuid'],
      { revision: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.sql.js').listConnectionSecrets,
      ['uuid', 'uuid'],
      { revision: 'integer!'; name: 'text?'; sealed: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.sql.js').listSecretNames,
      ['uuid', 'uuid[]'],
      { connectionId: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.sql.js').storeConnectionSecret,
      ['uuid', 'uuid', 'text', 'bytea'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.sql.js').deleteConnectionSecret,
      ['uuid', 'uuid', 'text'],
      {}
    >
  >,
  Verified<
    Mismatches<(typeof import('../src/connections/connections.sql.js').deleteCredentials)[0], ['uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<(typeof import('../src/connections/connections.sql.js').deleteCredentials)[1], ['uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<(typeof import('../src/connections/connections.sql.js').deleteCredentials)[2], ['uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<(typeof import('../src/connections/connections.sql.js').deleteCredentials)[3], ['uuid', 'uuid'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.system.sql.js').dueForVerification,
      ['bigint'],
      { tenantId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/connections.system.sql.js').tenantsOfConnections,
      ['uuid[]'],
      { id: 'uuid!'; tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-leases.system.sql.js').claimStdioCommand,
      ['text', 'uuid', 'double precision'],
      { child: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-leases.system.sql.js').commandFailureState,
      ['text'],
      { failures: 'integer!'; failure: 'text?'; waitSeconds: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-leases.system.sql.js').renewStdioLeases,
      ['uuid[]', 'double precision'],
      { child: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/connections/mcp/stdio/stdio-leases.system.sql.js').releaseStdioChild, ['uuid'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-leases.system.sql.js').failStdioChild,
      ['uuid', 'text', 'boolean', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').insertStdioSession,
      ['uuid', 'text', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').extendStdioSessions,
      ['uuid[]', 'double precision'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').deleteStdioSession,
      ['uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').stdioSessionStates,
      ['uuid[]'],
      { id: 'uuid!'; isAccepted: 'boolean'; closed: 'text?'; isLost: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').awaitedStdioCommands,
      ['text[]'],
      { command: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').acceptStdioSessions,
      ['uuid', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').livingStdioSessions,
      ['uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').refuseStdioSessions,
      ['text', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').closeStdioSessionsOfChild,
      ['uuid', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').insertStdioMessage,
      ['uuid', 'boolean', 'bytea', 'double precision'],
      { number: 'bigint!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').consumeStdioRequests,
      ['uuid'],
      { number: 'bigint!'; line: 'uuid!'; message: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').consumeStdioAnswers,
      ['uuid[]'],
      { number: 'bigint!'; line: 'uuid!'; message: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').withdrawStdioMessage,
      ['bigint'],
      { number: 'bigint!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/mcp/stdio/stdio-sessions.system.sql.js').deleteExpiredStdioSessions,
      [],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/model/usage.sql.js').addTaskUsage,
      ['uuid', 'uuid', 'uuid', 'bigint', 'bigint', 'numeric'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/connections/model/usage.sql.js').monthlyCost, ['uuid', 'uuid'], { cost: 'text' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/model/usage.sql.js').listModelUsage,
      ['uuid', 'uuid[]', 'date[]'],
      {
        nth: 'integer';
        taskId: 'uuid!';
        month: 'text';
        turns: 'integer!';
        inputTokens: 'double precision';
        outputTokens: 'double precision';
        cost: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/tools.sql.js').listOfferedSince,
      ['uuid', 'uuid[]', 'text'],
      {
        print: 'text';
        tenantId: 'uuid!';
        id: 'uuid!';
        connectionId: 'uuid!';
        connectionSlug: 'text!';
        name: 'text!';
        upstreamName: 'text!';
        operation: 'text!';
        title: 'text!';
        description: 'text!';
        inputSchema: 'jsonb!';
        outputSchema: 'jsonb?';
        annotations: 'jsonb?';
        effect: 'text!';
        definitionHash: 'text!';
        confirmedHash: 'text?';
        confirmedAt: 'timestamp with time zone?';
        seenAt: 'timestamp with time zone!';
        pausedAt: 'timestamp with time zone?';
        connectionRevision: 'integer!';
        connectionPausedAt: 'timestamp with time zone?';
        connectionKind: 'text!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/connections/tools.sql.js').openTool,
      ['uuid', 'text', 'text'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        connectionId: 'uuid!';
        connectionSlug: 'text!';
        name: 'text!';
        upstreamName: 'text!';
        operation: 'text!';
        title: 'text!';
        description: 'text!';
        inputSchema: 'jsonb!';
        outputSchema: 'jsonb?';
        annotations: 'jsonb?';
        effect: 'text!';
        definitionHash: 'text!';
        confirmedHash: 'text?';
        confirmedAt: 'timestamp with time zone?';
        seenAt: 'timestamp with time zone!';
        pausedAt: 'timestamp with time zone?';
        connectionRevision: 'integer!';
        connectionPausedAt: 'timestamp with time zone?';
        connectionKind: 'text!';
        server: 'jsonb';
        'its.tenantId': 'uuid!';
        'its.id': 'uuid!';
        'its.kind': 'text!';
        'its.name': 'text!';
        'its.slug': 'text!';
        'its.settings': 'jsonb!';
        'its.revision': 'integer!';
        'its.status': 'text!';
        'its.statusReason': 'text?';
        'its.verifiedAt': 'timestamp with time zone?';
        'its.pausedAt': 'timestamp with time zone?';
        'its.removedAt': 'timestamp with time zone?';
        'its.createdAt': 'timestamp with time zone!';
        'its.changedAt': 'timestamp with time zone?';
        'its.changedBy': 'uuid?';
        secretNames: 'text[]';
        sealed: 'bytea[]';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/connections/tools.sql.js').markToolsSeen, ['uuid', 'uuid', 'text[]'], {}>>,
  Verified<Mismatches<typeof import('../src/connections/tools.sql.js').markToolsGone, ['uuid', 'uuid'], {}>>,
];
