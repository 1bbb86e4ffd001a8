import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<
    Mismatches<
      typeof import('../src/access/administration/administration.sql.js').lockActiveMembers,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; name: 'text!'; roles: 'text[]!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/administration/administration.sql.js').lockAdministration,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/administration/administration.system.sql.js').expiredChanges,
      ['bigint'],
      { tenantId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/challenges.system.sql.js').insertChallenge,
      ['bytea', 'text', 'bytea', 'jsonb', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/challenges.system.sql.js').consumeChallenge,
      ['bytea', 'text[]', 'bytea'],
      { purpose: 'text!'; context: 'jsonb!'; createdAt: 'timestamp with time zone!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/access/challenges.system.sql.js').sweepChallenges, []>>,
  Verified<
    Mismatches<
      typeof import('../src/access/credential-revalidation.sql.js').principalStatus,
      ['uuid', 'uuid[]'],
      { isPaused: 'boolean'; active: 'text[]' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').sessionByToken,
      ['bytea', 'double precision'],
      {
        tenantId: 'uuid!';
        sessionId: 'uuid!';
        memberId: 'uuid!';
        name: 'text!';
        roles: 'text[]!';
        freshAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').activeSessions,
      ['uuid[]', 'uuid[]', 'double precision'],
      { sessionId: 'uuid!'; roles: 'text[]!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').adminTokenByToken,
      ['bytea'],
      { tenantId: 'uuid!'; tokenId: 'uuid!'; tokenName: 'text!'; memberId: 'uuid!'; name: 'text!'; roles: 'text[]!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').tenantKeyByToken,
      ['bytea'],
      { tenantId: 'uuid!'; keyId: 'uuid!'; name: 'text!'; scopes: 'text[]!'; isPaused: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').linkByToken,
      ['bytea'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        kind: 'text!';
        memberId: 'uuid?';
        email: 'text?';
        name: 'text?';
        roles: 'text[]?';
        groupIds: 'uuid[]?';
        removesPasskeys: 'boolean!';
        createdBy: 'uuid?';
        createdAt: 'timestamp with time zone!';
        expiresAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').holderOfAdminToken,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/credentials.system.sql.js').holderOfTenantKey,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/groups.sql.js').groupWithMemberCount,
      ['uuid', 'uuid'],
      { tenantId: 'uuid!'; id: 'uuid!'; name: 'text!'; createdAt: 'timestamp with time zone!'; memberCount: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/groups.sql.js').groupsWithMemberCount,
      ['uuid', 'text', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        createdAt: 'timestamp with time zone!';
        memberCount: 'integer';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').introductionsOf,
      ['uuid', 'uuid[]'],
      { member: 'uuid'; by: 'uuid'; kind: 'text'; madeAt: 'double precision'; at: 'double precision' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').vouchesOf,
      ['uuid', 'uuid[]'],
      { member: 'uuid!'; by: 'uuid?'; at: 'double precision' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').statusChangesOf,
      ['uuid', 'timestamp with time zone', 'uuid[]'],
      { changedBy: 'uuid!'; memberId: 'uuid!'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').insertIntroduction,
      ['uuid', 'uuid', 'uuid', 'text', 'uuid', 'text', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').insertProviderChange,
      ['uuid', 'uuid', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').insertStatusChange,
      ['uuid', 'uuid', 'uuid', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').insertVouch,
      ['uuid', 'uuid', 'uuid', 'uuid'],
      { tenantId: 'uuid!'; id: 'uuid!'; memberId: 'uuid!'; madeBy: 'uuid?'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').lockAccessChanges,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/independence/independence.sql.js').lockAccessChangesShared,
      ['text'],
      { pg_advisory_xact_lock_shared: 'void' }
    >
  >,
  Verified<Mismatches<typeof import('../src/access/links.sql.js').claimLink, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/access/members.sql.js').listMembers,
      ['uuid', 'text', 'uuid', 'text', 'text', 'uuid', 'bigint', 'text'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        email: 'text!';
        name: 'text!';
        roles: 'text[]!';
        status: 'text!';
        joinedAt: 'timestamp with time zone!';
        adminSince: 'timestamp with time zone?';
        wantsSecondFactor: 'boolean!';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/members.sql.js').groupsOfMembers,
      ['uuid', 'uuid[]'],
      { memberId: 'uuid!'; tenantId: 'uuid!'; id: 'uuid!'; name: 'text!'; createdAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/members.sql.js').eligibleAdmins,
      ['uuid'],
      { id: 'uuid!'; since: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/members.sql.js').eligibleInGroups,
      ['uuid', 'uuid[]'],
      { groupId: 'uuid!'; id: 'uuid!'; since: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/members.sql.js').insertGroupMembers,
      ['uuid', 'uuid', 'timestamp with time zone', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/access/members.sql.js').groupIdsOfMember, ['uuid', 'uuid'], { groupIds: 'text[]' }>
  >,
  Verified<Mismatches<typeof import('../src/access/members.sql.js').lockMember, ['uuid', 'uuid'], { id: 'uuid!' }>>,
  Verified<
    Mismatches<typeof import('../src/access/members.sql.js').lockActiveMember, ['uuid', 'uuid'], { id: 'uuid!' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/passkeys/passkeys.sql.js').updatePasskeyCounter,
      ['uuid', 'uuid', 'bigint', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/passkeys/passkeys.sql.js').passkeysOfMembers,
      ['uuid', 'uuid[]'],
      {
        id: 'uuid!';
        memberId: 'uuid!';
        credentialId: 'bytea!';
        publicKey: 'bytea!';
        transports: 'text[]!';
        name: 'text!';
        registeredAt: 'double precision';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/passkeys/passkeys.system.sql.js').passkeyByCredential,
      ['bytea', 'uuid'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        memberId: 'uuid!';
        credentialId: 'bytea!';
        publicKey: 'bytea!';
        name: 'text!';
        memberName: 'text!';
        roles: 'text[]!';
        status: 'text!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/profiles.system.sql.js').profiles,
      ['uuid[]', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        email: 'text!';
        organizationName: 'text!';
        organizationSlug: 'text!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/providers/sign-in-providers.sql.js').lockProvider,
      ['uuid', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/providers/sign-in-providers.sql.js').groupsOfProviders,
      ['uuid', 'uuid[]'],
      { providerId: 'uuid!'; tenantId: 'uuid!'; id: 'uuid!'; name: 'text!'; createdAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/access/providers/sign-in-providers.sql.js').deleteProviderGroups, ['uuid', 'uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/providers/sign-in-providers.sql.js').insertProviderGroups,
      ['uuid', 'uuid', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/providers/sign-in-providers.sql.js').lockIdentity,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/providers/sign-in-providers.system.sql.js').providerById,
      ['uuid'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        issuer: 'text!';
        clientId: 'text!';
        clientSecret: 'bytea?';
        emailDomains: 'text[]!';
        createsMembers: 'boolean!';
        createdBy: 'uuid?';
        createdAt: 'timestamp with time zone!';
        disabledAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/sessions.sql.js').activeSession,
      ['uuid', 'uuid', 'double precision'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/sign-in-methods.sql.js').countSignInMethods,
      ['uuid', 'uuid'],
      { count: 'integer' }
    >
  >,
  Verified<Mismatches<typeof import('../src/access/sweeps.system.sql.js').sweepSessions, ['double precision']>>,
  Verified<Mismatches<typeof import('../src/access/sweeps.system.sql.js').sweepLinks, []>>,
  Verified<Mismatches<typeof import('../src/access/tenants.sql.js').lockTenant, ['uuid'], { id: 'uuid!' }>>,
  Verified<
    Mismatches<
      typeof import('../src/access/tenants.system.sql.js').tenantBySlug,
      ['text'],
      {
        id: 'uuid!';
        slug: 'text!';
        name: 'text!';
        createdAt: 'timestamp with time zone!';
        pausedAt: 'timestamp with time zone?';
        requiresSecondFactor: 'boolean!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/tenants.system.sql.js').firstTenants,
      [],
      {
        id: 'uuid!';
        slug: 'text!';
        name: 'text!';
        createdAt: 'timestamp with time zone!';
        pausedAt: 'timestamp with time zone?';
        requiresSecondFactor: 'boolean!';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/access/tenants.system.sql.js').lockSetUp, [], { pg_advisory_xact_lock: 'void' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/access/tenants.system.sql.js').claimSetUpLinks,
      ['bytea'],
      { tenantId: 'uuid!'; isThis: 'boolean' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/approvals/approvals.sql.js').lockCall, ['text'], { pg_advisory_xact_lock: 'void' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approvals.sql.js').earlierApprovals,
      ['uuid', 'uuid[]'],
      { laterId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approvals.sql.js').earlierVisibleApprovals,
      ['uuid', 'uuid[]', 'uuid', 'uuid[]'],
      { laterId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approvals.sql.js').signersOfApproval,
      ['uuid', 'uuid'],
      { memberId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approvals.system.sql.js').approvalsToEscalate,
      [],
      { tenantId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approvals.system.sql.js').overdueApprovals,
      [],
      { tenantId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approver-activity.sql.js').insertApproverView,
      ['uuid', 'uuid', 'uuid'],
      { approvalId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/approver-activity.sql.js').upsertApproverDecision,
      ['uuid', 'uuid', 'uuid', 'timestamp with time zone', 'text', 'text', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/substitutions.sql.js').openSubstitutionsOf,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        memberId: 'uuid!';
        substituteId: 'uuid!';
        startsAt: 'timestamp with time zone!';
        endsAt: 'timestamp with time zone!';
        createdBy: 'uuid!';
        createdAt: 'timestamp with time zone!';
        endedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/substitutions.sql.js').activeSubstitutions,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        memberId: 'uuid!';
        substituteId: 'uuid!';
        startsAt: 'timestamp with time zone!';
        endsAt: 'timestamp with time zone!';
        createdBy: 'uuid!';
        createdAt: 'timestamp with time zone!';
        endedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/approvals/substitutions.sql.js').possibleSubstitutes,
      ['uuid', 'uuid', 'text', 'bigint'],
      { id: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.sql.js').lockAuditStreams,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.sql.js').renewLease,
      ['uuid', 'uuid', 'uuid', 'double precision'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        kind: 'text!';
        sealedSettings: 'bytea!';
        position: 'double precision!';
        headSize: 'double precision!';
        attempts: 'integer!';
        isOutageNotified: 'boolean!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.sql.js').advanceStream,
      ['uuid', 'uuid', 'uuid', 'bigint', 'bigint', 'bigint', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.sql.js').recordFailure,
      ['uuid', 'uuid', 'uuid', 'text', 'double precision', 'bigint', 'bigint', 'double precision'],
      { isNewOutage: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.sql.js').releaseLease,
      ['uuid', 'uuid', 'uuid', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit-streams/audit-streams.system.sql.js').claimStreams,
      ['uuid', 'double precision', 'bigint', 'bigint'],
      { tenantId: 'uuid!'; id: 'uuid!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/audit/audit.sql.js').insertAuditEvents, ['json']>>,
  Verified<Mismatches<typeof import('../src/audit/audit.sql.js').auditKindsQuery, ['uuid'], { kind: 'text' }>>,
  Verified<
    Mismatches<
      typeof import('../src/audit/audit.sql.js').auditActorsQuery,
      ['uuid'],
      { id: 'text'; kind: 'text'; name: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/audit.system.sql.js').auditEventsSince,
      ['uuid[]', 'uuid', 'bigint'],
      { tenantId: 'uuid!'; id: 'uuid!'; kind: 'text!'; subjectType: 'text'; subjectId: 'text'; taskId: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/audit-keys.system.sql.js').publishedKeys,
      [],
      { epoch: 'integer!'; publicKey: 'bytea!'; endorsement: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/audit/sealing/sealer.sql.js').lockSealing, [], { pg_advisory_xact_lock: 'void' }>
  >,
  Verified<Mismatches<typeof import('../src/audit/sealing/sealer.sql.js').tryLockSealing, [], { isAlone: 'boolean!' }>>,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').settledEvents,
      ['boolean', 'text', 'uuid'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        at: 'text!';
        kind: 'text!';
        actor: 'jsonb!';
        subject: 'jsonb?';
        detail: 'jsonb!';
        requestId: 'uuid?';
        transactionId: 'text!';
        isOfThisServer: 'boolean!';
        isSealed: 'boolean!';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/audit/sealing/sealer.sql.js').setSealingProgress, ['text', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').treesToSeal,
      ['uuid[]'],
      {
        tenantId: 'uuid!';
        size: 'double precision!';
        frontier: 'bytea!';
        headSize: 'double precision!';
        headHash: 'bytea?';
        headAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').setTree,
      ['uuid', 'bigint', 'bytea', 'bigint', 'bytea', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').insertSeals,
      ['uuid[]', 'bigint[]', 'integer[]', 'integer[]', 'uuid[]', 'bytea']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').insertNodes,
      ['uuid[]', 'smallint[]', 'bigint[]', 'bytea[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').insertHead,
      ['uuid', 'bigint', 'bytea', 'bytea', 'timestamp with time zone', 'integer', 'bytea']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').sealerKeys,
      [],
      { epoch: 'integer!'; publicKey: 'bytea!'; endorsement: 'bytea?' }
    >
  >,
  Verified<Mismatches<typeof import('../src/audit/sealing/sealer.sql.js').insertKey, ['integer', 'bytea', 'bytea']>>,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').tenantsWithOldEvents,
      ['timestamp with time zone'],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/audit/sealing/sealer.sql.js').tryLockRetention, ['text'], { isAlone: 'boolean!' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').removableHead,
      ['uuid', 'bigint', 'bigint', 'timestamp with time zone'],
      { size: 'double precision!'; root: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/sealer.sql.js').removeEvents,
      [
        'uuid',
        'bigint',
        'bigint',
        'bytea',
        'timestamp with time zone',
        'timestamp with time zone',
        'integer',
        'bytea',
        'uuid',
        'jsonb',
        'jsonb',
      ],
      { cs_remove_audit_events: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').sealedEvents,
      ['uuid', 'bigint', 'bigint', 'bigint'],
      {
        position: 'double precision!';
        leaf: 'bytea!';
        id: 'uuid!';
        at: 'timestamp with time zone?';
        kind: 'text?';
        actor: 'jsonb?';
        subject: 'jsonb?';
        detail: 'jsonb?';
        requestId: 'uuid?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').eventsAndSeals,
      ['uuid', 'uuid', 'bigint', 'bigint'],
      { id: 'uuid!'; isSealed: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').sealsOfEvents,
      ['uuid', 'uuid[]', 'bigint'],
      { id: 'uuid!'; position: 'double precision!'; leaf: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').newestHead,
      ['uuid'],
      {
        tenantId: 'uuid!';
        size: 'double precision!';
        root: 'bytea!';
        previous: 'bytea?';
        at: 'timestamp with time zone!';
        epoch: 'integer!';
        signature: 'bytea!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').headsAfter,
      ['uuid', 'bigint', 'bigint', 'bigint'],
      {
        tenantId: 'uuid!';
        size: 'double precision!';
        root: 'bytea!';
        previous: 'bytea?';
        at: 'timestamp with time zone!';
        epoch: 'integer!';
        signature: 'bytea!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').leavesBetween,
      ['uuid', 'bigint', 'bigint'],
      { position: 'double precision!'; hash: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').nodesBetween,
      ['uuid', 'smallint', 'bigint', 'bigint'],
      { position: 'double precision!'; hash: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').tombstonesOf,
      ['uuid'],
      {
        tenantId: 'uuid!';
        from: 'double precision!';
        to: 'double precision!';
        frontier: 'bytea!';
        cutoff: 'timestamp with time zone!';
        at: 'timestamp with time zone!';
        epoch: 'integer!';
        signature: 'bytea!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').newestTombstone,
      ['uuid'],
      { to: 'double precision!'; frontier: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/audit/sealing/seals.sql.js').sealedBacklogs,
      ['uuid', 'bigint[]'],
      { position: 'double precision!'; count: 'double precision!'; since: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/a2a-keys.system.sql.js').a2aKeyByToken,
      ['bytea[]'],
      {
        tokenHash: 'bytea!';
        tenantId: 'uuid!';
        keyId: 'uuid!';
        agentId: 'uuid!';
        agent: 'text!';
        configurationId: 'uuid!';
        isPaused: 'boolean';
        isTenantPaused: 'boolean';
        isAttended: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/a2a-keys.system.sql.js').holderOfA2aKey,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').selectBundles,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        description: 'text!';
        modelConnectionId: 'uuid?';
        unprefixed: 'boolean!';
        revision: 'integer!';
        pausedAt: 'timestamp with time zone?';
        createdAt: 'timestamp with time zone!';
        connectionIds: 'text[]';
        groupIds: 'text[]';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').delegationConnections,
      ['uuid', 'uuid', 'text'],
      { isPaused: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').toolsFingerprintsOfConfigurations,
      ['uuid', 'uuid[]'],
      { id: 'uuid'; print: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').usableBy,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        description: 'text!';
        modelConnectionId: 'uuid?';
        unprefixed: 'boolean!';
        revision: 'integer!';
        pausedAt: 'timestamp with time zone?';
        createdAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').memberReachesConnection,
      ['uuid', 'uuid', 'uuid'],
      { one: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').lastKeyUses,
      ['uuid', 'uuid[]'],
      { configurationId: 'uuid!'; usedAt: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').agentCredentialHolders,
      ['uuid', 'uuid'],
      { id: 'uuid' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').a2aKeyStatus,
      ['uuid', 'uuid'],
      {
        isRevoked: 'boolean';
        isExpired: 'boolean';
        isKeyPaused: 'boolean';
        isAgentPaused: 'boolean';
        isAttended: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').linkedConnections,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; other: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/configurations/configurations.sql.js').linkedGroups,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; other: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/configurations/configurations.sql.js').connectionPartStatements)['deleteOthers'],
      ['uuid', 'uuid', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/configurations/configurations.sql.js').connectionPartStatements)['insert'],
      ['uuid', 'uuid', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/configurations/configurations.sql.js').groupPartStatements)['deleteOthers'],
      ['uuid', 'uuid', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/configurations/configurations.sql.js').groupPartStatements)['insert'],
      ['uuid', 'uuid', 'uuid[]']
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
      ['uuid', 'uuid', 'text', 'bytea']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/connections/connections.sql.js').deleteConnectionSecret, ['uuid', 'uuid', 'text']>
  >,
  Verified<
    Mismatches<typeof import('../src/connections/connections.sql.js').deleteConnectionSecrets, ['uuid', 'uuid']>
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
      typeof import('../src/connections/model/usage.sql.js').addTaskUsage,
      ['uuid', 'uuid', 'uuid', 'bigint', 'bigint', 'numeric']
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
        tenantId: 'uuid';
        id: 'uuid';
        connectionId: 'uuid';
        connectionSlug: 'text';
        name: 'text';
        upstreamName: 'text';
        operation: 'text';
        title: 'text';
        description: 'text';
        inputSchema: 'jsonb';
        outputSchema: 'jsonb?';
        annotations: 'jsonb?';
        effect: 'text';
        definitionHash: 'text';
        confirmedHash: 'text?';
        confirmedAt: 'timestamp with time zone?';
        seenAt: 'timestamp with time zone';
        pausedAt: 'timestamp with time zone?';
        connectionRevision: 'integer';
        connectionPausedAt: 'timestamp with time zone?';
        connectionKind: 'text';
        resultRules: 'jsonb?';
        connectionResultRules: 'jsonb?';
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
        resultRules: 'jsonb?';
        connectionResultRules: 'jsonb?';
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
        'its.resultRules': 'jsonb?';
        secretNames: 'text[]';
        sealed: 'bytea[]';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/connections/tools.sql.js').markToolsSeen, ['uuid', 'uuid', 'text[]']>>,
  Verified<Mismatches<typeof import('../src/connections/tools.sql.js').markToolsGone, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').listApproved,
      ['uuid', 'uuid', 'bigint'],
      {
        id: 'uuid!';
        kind: 'text!';
        value: 'text!';
        serverId: 'uuid?';
        serverName: 'text?';
        note: 'text?';
        approvedBy: 'uuid?';
        approvedByName: 'text?';
        approvedAt: 'timestamp with time zone!';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').findApproved,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        kind: 'text!';
        value: 'text!';
        serverId: 'uuid?';
        serverName: 'text?';
        note: 'text?';
        approvedBy: 'uuid?';
        approvedByName: 'text?';
        approvedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').insertApproved,
      ['uuid', 'uuid', 'text', 'text', 'uuid', 'text', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').revokeApproved,
      ['uuid', 'uuid'],
      { kind: 'text!'; value: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').findEntryDefinition,
      ['uuid', 'uuid'],
      { serverId: 'uuid!'; hash: 'text!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').listApprovedItems,
      ['uuid'],
      { kind: 'text!'; value: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/approved/estate-approvals.sql.js').definitionsOfServers,
      ['uuid', 'uuid[]'],
      { serverId: 'uuid!'; definitionHash: 'text!'; package: 'jsonb?'; host: 'text?'; urlScheme: 'text?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/declared-servers.sql.js').definedServers,
      ['uuid'],
      {
        serverId: 'uuid!';
        name: 'text';
        package: 'jsonb?';
        host: 'text?';
        urlScheme: 'text?';
        definitionHash: 'text!';
        command: 'text';
        identity: 'text';
        entries: 'integer';
        files: 'uuid[]';
        connectionId: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/declared-servers.sql.js').shadowedEntries,
      ['uuid'],
      {
        entryId: 'uuid!';
        fileId: 'uuid!';
        serverId: 'uuid!';
        connectionId: 'uuid?';
        name: 'text!';
        path: 'text!';
        isSameServer: 'boolean';
        isOnSameDevice: 'boolean';
        userPath: 'text';
        userEntries: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/declared-servers.sql.js').declaredNames,
      ['uuid', 'text'],
      { name: 'text!'; isEverybodys: 'boolean'; owners: 'text[]' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/declared-servers.sql.js').knownFileOwners,
      ['uuid', 'text'],
      { owners: 'text[]'; files: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/declared-servers.sql.js').declaredServers,
      ['uuid', 'text'],
      {
        serverId: 'uuid!';
        name: 'text';
        names: 'text[]';
        files: 'integer';
        owners: 'integer';
        hasSecrets: 'boolean';
        since: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/comparison/estate-comparison.system.sql.js').tenantsWithEstateFiles,
      [],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').filesToEvaluate,
      ['uuid', 'text', 'uuid', 'bigint'],
      {
        id: 'uuid!';
        path: 'text!';
        client: 'text!';
        kind: 'text!';
        scope: 'text!';
        ownerEmail: 'text?';
        status: 'text!';
        problems: 'jsonb!';
        oddities: 'jsonb!';
        connectionId: 'uuid?';
        version: 'integer!';
        isGone: 'boolean';
        parser: 'integer!';
        entries: 'json';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').stillToEvaluate,
      ['uuid', 'text', 'uuid[]'],
      { id: 'uuid!'; version: 'integer!'; parser: 'integer!'; isGone: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').markEvaluated,
      ['uuid', 'text', 'uuid[]', 'integer[]', 'boolean[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').upsertApprovedEntries,
      ['uuid', 'json']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').deleteApprovedEntries,
      ['uuid', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/evaluation.sql.js').lockEvaluation,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/findings.sql.js').storedFindingsInFiles,
      ['uuid', 'uuid[]', 'text[]'],
      { id: 'uuid!'; rule: 'text!'; key: 'text!'; isResolved: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/findings.sql.js').storedFindingsOfRules,
      ['uuid', 'text[]'],
      { id: 'uuid!'; rule: 'text!'; key: 'text!'; isResolved: 'boolean' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/findings/evaluation/findings.sql.js').resolveFindings, ['uuid', 'uuid[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/findings.sql.js').upsertFindings,
      ['uuid', 'json'],
      { id: 'uuid!'; rule: 'text!'; key: 'text!'; fileId: 'uuid?'; serverId: 'uuid?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/quarantine.sql.js').quarantineFiles,
      ['uuid', 'uuid[]', 'jsonb'],
      { id: 'uuid!'; path: 'text!'; digest: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/quarantine.sql.js').quarantineVersions,
      ['uuid', 'uuid[]', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/quarantine.sql.js').deleteEntries,
      ['uuid', 'uuid[]'],
      { serverId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/evaluation/quarantine.sql.js').lockServersOf,
      ['uuid', 'uuid[]'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/findings/evaluation/quarantine.sql.js').retireServers, ['uuid', 'uuid[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/finding-notifications.sql.js').openCriticalFinding,
      ['uuid', 'uuid'],
      { rule: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/findings-list.sql.js').listFindings,
      [
        'uuid',
        'text',
        'text[]',
        'text[]',
        'uuid',
        'uuid',
        'uuid',
        'integer',
        'timestamp with time zone',
        'uuid',
        'bigint',
      ],
      {
        id: 'uuid!';
        rule: 'text!';
        severity: 'text!';
        reason: 'text!';
        evidence: 'jsonb!';
        fix: 'text!';
        fileId: 'uuid?';
        path: 'text?';
        entryId: 'uuid?';
        serverId: 'uuid?';
        serverName: 'text';
        connectionId: 'uuid?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone';
        resolvedAt: 'timestamp with time zone?';
        dismissedAt: 'timestamp with time zone?';
        dismissedBy: 'uuid?';
        dismissedByName: 'text?';
        dismissedReason: 'text?';
        rank: 'smallint!';
        ownerEmail: 'text?';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
        state: 'text';
        position: 'text';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/findings-list.sql.js').findFindings,
      ['uuid', 'uuid[]'],
      {
        id: 'uuid!';
        rule: 'text!';
        severity: 'text!';
        reason: 'text!';
        evidence: 'jsonb!';
        fix: 'text!';
        fileId: 'uuid?';
        path: 'text?';
        entryId: 'uuid?';
        serverId: 'uuid?';
        serverName: 'text';
        connectionId: 'uuid?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone';
        resolvedAt: 'timestamp with time zone?';
        dismissedAt: 'timestamp with time zone?';
        dismissedBy: 'uuid?';
        dismissedByName: 'text?';
        dismissedReason: 'text?';
        rank: 'smallint!';
        ownerEmail: 'text?';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
        state: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/findings-list.sql.js').countFindings,
      ['uuid'],
      { rule: 'text!'; severity: 'text!'; open: 'integer'; dismissed: 'integer'; files: 'integer'; servers: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/findings-list.sql.js').dismissFindings,
      ['uuid', 'uuid[]', 'uuid', 'text'],
      { id: 'uuid!'; rule: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/findings/findings-list.sql.js').reopenFindings,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; rule: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/folders/scans.sql.js').claimScan,
      ['uuid', 'uuid', 'uuid', 'integer', 'text', 'double precision'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/folders/scans.sql.js').renewScan, ['uuid', 'uuid', 'uuid'], { id: 'uuid!' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/folders/scans.sql.js').completeScan,
      ['uuid', 'uuid', 'uuid', 'jsonb', 'integer']
    >
  >,
  Verified<Mismatches<typeof import('../src/estate/folders/scans.sql.js').failScan, ['uuid', 'uuid', 'uuid', 'text']>>,
  Verified<Mismatches<typeof import('../src/estate/folders/scans.sql.js').releaseScan, ['uuid', 'uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/estate/folders/scans.sql.js').endScans, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/estate/folders/scans.system.sql.js').listNewFolders,
      [],
      { tenantId: 'uuid!'; connectionId: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/folders/scans.system.sql.js').insertFolderSource,
      ['uuid', 'uuid', 'text', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/folders/scans.system.sql.js').claimDueFolders,
      [],
      { tenantId: 'uuid!'; sourceId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').selectStoredFiles,
      ['uuid', 'uuid[]'],
      {
        id: 'uuid!';
        digest: 'text!';
        parser: 'integer!';
        version: 'integer!';
        status: 'text!';
        problems: 'jsonb!';
        goneAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').lockStoredFiles,
      ['uuid', 'uuid[]'],
      {
        id: 'uuid!';
        digest: 'text!';
        parser: 'integer!';
        version: 'integer!';
        status: 'text!';
        problems: 'jsonb!';
        goneAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/intake/intake.sql.js').findInventory, ['uuid', 'text'], { id: 'text' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').touchFiles,
      ['uuid', 'jsonb', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').touchEntries,
      ['uuid', 'uuid[]', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').upsertFiles,
      ['uuid', 'jsonb', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').insertServers,
      ['uuid', 'jsonb', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').serversByIdentity,
      ['uuid', 'text[]'],
      { id: 'uuid!'; identity: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').upsertEntries,
      ['uuid', 'jsonb', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').markEntriesGone,
      ['uuid', 'uuid[]', 'uuid[]', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').serversOfFiles,
      ['uuid', 'uuid[]'],
      { serverId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').markServersSeen,
      ['uuid', 'uuid[]', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/intake/intake.sql.js').lockServers, ['uuid', 'uuid[]'], { id: 'uuid!' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').markServersGone,
      ['uuid', 'uuid[]', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').insertVersions,
      ['uuid', 'jsonb', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/intake/intake.sql.js').deleteOldVersions, ['uuid', 'uuid[]', 'integer']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').lockMissingFiles,
      ['uuid', 'uuid', 'uuid[]', 'text[]'],
      { id: 'uuid!'; version: 'integer!'; status: 'text!'; digest: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/intake.sql.js').markFilesGone,
      ['uuid', 'uuid[]', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/sources.sql.js').upsertDevice,
      ['uuid', 'uuid', 'text', 'text'],
      {
        id: 'uuid!';
        collectedAt: 'timestamp with time zone?';
        keyId: 'uuid?';
        secretHash: 'bytea?';
        isKeyUsable: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/estate/intake/sources.sql.js').bindDevice, ['uuid', 'uuid', 'uuid', 'bytea']>
  >,
  Verified<Mismatches<typeof import('../src/estate/intake/sources.sql.js').releaseDevice, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/estate/intake/sources.sql.js').recordDeviceUpload,
      ['uuid', 'uuid', 'text', 'text', 'timestamp with time zone', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').listFiles,
      ['uuid', 'uuid', 'uuid', 'uuid', 'text', 'text', 'text', 'boolean', 'uuid', 'bigint', 'boolean'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        sourceId: 'uuid!';
        connectionId: 'uuid?';
        client: 'text!';
        kind: 'text!';
        scope: 'text!';
        path: 'text!';
        ownerEmail: 'text?';
        status: 'text!';
        digest: 'text!';
        size: 'integer!';
        modifiedAt: 'timestamp with time zone?';
        problems: 'jsonb!';
        oddities: 'jsonb!';
        entryCount: 'integer!';
        version: 'integer!';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        changedAt: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').filesById,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        sourceId: 'uuid!';
        connectionId: 'uuid?';
        client: 'text!';
        kind: 'text!';
        scope: 'text!';
        path: 'text!';
        ownerEmail: 'text?';
        status: 'text!';
        digest: 'text!';
        size: 'integer!';
        modifiedAt: 'timestamp with time zone?';
        problems: 'jsonb!';
        oddities: 'jsonb!';
        entryCount: 'integer!';
        version: 'integer!';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        changedAt: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').entriesOfFiles,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        fileId: 'uuid!';
        serverId: 'uuid!';
        name: 'text!';
        position: 'integer!';
        definition: 'jsonb!';
        definitionHash: 'text!';
        transport: 'text!';
        command: 'text?';
        args: 'jsonb!';
        package: 'jsonb?';
        url: 'text?';
        urlScheme: 'text?';
        host: 'text?';
        authKind: 'text!';
        envNames: 'text[]!';
        headerNames: 'text[]!';
        envFile: 'text?';
        secrets: 'jsonb!';
        oddities: 'jsonb!';
        isDisabled: 'boolean!';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        changedAt: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').entriesOfServers,
      ['uuid', 'uuid[]', 'integer[]', 'uuid[]'],
      {
        nth: 'integer';
        total: 'integer';
        tenantId: 'uuid!';
        id: 'uuid!';
        fileId: 'uuid!';
        serverId: 'uuid!';
        name: 'text!';
        position: 'integer!';
        definition: 'jsonb!';
        definitionHash: 'text!';
        transport: 'text!';
        command: 'text?';
        args: 'jsonb!';
        package: 'jsonb?';
        url: 'text?';
        urlScheme: 'text?';
        host: 'text?';
        authKind: 'text!';
        envNames: 'text[]!';
        headerNames: 'text[]!';
        envFile: 'text?';
        secrets: 'jsonb!';
        oddities: 'jsonb!';
        isDisabled: 'boolean!';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        changedAt: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').versionsOfFiles,
      ['uuid', 'uuid[]', 'bigint'],
      {
        tenantId: 'uuid!';
        fileId: 'uuid!';
        number: 'integer!';
        seenAt: 'timestamp with time zone!';
        isGone: 'boolean!';
        status: 'text!';
        problems: 'jsonb!';
        entries: 'jsonb!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').listServers,
      ['uuid', 'text', 'text', 'boolean', 'text', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        transport: 'text!';
        command: 'text?';
        package: 'jsonb?';
        url: 'text?';
        host: 'text?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
        fileCount: 'integer';
        sourceCount: 'integer';
        ownerCount: 'integer';
        names: 'text[]';
        versionSpecs: 'text[]';
        definitionCount: 'integer';
        place: 'text';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').serversById,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        transport: 'text!';
        command: 'text?';
        package: 'jsonb?';
        url: 'text?';
        host: 'text?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone!';
        goneAt: 'timestamp with time zone?';
        fileCount: 'integer';
        sourceCount: 'integer';
        ownerCount: 'integer';
        names: 'text[]';
        versionSpecs: 'text[]';
        definitionCount: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').listSources,
      ['uuid', 'text', 'timestamp with time zone', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        kind: 'text!';
        name: 'text!';
        keyId: 'uuid?';
        hasDeviceSecret: 'boolean';
        connectionId: 'uuid?';
        platform: 'text?';
        ownerEmail: 'text?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone?';
        completeAt: 'timestamp with time zone?';
        nextAt: 'timestamp with time zone?';
        runningUntil: 'timestamp with time zone?';
        failure: 'text?';
        problems: 'jsonb!';
        problemCount: 'integer!';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
        total: 'integer';
        fileCount: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').sourcesById,
      ['uuid', 'uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        kind: 'text!';
        name: 'text!';
        keyId: 'uuid?';
        hasDeviceSecret: 'boolean';
        connectionId: 'uuid?';
        platform: 'text?';
        ownerEmail: 'text?';
        firstSeen: 'timestamp with time zone!';
        lastSeen: 'timestamp with time zone?';
        completeAt: 'timestamp with time zone?';
        nextAt: 'timestamp with time zone?';
        runningUntil: 'timestamp with time zone?';
        failure: 'text?';
        problems: 'jsonb!';
        problemCount: 'integer!';
        personId: 'uuid?';
        personName: 'text?';
        pseudonym: 'text?';
        pseudonymId: 'uuid?';
        groupId: 'uuid?';
        fileCount: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').countInventory,
      ['uuid'],
      { devices: 'integer'; folders: 'integer'; files: 'integer'; servers: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').scheduleScanNow,
      ['uuid', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/inventory/inventory.sql.js').releaseFile,
      ['uuid', 'uuid'],
      { digest: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/estate/redaction/estate-keys.sql.js').findEstateKey,
      ['uuid'],
      { sealed: 'bytea!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/estate/redaction/estate-keys.sql.js').insertEstateKey, ['uuid', 'bytea']>>,
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
  Verified<Mismatches<typeof import('../src/gate/gate.system.sql.js').removeOldCalls, ['double precision', 'bigint']>>,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').insertCalls, ['json', 'json'], { id: 'uuid!' }>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').taskCallHistories,
      ['uuid', 'json'],
      { denials: 'integer'; epoch: 'integer'; sentId: 'uuid' }
    >
  >,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').appendCallRefs, ['uuid', 'uuid', 'text[]']>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').recordOutcomes,
      ['uuid', 'uuid[]', 'json', 'json'],
      { id: 'uuid!'; endedAt: 'timestamp with time zone!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/gate/ledger.sql.js').markDelivered, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').claimCall,
      ['uuid', 'uuid', 'text', 'double precision', 'integer', 'text'],
      { attempts: 'integer!'; executedAt: 'timestamp with time zone!'; executingUntil: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/ledger.sql.js').extendExecution,
      ['uuid', 'uuid', 'integer', 'double precision']
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
      typeof import('../src/gate/policy-replay.sql.js').selectRecordedCalls,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bigint', 'integer'],
      {
        id: 'uuid!';
        taskId: 'text?';
        tool: 'text!';
        caller: 'jsonb!';
        tainted: 'boolean!';
        requestedAt: 'timestamp with time zone!';
        argumentsSealed: 'bytea?';
        argumentsHash: 'bytea?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/policy-replay.sql.js').countRecordedCalls,
      ['uuid', 'uuid', 'uuid'],
      { count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/gate/policy-shadow.sql.js').selectUnshadowedCalls,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bigint', 'integer'],
      {
        id: 'uuid!';
        taskId: 'text?';
        tool: 'text!';
        caller: 'jsonb!';
        tainted: 'boolean!';
        requestedAt: 'timestamp with time zone!';
        argumentsSealed: 'bytea?';
        argumentsHash: 'bytea?';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/gate/policy-shadow.sql.js').endShadowClaim, ['uuid', 'uuid', 'integer']>>,
  Verified<
    Mismatches<
      typeof import('../src/gate/policy-shadow.system.sql.js').claimShadows,
      ['uuid', 'integer', 'integer'],
      { tenantId: 'uuid!'; configurationId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/gate/task-grants.sql.js').takeTaskGrantUse, ['uuid', 'uuid'], { uses: 'integer!' }>
  >,
  Verified<Mismatches<typeof import('../src/gate/task-grants.sql.js').returnTaskGrantUse, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/call-usage.sql.js').selectPolicyUsage,
      ['uuid', 'uuid', 'uuid'],
      { configurationId: 'uuid!'; policyId: 'text!'; revision: 'integer!'; calls: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/call-usage.sql.js').selectToolUsage,
      ['uuid', 'uuid', 'uuid'],
      { configurationId: 'uuid!'; tool: 'text!'; requests: 'integer!'; executions: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/call-usage.sql.js').selectLatestRevisions,
      ['uuid', 'uuid', 'bigint'],
      { revision: 'integer!'; text: 'text!'; publishedAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/decision-times.sql.js').selectStepTimes,
      ['uuid', 'timestamp with time zone', 'timestamp with time zone'],
      {
        stepName: 'text!';
        approved: 'integer!';
        denied: 'integer!';
        expired: 'integer!';
        open: 'integer!';
        medianSeconds: 'double precision';
        p90Seconds: 'double precision';
        oldestOpenSeconds: 'double precision';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/decision-times.sql.js').selectApproverTimes,
      ['uuid', 'timestamp with time zone', 'timestamp with time zone', 'bigint'],
      {
        memberId: 'uuid!';
        approved: 'integer!';
        denied: 'integer!';
        open: 'integer!';
        unviewed: 'integer!';
        medianSeconds: 'double precision';
        p90Seconds: 'double precision';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/decision-times.sql.js').selectDecisionPeriods,
      ['uuid', 'timestamp with time zone', 'timestamp with time zone', 'text'],
      { from: 'text!'; approved: 'integer!'; denied: 'integer!'; medianSeconds: 'double precision' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/decision-times.sql.js').selectUnviewedDecisions,
      ['uuid', 'timestamp with time zone', 'timestamp with time zone', 'bigint', 'text', 'uuid', 'uuid'],
      {
        approvalId: 'uuid!';
        memberId: 'uuid!';
        decidedAt: 'timestamp with time zone!';
        position: 'text!';
        decision: 'text!';
        configurationId: 'uuid!';
        tool: 'text!';
        stepName: 'text!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/governance-reports/decision-times.sql.js').countUnviewedDecisions,
      ['uuid', 'timestamp with time zone', 'timestamp with time zone'],
      { count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/jobs/jobs.sql.js').quarantinedJobs,
      ['uuid'],
      {
        id: 'uuid!';
        task: 'text!';
        connectionId: 'text';
        sourceId: 'text';
        lostProcesses: 'integer!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/jobs/jobs.system.sql.js').allQuarantinedJobs,
      [],
      {
        id: 'uuid!';
        tenantId: 'uuid?';
        organization: 'text?';
        task: 'text!';
        payload: 'jsonb!';
        key: 'text?';
        lostProcesses: 'integer!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/jobs/jobs.system.sql.js').unreportedJobs, [], { id: 'uuid!'; tenantId: 'uuid?' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/jobs/jobs.system.sql.js').markReported,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        task: 'text!';
        connectionId: 'text';
        sourceId: 'text';
        lostProcesses: 'integer!';
        quarantinedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/jobs/jobs.system.sql.js').releaseJob,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        task: 'text!';
        connectionId: 'text';
        sourceId: 'text';
        lostProcesses: 'integer!';
        quarantinedAt: 'timestamp with time zone!';
        payload: 'jsonb!';
        key: 'text?';
        max_attempts: 'integer?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/jobs/jobs.system.sql.js').enqueueAgain,
      ['text', 'json', 'text', 'integer'],
      { cs_enqueue: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertPartition,
      ['uuid', 'uuid', 'uuid', 'text', 'uuid[]', 'uuid']
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
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deletePartitions, ['uuid', 'uuid']>>,
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
      { id: 'uuid!'; partition_id: 'uuid!'; chunk_count: 'integer!'; term_count: 'integer!' }
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
        'text',
        'text',
        'text',
        'smallint',
      ],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertChunks,
      ['uuid', 'uuid', 'uuid[]', 'jsonb[]', 'text[]', 'text[]', 'integer[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').insertPostings,
      ['uuid', 'uuid', 'text[]', 'uuid[]', 'smallint[]', 'smallint[]']
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deletePostings, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deleteVectors, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deleteChunks, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/documents.sql.js').deleteDocument, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/knowledge/documents.sql.js').hideDocument, ['uuid', 'uuid', 'uuid', 'text']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').updatePartitionSize,
      ['uuid', 'uuid', 'integer', 'integer', 'bigint', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').findOutdatedDocuments,
      ['uuid', 'smallint', 'bigint'],
      { id: 'uuid!'; connectionId: 'uuid!'; externalId: 'text!'; title: 'text!'; mediaType: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').findOutdatedChunks,
      ['uuid', 'uuid'],
      { id: 'uuid!'; heading: 'text[]!'; text: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.sql.js').setIndexVersion,
      ['uuid', 'uuid', 'smallint', 'text', 'integer']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/documents.system.sql.js').listTenantsWithOutdatedDocuments,
      ['smallint'],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').insertSpace,
      ['uuid', 'uuid', 'uuid', 'text', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').claimSpace,
      ['uuid', 'uuid'],
      { id: 'uuid!'; connectionId: 'uuid!'; model: 'text!'; passagePrefix: 'text!'; dimensions: 'integer?' }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/embeddings/embeddings.sql.js').renewSpace, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/embeddings/embeddings.sql.js').releaseSpace, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').failSpace,
      ['uuid', 'uuid', 'text', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').setDimensions,
      ['uuid', 'uuid', 'integer']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').findSpace,
      ['uuid', 'uuid'],
      { id: 'uuid!'; connectionId: 'uuid!'; model: 'text!'; passagePrefix: 'text!'; dimensions: 'integer?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').findDocumentsToEmbed,
      ['uuid', 'uuid', 'bigint'],
      { id: 'uuid'; title: 'text'; indexedAt: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').findPassagesToEmbed,
      ['uuid', 'uuid', 'uuid[]', 'bigint'],
      { id: 'uuid!'; documentId: 'uuid!'; heading: 'text[]!'; text: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').lockDocuments,
      ['uuid', 'uuid[]'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').insertVectors,
      ['uuid', 'uuid', 'uuid[]', 'uuid[]', 'text[]', 'bytea[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').markEmbedded,
      ['uuid', 'uuid', 'uuid[]', 'timestamp with time zone[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').listUnusedSpaces,
      ['uuid', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').deleteSpaceVectors,
      ['uuid', 'uuid', 'bigint']
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/embeddings/embeddings.sql.js').deleteSpace, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').addEmbeddingUsage,
      ['uuid', 'uuid', 'integer', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').tokensThisMonth,
      ['uuid', 'uuid'],
      { tokens: 'double precision' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.sql.js').readEmbeddingProgress,
      ['uuid', 'uuid', 'uuid'],
      {
        dimensions: 'integer';
        failure: 'text';
        embeddedDocuments: 'integer!';
        documents: 'integer!';
        tokensThisMonth: 'double precision!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/embeddings/embeddings.system.sql.js').listTenantsWithEmbeddings,
      ['text'],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/git/git-storage.system.sql.js').listExistingConnections,
      ['uuid[]'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/passes.sql.js').findPass,
      ['uuid', 'uuid'],
      {
        id: 'uuid!';
        kind: 'text!';
        connection_revision: 'integer!';
        started_at: 'timestamp with time zone!';
        progress: 'jsonb!';
        state: 'jsonb!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/passes.sql.js').storePass,
      ['uuid', 'uuid', 'uuid', 'text', 'integer', 'timestamp with time zone', 'jsonb', 'jsonb']
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/passes.sql.js').deletePass, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/passes.sql.js').listPassMarks,
      ['uuid', 'uuid', 'uuid'],
      { marks: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/passes.sql.js').insertPassMarks,
      ['uuid', 'uuid', 'uuid', 'integer', 'bytea']
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/passes.sql.js').deletePassMarks, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/passes.sql.js').listHints,
      ['uuid', 'uuid'],
      { id: 'uuid!'; hint: 'jsonb!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/passes.sql.js').insertHints, ['uuid', 'uuid', 'uuid[]', 'jsonb[]']>
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/passes.sql.js').countHints, ['uuid', 'uuid'], { count: 'integer' }>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/passes.sql.js').deleteHints, ['uuid', 'uuid', 'uuid[]']>>,
  Verified<Mismatches<typeof import('../src/knowledge/passes.sql.js').deleteAllHints, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/access-explanation.sql.js').listAccountsOfMember,
      ['uuid', 'uuid[]', 'uuid'],
      { externalId: 'text'; name: 'text'; email: 'text'; isAssigned: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/access-explanation.sql.js').listMembershipPaths,
      ['uuid', 'uuid[]', 'uuid', 'uuid'],
      { set: 'integer'; account: 'text'; accountName: 'text'; group: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/access-explanation.sql.js').findAudience,
      ['uuid', 'uuid', 'uuid'],
      { externalId: 'text!'; title: 'text!'; url: 'text?'; rule: 'text!'; readers: 'text!'; setCount: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/access-explanation.sql.js').findDocumentReaders,
      ['uuid', 'uuid'],
      { connectionId: 'uuid!'; groupIds: 'uuid[]?'; audienceId: 'uuid?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/readable-audiences.sql.js').listReadableAudiences,
      ['uuid', 'uuid[]', 'uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/readable-audiences.sql.js').listRosterAccounts,
      ['uuid', 'uuid[]', 'uuid'],
      { connectionId: 'uuid!'; version: 'text!'; accountIds: 'uuid[]!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/readable-audiences.sql.js').listAudiencesOfAccounts,
      ['uuid', 'uuid[]', 'uuid[]'],
      { connectionId: 'uuid!'; version: 'text!'; audienceIds: 'uuid[]!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedAccounts, []>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedGroups, []>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedMemberships, []>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedAudiences, []>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedSets, []>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').createStagedReaders, []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[0], []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[1], []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[2], []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[3], []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[4], []>>,
  Verified<Mismatches<(typeof import('../src/knowledge/permissions/roster-writes.sql.js').rosterStaging)[5], []>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageAccounts,
      ['integer[]', 'uuid[]', 'text[]', 'text[]', 'text[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageGroups,
      ['integer[]', 'uuid[]', 'text[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageMemberships,
      ['integer[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageAudiences,
      ['uuid[]', 'text[]', 'text[]', 'text[]', 'text[]', 'text[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageSets,
      ['integer[]', 'uuid[]', 'uuid[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').stageReaders,
      ['integer[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').upsertAccounts, ['uuid', 'uuid']>
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').upsertGroups, ['uuid', 'uuid']>
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').upsertAudiences, ['uuid', 'uuid']>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').upsertSets, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').deleteUnlistedAccounts,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').deleteUnlistedGroups,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').deleteUnlistedAudiences,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/roster-writes.sql.js').deleteUnlistedSets, ['uuid', 'uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/roster-writes.sql.js').completeRoster,
      ['uuid', 'uuid', 'uuid', 'integer', 'integer', 'integer', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/rosters.sql.js').claimRoster,
      ['uuid', 'uuid', 'uuid', 'integer', 'double precision'],
      { run_id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').renewRoster, ['uuid', 'uuid', 'uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/rosters.sql.js').failRoster,
      ['uuid', 'uuid', 'uuid', 'text'],
      { failures: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/rosters.sql.js').suspendRoster,
      ['uuid', 'uuid', 'uuid', 'timestamp with time zone', 'text']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').releaseRoster, ['uuid', 'uuid', 'uuid']>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').makeRosterDue, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').hastenRoster, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteAccounts, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteGroups, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteAudienceSets, ['uuid', 'uuid']>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteAudiences, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteAssignments, ['uuid', 'uuid']>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/permissions/rosters.sql.js').deleteRoster, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/knowledge/permissions/rosters.system.sql.js').insertMissingRosters, ['text[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/rosters.system.sql.js').claimDueRosters,
      [],
      { tenantId: 'uuid!'; connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').listSourceAccounts,
      ['uuid', 'uuid', 'boolean', 'text', 'text', 'bigint'],
      {
        id: 'uuid!';
        connectionId: 'uuid!';
        externalId: 'text!';
        name: 'text!';
        email: 'text?';
        match: 'text';
        memberId: 'uuid';
        memberName: 'text';
        assignedBy: 'uuid?';
        assignedAt: 'timestamp with time zone?';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').findSourceAccount,
      ['uuid', 'uuid', 'uuid'],
      {
        id: 'uuid!';
        connectionId: 'uuid!';
        externalId: 'text!';
        name: 'text!';
        email: 'text?';
        match: 'text';
        memberId: 'uuid';
        memberName: 'text';
        assignedBy: 'uuid?';
        assignedAt: 'timestamp with time zone?';
        verifiedIds: 'uuid[]';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').assignAccount,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').deleteAssignment,
      ['uuid', 'uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').deleteAssignmentsOfMember,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').listClosedAudiences,
      ['uuid', 'uuid', 'bigint'],
      { title: 'text?'; url: 'text?'; rule: 'text?'; documents: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/permissions/source-accounts.sql.js').countUnmatchedAccounts,
      ['uuid', 'uuid'],
      { count: 'integer' }
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
      ['uuid', 'uuid', 'uuid', 'text', 'text', 'integer', 'text']
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
  Verified<Mismatches<typeof import('../src/knowledge/quarantine.sql.js').deleteAllQuarantined, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').openConnections,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; slug: 'text!'; settings: 'jsonb!'; isRead: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').listReadableLanguages,
      ['uuid', 'uuid[]', 'uuid[]'],
      { languages: 'text[]' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').searchPassages,
      ['uuid', 'uuid[]', 'uuid[]', 'text[]', 'integer[]', 'double precision[]', 'bigint', 'text'],
      {
        documents: 'integer';
        chunks: 'integer';
        average: 'double precision';
        frequencies: 'json';
        score: 'double precision';
        words: 'double precision';
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
        container: 'text?';
        position: 'text?';
        language: 'text?';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').searchFilteredPassages,
      [
        'uuid',
        'uuid[]',
        'uuid[]',
        'text[]',
        'integer[]',
        'double precision[]',
        'bigint',
        'text',
        'text',
        'text',
        'timestamp with time zone',
        'timestamp with time zone',
      ],
      {
        documents: 'integer';
        chunks: 'integer';
        average: 'double precision';
        frequencies: 'json';
        score: 'double precision';
        words: 'double precision';
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
        container: 'text?';
        position: 'text?';
        language: 'text?';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').readPassages,
      ['uuid', 'uuid[]', 'uuid[]', 'uuid[]', 'text[]'],
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
        container: 'text?';
        position: 'text?';
        language: 'text!';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
        weights: 'json';
        length: 'smallint';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').readFirstPassages,
      ['uuid', 'uuid[]', 'uuid[]', 'uuid[]', 'text[]', 'integer'],
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
        container: 'text?';
        position: 'text?';
        language: 'text!';
        url: 'text?';
        updated_at: 'timestamp with time zone?';
        retrieved_at: 'timestamp with time zone';
        weights: 'json';
        length: 'smallint';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').findReferencedDocuments,
      [
        'uuid',
        'uuid[]',
        'uuid[]',
        'text[]',
        'text[]',
        'bigint',
        'text',
        'text',
        'text',
        'timestamp with time zone',
        'timestamp with time zone',
      ],
      { id: 'uuid!'; ticket_key: 'text?'; url: 'text?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').nearestPassages,
      ['uuid', 'uuid[]', 'uuid[]', 'uuid', 'bit varying', 'bigint', 'text'],
      { chunk_id: 'uuid!'; vector: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').nearestFilteredPassages,
      [
        'uuid',
        'uuid[]',
        'uuid[]',
        'uuid',
        'bit varying',
        'bigint',
        'text',
        'text',
        'text',
        'timestamp with time zone',
        'timestamp with time zone',
      ],
      { chunk_id: 'uuid!'; vector: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/search.sql.js').readVectors,
      ['uuid', 'uuid', 'uuid[]'],
      { chunk_id: 'uuid!'; vector: 'bytea!' }
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
        container: 'text?';
        position: 'text?';
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
        container: 'text?';
        position: 'text?';
        language: 'text!';
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
      {
        run_id: 'uuid!';
        started_at: 'timestamp with time zone!';
        cursor: 'jsonb?';
        cursor_revision: 'integer?';
        listed_at: 'timestamp with time zone?';
        listing_due_at: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').beginPass,
      ['uuid', 'uuid', 'uuid', 'integer', 'integer', 'integer', 'jsonb', 'integer', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').renewRun,
      ['uuid', 'uuid', 'uuid', 'integer', 'integer', 'integer', 'integer', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').completeRun,
      [
        'uuid',
        'uuid',
        'uuid',
        'jsonb',
        'integer',
        'boolean',
        'jsonb',
        'integer',
        'integer',
        'timestamp with time zone',
        'boolean',
      ]
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').suspendRun,
      ['uuid', 'uuid', 'uuid', 'timestamp with time zone', 'text']
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').expireCursor, ['uuid', 'uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').failRun,
      ['uuid', 'uuid', 'uuid', 'text', 'jsonb', 'integer'],
      { failures: 'integer!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').releaseRun, ['uuid', 'uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').endRunOfRemoved, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').deferPausedSource, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').makeSourceDue, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/knowledge/sources.sql.js').upsertDueSource, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').insertPushedSource,
      ['uuid', 'uuid'],
      { connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').hastenSource,
      ['uuid', 'uuid', 'double precision', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').listFingerprints,
      ['uuid', 'uuid', 'text[]'],
      { external_id: 'text!'; fingerprint: 'text!'; partition_id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.sql.js').listStoredNames,
      ['uuid', 'uuid', 'text', 'bigint'],
      { external_id: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/sources.system.sql.js').insertMissingSources,
      ['text[]', 'text[]', 'text[]'],
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
    Mismatches<typeof import('../src/knowledge/webhooks/deliveries.sql.js').insertDelivery, ['uuid', 'uuid', 'bytea']>
  >,
  Verified<Mismatches<typeof import('../src/knowledge/webhooks/deliveries.sql.js').deleteDeliveries, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/webhooks/deliveries.system.sql.js').deleteOldDeliveries,
      ['double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/webhooks/deliveries.system.sql.js').forgetOldWebhookTokens,
      ['double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/webhooks/webhook-tokens.sql.js').storeWebhookToken,
      ['uuid', 'uuid', 'bytea']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/knowledge/webhooks/webhook-tokens.sql.js').findWebhookToken,
      ['uuid', 'uuid', 'double precision'],
      { token: 'bytea?'; at: 'timestamp with time zone?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/limits/attempts.system.sql.js').countAttempt,
      ['bytea[]', 'double precision'],
      { bucket: 'bytea!'; count: 'integer!'; secondsLeft: 'integer' }
    >
  >,
  Verified<Mismatches<typeof import('../src/limits/attempts.system.sql.js').forgiveAttempt, ['bytea[]', 'bytea']>>,
  Verified<Mismatches<typeof import('../src/limits/attempts.system.sql.js').sweepAttempts, []>>,
  Verified<
    Mismatches<
      typeof import('../src/limits/key-usage.system.sql.js').incrementCounts,
      ['uuid[]', 'uuid[]', 'text[]', 'integer[]', 'integer[]'],
      { key_id: 'uuid!'; what: 'text!'; slot: 'integer!'; count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/limits/key-usage.system.sql.js').replaceCounts,
      ['uuid[]', 'uuid[]', 'text[]', 'integer[]', 'integer[]'],
      { key_id: 'uuid!'; what: 'text!'; slot: 'integer!'; count: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/limits/key-usage.system.sql.js').usageElsewhere,
      ['uuid[]', 'text', 'integer', 'double precision'],
      { key_id: 'uuid!'; count: 'integer' }
    >
  >,
  Verified<Mismatches<typeof import('../src/limits/key-usage.system.sql.js').sweepUsage, []>>,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-leases.system.sql.js').claimStdioCommand,
      ['text', 'uuid', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-leases.system.sql.js').commandFailureState,
      ['text'],
      { failures: 'integer!'; failure: 'text?'; waitSeconds: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-leases.system.sql.js').renewStdioLeases,
      ['uuid[]', 'double precision'],
      { child: 'uuid!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/mcp-client/stdio/stdio-leases.system.sql.js').releaseStdioChild, ['uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-leases.system.sql.js').failStdioChild,
      ['uuid', 'text', 'boolean', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').insertStdioSession,
      ['uuid', 'text', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').extendStdioSessions,
      ['uuid[]', 'double precision']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').deleteStdioSession, ['uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').stdioSessionStates,
      ['uuid[]'],
      { id: 'uuid!'; isAccepted: 'boolean'; closed: 'text?'; isLost: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').awaitedStdioCommands,
      ['text[]'],
      { command: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').acceptStdioSessions,
      ['uuid', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').livingStdioSessions,
      ['uuid'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').refuseStdioSessions,
      ['text', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').closeStdioSessionsOfChild,
      ['uuid', 'text'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').insertStdioMessage,
      ['uuid', 'boolean', 'bytea', 'double precision'],
      { number: 'bigint!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').consumeStdioRequests,
      ['uuid'],
      { number: 'bigint!'; line: 'uuid!'; message: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').consumeStdioAnswers,
      ['uuid[]'],
      { number: 'bigint!'; line: 'uuid!'; message: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').withdrawStdioMessage, ['bigint']>
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-client/stdio/stdio-sessions.system.sql.js').deleteExpiredStdioSessions, []>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').insertExchange,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'jsonb', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/exchanges.sql.js').insertMessage,
      ['uuid', 'uuid', 'integer', 'text', 'bytea']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/exchanges.sql.js').withdrawRequest, ['uuid', 'uuid', 'integer']>
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
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'integer', 'bytea']
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
      ['uuid[]', 'uuid[]', 'double precision']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/exchanges.system.sql.js').sweepMcpExchanges, ['double precision']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').insertSession,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'bytea', 'text', 'jsonb']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').endExcessSessions, ['uuid', 'uuid', 'uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.sql.js').findSession,
      ['uuid', 'bytea', 'uuid', 'uuid', 'uuid', 'integer'],
      { id: 'uuid'; protocolVersion: 'text'; initialize: 'jsonb'; logLevel: 'text'; shown: 'jsonb' }
    >
  >,
  Verified<Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').endSession, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').updateLogLevel, ['uuid', 'uuid', 'text']>
  >,
  Verified<Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').updateShown, ['uuid', 'uuid', 'jsonb']>>,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').addSubscription, ['uuid', 'uuid', 'text']>
  >,
  Verified<
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.sql.js').removeSubscription, ['uuid', 'uuid', 'text']>
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
    Mismatches<typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').touchSessions, ['uuid[]', 'uuid[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').sweepMcpSessions,
      ['double precision', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/mcp-sessions.system.sql.js').sweepMcpEvents,
      ['double precision', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/mcp-sessions/session-events.sql.js').insertSessionEvents,
      ['uuid', 'uuid', 'uuid', 'integer[]', 'boolean[]', 'bytea[]']
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
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.sql.js').openDelivery,
      ['uuid', 'uuid', 'text', 'uuid', 'uuid', 'double precision'],
      { id: 'uuid!'; sendAt: 'timestamp with time zone!'; isNew: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.sql.js').insertNotification,
      ['uuid', 'uuid', 'text', 'uuid', 'text', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.sql.js').notificationExists,
      ['uuid', 'uuid', 'text', 'text'],
      { exists: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.sql.js').notificationsOfDelivery,
      ['uuid', 'uuid', 'bigint'],
      { eventId: 'uuid!'; eventKind: 'text!'; payload: 'jsonb!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.sql.js').startAttempt,
      ['uuid', 'uuid'],
      { attempts: 'integer!'; createdAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/notifications.system.sql.js').deleteEndedDeliveries,
      ['double precision', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/slack-secret-holders.sql.js').insertSlackSecretHolder,
      ['uuid', 'bytea[]', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/notifications/slack-secret-holders.sql.js').slackSecretHolders,
      ['uuid', 'bytea[]'],
      { memberId: 'uuid?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/access-tokens.system.sql.js').accessTokensByHash,
      ['bytea[]'],
      {
        tokenHash: 'bytea!';
        tenantId: 'uuid!';
        memberId: 'uuid!';
        name: 'text!';
        clientId: 'uuid!';
        client: 'text!';
        configurationId: 'uuid?';
        grantId: 'uuid!';
        scope: 'text';
        isTenantPaused: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/access-tokens.system.sql.js').cliTokensByHash,
      ['bytea[]', 'text'],
      {
        tokenHash: 'bytea!';
        tenantId: 'uuid!';
        memberId: 'uuid!';
        name: 'text!';
        grantId: 'uuid!';
        scope: 'text';
        isTenantPaused: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients.system.sql.js').clientsById,
      ['uuid[]'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        name: 'text!';
        description: 'text?';
        logoUrl: 'text?';
        type: 'text!';
        isNative: 'boolean!';
        redirectUris: 'text[]!';
        target: 'text!';
        configurationId: 'uuid?';
        scopes: 'text[]!';
        authMethod: 'text!';
        contacts: 'text[]!';
        revision: 'integer!';
        createdBy: 'uuid?';
        createdAt: 'timestamp with time zone!';
        lastUsedAt: 'timestamp with time zone?';
        disabledAt: 'timestamp with time zone?';
        revokedAt: 'timestamp with time zone?';
        isTenantPaused: 'boolean';
        secretHashes: 'bytea[]';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/client-changes.sql.js').membersWhoChangedClient,
      ['uuid', 'uuid'],
      { changedBy: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/client-changes.sql.js').insertClientChange,
      ['uuid', 'uuid', 'uuid', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/client-validity.sql.js').selectClientValidity,
      ['uuid', 'uuid', 'uuid', 'uuid'],
      { isRevoked: 'boolean'; isDisabled: 'boolean'; isGranted: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/client-validity.sql.js').selectDeviceValidity,
      ['uuid', 'uuid', 'uuid'],
      { isConnected: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/connected-devices.sql.js').selectDevices,
      ['uuid', 'text', 'uuid', 'uuid'],
      {
        id: 'uuid!';
        memberId: 'uuid!';
        memberName: 'text!';
        memberEmail: 'text!';
        program: 'text';
        address: 'text';
        scopes: 'text[]';
        connectedAt: 'timestamp with time zone!';
        usedAt: 'timestamp with time zone';
        expiresAt: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/connected-devices.sql.js').selectDevicePage,
      ['uuid', 'text', 'uuid', 'uuid', 'uuid', 'bigint'],
      {
        id: 'uuid!';
        memberId: 'uuid!';
        memberName: 'text!';
        memberEmail: 'text!';
        program: 'text';
        address: 'text';
        scopes: 'text[]';
        connectedAt: 'timestamp with time zone!';
        usedAt: 'timestamp with time zone';
        expiresAt: 'timestamp with time zone';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/connected-products.sql.js').selectConnectedProducts,
      ['uuid', 'uuid', 'uuid[]'],
      {
        id: 'uuid!';
        name: 'text!';
        description: 'text?';
        redirectUris: 'text[]!';
        configuration: 'text?';
        isDisabled: 'boolean';
        agreedTo: 'text[]?';
        agreedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/credential-holders.system.sql.js').holderOfAccessToken,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid'; name: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/credential-holders.system.sql.js').holderOfRefreshToken,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid'; name: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/clients/credential-holders.system.sql.js').holderOfClientSecret,
      ['bytea'],
      { tenantId: 'uuid!'; id: 'uuid!'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/consents.system.sql.js').findConsent,
      ['uuid', 'uuid', 'uuid', 'integer', 'text', 'uuid'],
      { scopes: 'text[]!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/consents.system.sql.js').upsertConsent,
      ['uuid', 'uuid', 'uuid', 'integer', 'text', 'uuid', 'text[]', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/device.system.sql.js').findPendingDevice,
      ['bytea'],
      { payload: 'jsonb!'; createdAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/device.system.sql.js').storeDeviceDecision,
      ['bytea', 'jsonb', 'uuid', 'uuid', 'uuid']
    >
  >,
  Verified<Mismatches<typeof import('../src/oauth/device.system.sql.js').storeGrantDevice, ['uuid', 'jsonb']>>,
  Verified<
    Mismatches<
      typeof import('../src/oauth/device.system.sql.js').recordDevicePoll,
      ['bytea', 'double precision'],
      { isSoon: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/grants.sql.js').liveGrants,
      ['uuid', 'uuid', 'uuid', 'text[]'],
      {
        id: 'uuid!';
        memberId: 'uuid!';
        clientId: 'text!';
        grantedAt: 'timestamp with time zone!';
        usedAt: 'timestamp with time zone';
        expiresAt: 'timestamp with time zone';
        scopes: 'text[]';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/grants.sql.js').liveGrantsByPage,
      ['uuid', 'uuid', 'uuid', 'text[]', 'uuid', 'bigint'],
      {
        id: 'uuid!';
        memberId: 'uuid!';
        clientId: 'text!';
        grantedAt: 'timestamp with time zone!';
        usedAt: 'timestamp with time zone';
        expiresAt: 'timestamp with time zone';
        scopes: 'text[]';
        memberName: 'text!';
        memberEmail: 'text!';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/grants.sql.js').liveGrantsOfClients,
      ['uuid', 'uuid', 'uuid', 'text[]', 'text[]', 'integer[]', 'uuid[]'],
      {
        nth: 'integer';
        total: 'integer';
        id: 'uuid!';
        memberId: 'uuid!';
        clientId: 'text!';
        grantedAt: 'timestamp with time zone!';
        usedAt: 'timestamp with time zone';
        expiresAt: 'timestamp with time zone';
        scopes: 'text[]';
        memberName: 'text!';
        memberEmail: 'text!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/grants.sql.js').deleteGrants,
      ['uuid', 'uuid', 'uuid', 'text[]'],
      { id: 'uuid!'; memberId: 'uuid!'; clientId: 'text!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/oauth/grants.sql.js').deleteCodes, ['uuid', 'text']>>,
  Verified<Mismatches<typeof import('../src/oauth/grants.sql.js').revokeConsents, ['uuid', 'uuid', 'text']>>,
  Verified<Mismatches<typeof import('../src/oauth/oauth-transaction.system.sql.js').setSavepoint, []>>,
  Verified<Mismatches<typeof import('../src/oauth/oauth-transaction.system.sql.js').rollBackToSavepoint, []>>,
  Verified<
    Mismatches<
      typeof import('../src/oauth/rows.system.sql.js').writeRows,
      [
        'integer[]',
        'text[]',
        'bytea[]',
        'bytea[]',
        'integer[]',
        'integer[]',
        'text[]',
        'bytea[]',
        'jsonb[]',
        'uuid[]',
        'bytea[]',
        'uuid[]',
        'uuid[]',
        'text[]',
        'double precision[]',
      ],
      { request: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/rows.system.sql.js').findRow,
      ['text', 'bytea'],
      { payload: 'jsonb!'; consumedAt: 'timestamp with time zone?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/rows.system.sql.js').selectPresentedRows,
      ['text[]', 'bytea[]'],
      {
        asked: 'integer';
        payload: 'jsonb';
        consumedAt: 'timestamp with time zone?';
        replay: 'bytea?';
        grant: 'jsonb';
        usedMsAgo: 'double precision';
        holder: 'json';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/oauth/rows.system.sql.js').findRowUse, ['text', 'bytea'], { isUsed: 'boolean' }>
  >,
  Verified<Mismatches<typeof import('../src/oauth/rows.system.sql.js').eraseReplays, []>>,
  Verified<Mismatches<typeof import('../src/oauth/rows.system.sql.js').consumeRow, ['text', 'bytea']>>,
  Verified<Mismatches<typeof import('../src/oauth/rows.system.sql.js').deleteRow, ['text', 'bytea']>>,
  Verified<
    Mismatches<
      typeof import('../src/oauth/rows.system.sql.js').deleteGrant,
      ['bytea'],
      { tenantId: 'uuid!'; memberId: 'uuid!'; memberName: 'text!'; clientId: 'text!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/oauth/rows.system.sql.js').deleteRowsOfGrant, ['text', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/oauth/rows.system.sql.js').findTokenHolder,
      ['uuid', 'uuid'],
      { name: 'text!'; email: 'text!'; isActive: 'boolean'; isTenantPaused: 'boolean' }
    >
  >,
  Verified<Mismatches<typeof import('../src/oauth/rows.system.sql.js').sweepRows, []>>,
  Verified<
    Mismatches<
      typeof import('../src/oauth/signing-keys.system.sql.js').lockSigningKeys,
      [],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/oauth/signing-keys.system.sql.js').publishedSigningKeys,
      [],
      { kid: 'text!'; sealed: 'bytea!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/oauth/signing-keys.system.sql.js').addSigningKey, ['text', 'bytea']>>,
  Verified<
    Mismatches<typeof import('../src/oauth/signing-keys.system.sql.js').retireSigningKeys, ['text', 'double precision']>
  >,
  Verified<Mismatches<typeof import('../src/oauth/signing-keys.system.sql.js').dropRetiredSigningKeys, []>>,
  Verified<Mismatches<typeof import('../src/oauth/signing-keys.system.sql.js').dropOtherSigningKeys, ['text']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').listIdentities,
      ['uuid', 'uuid', 'text', 'text', 'integer', 'bigint'],
      {
        id: 'integer!';
        connectionId: 'uuid!';
        kind: 'text!';
        key: 'text!';
        name: 'text?';
        email: 'text?';
        vendorRole: 'text?';
        personId: 'uuid?';
        matchedBy: 'text?';
        isIgnored: 'boolean!';
        hasSeat: 'boolean!';
        firstSeen: 'timestamp with time zone!';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').readIdentities,
      ['uuid', 'integer[]'],
      {
        id: 'integer!';
        connectionId: 'uuid!';
        kind: 'text!';
        key: 'text!';
        name: 'text?';
        email: 'text?';
        vendorRole: 'text?';
        personId: 'uuid?';
        matchedBy: 'text?';
        isIgnored: 'boolean!';
        hasSeat: 'boolean!';
        firstSeen: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').lockIdentities,
      ['uuid', 'integer[]'],
      { id: 'integer!'; kind: 'text!'; key: 'text!'; vendor: 'text!'; personId: 'uuid?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').matchToPeople,
      ['uuid', 'integer[]', 'uuid[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').detachIdentities,
      ['uuid', 'integer[]', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').reopenIgnoredIdentities,
      ['uuid', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identities/identities.sql.js').findPeopleByWords,
      ['uuid', 'integer[]', 'text[]'],
      {
        identityId: 'integer';
        id: 'uuid!';
        tenantId: 'uuid!';
        memberId: 'uuid?';
        email: 'text?';
        name: 'text!';
        isServiceAccount: 'boolean!';
        groupId: 'uuid?';
        costCentreId: 'uuid?';
        removedAt: 'timestamp with time zone?';
        createdAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identity-matching.sql.js').anyUnmatched,
      ['uuid', 'uuid'],
      { isAny: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/identity-matching.sql.js').matchIdentities,
      ['uuid', 'uuid'],
      { id: 'integer!'; by: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/imports/people-import.sql.js').holdersOfAddresses,
      ['uuid', 'text[]'],
      {
        key: 'text!';
        id: 'uuid!';
        name: 'text!';
        email: 'text?';
        memberId: 'uuid?';
        groupId: 'uuid?';
        costCentreId: 'uuid?';
        removedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/imports/people-import.sql.js').selectExportedPeople,
      ['uuid', 'text', 'bigint'],
      { email: 'text!'; name: 'text!'; group: 'text?'; costCentre: 'text?'; aliases: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/member-people-sync.sql.js').membersToSync,
      ['uuid'],
      {
        memberId: 'uuid!';
        email: 'text!';
        name: 'text!';
        personId: 'uuid?';
        formerEmail: 'text?';
        formerName: 'text?';
        formerlyRemoved: 'boolean';
        removedAt: 'timestamp with time zone';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/member-people-sync.sql.js').aliasHolders,
      ['uuid', 'text[]'],
      { key: 'text!'; id: 'uuid!'; name: 'text!'; hasAccount: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/people-rows.sql.js').lockPeople,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/people/people-rows.sql.js').tryLockPeople, ['text'], { isMine: 'boolean' }>
  >,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').insertPeopleRows, ['uuid', 'json']>>,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').changePeopleRows, ['uuid', 'jsonb']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/people-rows.sql.js').selectNamesAndEmails,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; name: 'text!'; email: 'text?' }
    >
  >,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').insertWords, ['uuid', 'text[]', 'uuid[]']>>,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').deleteWords, ['uuid', 'text[]', 'uuid[]']>>,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').insertAddresses, ['uuid', 'text[]', 'uuid[]']>>,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').regeneratePseudonyms, ['uuid']>>,
  Verified<Mismatches<typeof import('../src/people/people-rows.sql.js').regenerateIdentityPseudonyms, ['uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/people.sql.js').listPeople,
      ['uuid', 'text', 'uuid', 'boolean', 'text', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        memberId: 'uuid?';
        email: 'text?';
        name: 'text!';
        isServiceAccount: 'boolean!';
        groupId: 'uuid?';
        costCentreId: 'uuid?';
        removedAt: 'timestamp with time zone?';
        createdAt: 'timestamp with time zone!';
        aliases: 'text[]';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/people.sql.js').findAliasHolder,
      ['uuid', 'text', 'text', 'text'],
      { id: 'uuid!'; name: 'text!'; email: 'text?' }
    >
  >,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').addAlias, ['uuid', 'text', 'text', 'text', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/people/people.sql.js').deleteAlias, ['uuid', 'text', 'text', 'text', 'uuid']>
  >,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').detachAlias, ['uuid', 'text', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/people.sql.js').listAddresses,
      ['uuid', 'uuid[]'],
      { personId: 'uuid!'; key: 'text!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').transferAlias, ['uuid', 'text', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').moveAliases, ['uuid', 'uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').moveIdentities, ['uuid', 'uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/people/people.sql.js').inheritUnits, ['uuid', 'uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/people.sql.js').deleteLearnedAlias,
      ['uuid', 'text', 'text', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/units/units.sql.js').listUnits,
      ['uuid', 'text', 'text', 'uuid', 'bigint'],
      { tenantId: 'uuid!'; id: 'uuid!'; kind: 'text!'; name: 'text!'; total: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/units/units.sql.js').countUnitUses,
      ['uuid', 'uuid'],
      { people: 'integer'; analysts: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/people/views/views.sql.js').listViews,
      ['uuid', 'uuid'],
      { memberId: 'uuid!'; name: 'text!'; seesEverybody: 'boolean'; groups: 'json' }
    >
  >,
  Verified<Mismatches<typeof import('../src/people/views/views.sql.js').deleteViews, ['uuid', 'uuid']>>,
  Verified<Mismatches<typeof import('../src/people/views/views.sql.js').addViews, ['uuid', 'uuid', 'uuid[]']>>,
  Verified<
    Mismatches<
      typeof import('../src/people/views/views.sql.js').selectVisibility,
      ['uuid', 'uuid'],
      { views: 'text[]'; pseudonyms: 'boolean' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/people/views/views.sql.js').selectPseudonymsShown, ['uuid'], { shown: 'boolean!' }>
  >,
  Verified<Mismatches<typeof import('../src/people/views/views.sql.js').updatePseudonymsShown, ['uuid', 'boolean']>>,
  Verified<
    Mismatches<
      typeof import('../src/permit-proposals/permit-proposals.sql.js').lockProposals,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/permit-proposals/permit-proposals.sql.js').selectIdenticalApprovals,
      ['uuid', 'uuid', 'bigint', 'bigint'],
      {
        tool: 'text!';
        principalKind: 'text!';
        principalId: 'uuid!';
        argumentsHash: 'bytea!';
        definitionHash: 'text!';
        stepName: 'text!';
        approvalIds: 'uuid[]!';
        isSameSurface: 'boolean!';
        isUntainted: 'boolean!';
        firstDecidedAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/platform/database/database.system.sql.js').ping, [], { one: 'integer' }>>,
  Verified<Mismatches<typeof import('../src/platform/database/nested-loops.sql.js').disableNestedLoops, []>>,
  Verified<Mismatches<typeof import('../src/platform/database/nested-loops.sql.js').resetNestedLoops, []>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/database/transaction.sql.js').disableSynchronousCommit,
      [],
      { set_config: 'text' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/events/outbox.sql.js').insertOutboxRow, ['uuid', 'uuid', 'text', 'jsonb']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.sql.js').insertOutboxRows,
      ['uuid', 'text', 'uuid[]', 'jsonb[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/events/outbox.system.sql.js').deleteExpiredOutboxRows,
      ['double precision', 'bigint']
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
      ['uuid', 'text', 'text', 'double precision']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/idempotency/idempotency.sql.js').deleteKey, ['uuid', 'text', 'text']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').storeAnswer,
      ['uuid', 'text', 'text', 'uuid', 'bytea']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').releaseKey,
      ['uuid', 'text', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.sql.js').abandonKey,
      ['uuid', 'text', 'text', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/idempotency/idempotency.system.sql.js').deleteExpiredRequests,
      ['double precision']
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
    Mismatches<typeof import('../src/platform/queue/process-presence.sql.js').insertJobPool, ['text', 'integer']>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/process-presence.sql.js').markStopping, ['integer']>>,
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
    Mismatches<
      typeof import('../src/platform/queue/queue.sql.js').enqueueJobs,
      ['text', 'jsonb[]', 'timestamp with time zone[]', 'integer'],
      { cs_enqueue: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/queue.system.sql.js').findDueTicks, ['text[]'], { name: 'text' }>
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/queue.system.sql.js').claimTick, ['text', 'double precision']>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/queue.system.sql.js').postponeTick, ['text']>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').openLane, []>>,
  Verified<
    Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').countLosses, ['text[]', 'integer', 'integer']>
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').isolateSuspects, []>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').dropQuarantined, []>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').clearSuspicion, ['text', 'jsonb']>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').unlockLane, ['text']>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').unlockLaneOf, ['text[]']>>,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').leaveLane,
      ['text', 'jsonb', 'bigint', 'text']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').deleteExpiredSuspects, ['double precision']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/platform/queue/suspect-jobs.sql.js').beginWork,
      ['text', 'text', 'jsonb', 'text'],
      { isQuarantined: 'boolean!'; isSuspect: 'boolean!'; isRecorded: 'boolean!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').endWork, ['text', 'text', 'jsonb']>>,
  Verified<Mismatches<typeof import('../src/platform/queue/suspect-jobs.sql.js').deleteWork, ['text[]']>>,
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
  Verified<
    Mismatches<
      typeof import('../src/policies/policies.sql.js').currentPolicies,
      ['uuid', 'uuid[]'],
      { configurationId: 'uuid'; revision: 'integer!'; textHash: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/policies/policies.sql.js').policyTexts,
      ['uuid', 'uuid[]', 'integer[]'],
      { configurationId: 'uuid!'; text: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/policies/policies.sql.js').selectPolicyRevisions,
      ['uuid', 'uuid', 'integer', 'bigint'],
      {
        tenantId: 'uuid!';
        configurationId: 'uuid!';
        revision: 'integer!';
        text: 'text!';
        publishedBy: 'uuid?';
        publisher: 'text!';
        publishedAt: 'timestamp with time zone!';
        note: 'text?';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/policies/policies.sql.js').lockPolicies,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/slack/slack.system.sql.js').deleteClosedSlackMessages,
      ['double precision', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/slack/socket-mode/slack-sockets.sql.js').renewSlackSocket,
      ['uuid', 'uuid', 'double precision'],
      { tenantId: 'uuid!'; revision: 'uuid!'; sealedToken: 'bytea!'; attempts: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/slack/socket-mode/slack-sockets.sql.js').recordSlackSocketConnected,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/slack/socket-mode/slack-sockets.sql.js').releaseSlackSocket,
      ['uuid', 'uuid', 'integer', 'text', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/slack/socket-mode/slack-sockets.system.sql.js').claimSlackSockets,
      ['uuid', 'double precision', 'bigint'],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.sql.js').listBudgets,
      ['uuid', 'boolean', 'uuid[]', 'boolean', 'text', 'uuid', 'bigint'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        scope: 'text!';
        unitId: 'uuid?';
        personId: 'uuid?';
        counts: 'text!';
        amountCents: 'numeric';
        thresholds: 'integer[]!';
        createdAt: 'timestamp with time zone!';
        name: 'text';
        groupId: 'uuid?';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.sql.js').findBudget,
      ['uuid', 'boolean', 'uuid[]', 'boolean', 'uuid'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        scope: 'text!';
        unitId: 'uuid?';
        personId: 'uuid?';
        counts: 'text!';
        amountCents: 'numeric';
        thresholds: 'integer[]!';
        createdAt: 'timestamp with time zone!';
        name: 'text';
        groupId: 'uuid?';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/budgets/budgets.sql.js').lockBudget, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.sql.js').budgetsOfMonth,
      ['uuid', 'date'],
      {
        tenantId: 'uuid!';
        id: 'uuid!';
        scope: 'text!';
        unitId: 'uuid?';
        personId: 'uuid?';
        counts: 'text!';
        amountCents: 'numeric';
        thresholds: 'integer[]!';
        createdAt: 'timestamp with time zone!';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/budgets/budgets.sql.js').inheritBudgets, ['uuid', 'uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.sql.js').listBudgetAlerts,
      ['uuid', 'uuid[]', 'date'],
      {
        budgetId: 'uuid!';
        threshold: 'integer!';
        reachedAt: 'timestamp with time zone!';
        spentCents: 'numeric';
        amountCents: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.sql.js').recordReachedThresholds,
      ['uuid', 'date', 'uuid[]', 'numeric[]'],
      { budgetId: 'uuid!'; threshold: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/budgets/budgets.system.sql.js').tenantsWithBudgets,
      [],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/client-versions.sql.js').versionsInUse,
      ['uuid', 'date'],
      { connectionId: 'uuid!'; vendor: 'text!'; version: 'text!'; people: 'integer'; lastDay: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/client-versions.sql.js').usersOfVersion,
      ['uuid', 'uuid', 'text', 'date', 'uuid[]', 'boolean', 'bigint'],
      { name: 'text'; lastDay: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/feeds.system.sql.js').tenantsWithFeeds,
      [],
      { tenantId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/mcp-usage.sql.js').reportingConnections,
      ['uuid'],
      { connectionId: 'uuid!'; vendor: 'text!'; firstDay: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/mcp-usage.sql.js').serversInUse,
      ['uuid', 'uuid', 'date', 'bigint'],
      {
        connectionId: 'uuid!';
        server: 'text!';
        calls: 'double precision';
        people: 'integer';
        firstDay: 'text';
        lastDay: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/client-usage/mcp-usage.sql.js').serverUsers,
      ['uuid', 'uuid', 'text', 'date'],
      { emails: 'text[]' }
    >
  >,
  Verified<Mismatches<(typeof import('../src/spend/exports/exports.sql.js').fullScanSettings)[0], []>>,
  Verified<Mismatches<(typeof import('../src/spend/exports/exports.sql.js').fullScanSettings)[1], []>>,
  Verified<Mismatches<(typeof import('../src/spend/exports/exports.sql.js').fullScanSettings)[2], []>>,
  Verified<
    Mismatches<
      (typeof import('../src/spend/exports/exports.sql.js').usageOfDay)['names'],
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'uuid[]', 'boolean', 'uuid[]'],
      {
        day: 'text';
        connection_id: 'uuid!';
        connection: 'text!';
        vendor: 'text!';
        group_id: 'uuid?';
        group_name: 'text?';
        cost_centre: 'text?';
        is_service: 'boolean';
        key: 'text';
        person: 'text';
        email: 'text';
        people: 'integer';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        state: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/exports/exports.sql.js').usageOfDay)['pseudonyms'],
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'uuid[]', 'boolean', 'uuid[]'],
      {
        day: 'text';
        connection_id: 'uuid!';
        connection: 'text!';
        vendor: 'text!';
        group_id: 'uuid?';
        group_name: 'text?';
        cost_centre: 'text?';
        is_service: 'boolean';
        key: 'text';
        person: 'text';
        email: 'text';
        people: 'integer';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        state: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/exports/exports.sql.js').chargesOfDay)['names'],
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'uuid[]', 'boolean', 'uuid[]'],
      {
        day: 'text';
        connection_id: 'uuid!';
        connection: 'text!';
        vendor: 'text!';
        group_id: 'uuid?';
        group_name: 'text?';
        cost_centre: 'text?';
        is_service: 'boolean';
        key: 'text';
        person: 'text';
        email: 'text';
        model: 'text';
        is_included: 'boolean!';
        events: 'text';
        cycle_day: 'integer';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        request_units: 'numeric';
        cost: 'numeric';
        list_cost: 'numeric';
        state: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/exports/exports.sql.js').chargesOfDay)['pseudonyms'],
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'uuid[]', 'boolean', 'uuid[]'],
      {
        day: 'text';
        connection_id: 'uuid!';
        connection: 'text!';
        vendor: 'text!';
        group_id: 'uuid?';
        group_name: 'text?';
        cost_centre: 'text?';
        is_service: 'boolean';
        key: 'text';
        person: 'text';
        email: 'text';
        model: 'text';
        is_included: 'boolean!';
        events: 'text';
        cycle_day: 'integer';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        request_units: 'numeric';
        cost: 'numeric';
        list_cost: 'numeric';
        state: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/exports/exports.sql.js').coverageOfDay,
      ['uuid', 'date', 'uuid[]'],
      {
        day: 'text';
        connection: 'text!';
        stream: 'text!';
        state: 'text!';
        reason: 'text?';
        rows: 'integer?';
        vendor_total: 'integer?';
        faulty_rows: 'integer!';
        unknown_fields: 'integer!';
        revision: 'integer!';
        pulled_at: 'text';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/exports/exports.sql.js').keepTransactionAlive, [], { one: 'integer' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/exports/exports.sql.js').usageDateSpan,
      ['uuid', 'date', 'date'],
      { from: 'text'; to: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/exports/exports.sql.js').chargesDateSpan,
      ['uuid', 'date', 'date'],
      { from: 'text'; to: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/exports/exports.sql.js').coverageDateSpan,
      ['uuid', 'date', 'date'],
      { from: 'text'; to: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/active-people.sql.js').countActivePeople,
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer',
        'text[]',
        'integer[]',
        'date[]',
        'date[]',
      ],
      { period: 'integer'; key: 'text'; people: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/active-people.sql.js').countActiveInUnits,
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer',
        'text[]',
        'integer[]',
        'date[]',
        'date[]',
      ],
      { period: 'integer'; key: 'text'; people: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/active-people.sql.js').countActiveEverybody,
      ['uuid', 'integer', 'integer[]', 'date[]', 'date[]'],
      { period: 'integer'; key: 'text'; people: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/active-people.sql.js').selectSlotCount,
      ['uuid'],
      { slots: 'integer'; isOneEach: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-days.sql.js').unsettledDays,
      ['uuid', 'uuid[]', 'date', 'date'],
      { day: 'text'; state: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-days.sql.js').firstKnownDay,
      ['uuid', 'uuid[]'],
      { dataSince: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectRollupState,
      ['uuid', 'uuid[]'],
      { settled: 'text'; staleScopes: 'integer[]' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectPeopleNames,
      ['uuid', 'uuid[]'],
      { key: 'text'; name: 'text!'; pseudonym: 'text!'; pseudonymId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectIdentityNames,
      ['uuid', 'integer[]'],
      { key: 'text'; name: 'text'; pseudonym: 'text'; pseudonymId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectPeopleByPseudonym,
      ['uuid', 'uuid[]'],
      { id: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectIdentitiesByPseudonym,
      ['uuid', 'uuid[]'],
      { id: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectUnitNames,
      ['uuid', 'uuid[]'],
      { key: 'text'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectConnectionNames,
      ['uuid', 'uuid[]'],
      { key: 'text'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectModelNames,
      ['uuid', 'integer[]'],
      { key: 'text'; name: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectModelIds,
      ['uuid', 'text[]'],
      { id: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-people.sql.js').selectReportPeople,
      ['uuid', 'uuid[]', 'boolean', 'text', 'uuid[]', 'bigint'],
      { id: 'uuid'; name: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').unitSums)['sums'],
      ['uuid', 'text', 'uuid[]', 'smallint', 'uuid[]', 'integer[]', 'text[]', 'date[]'],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').unitSums)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'smallint',
        'uuid[]',
        'integer[]',
        'text[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        rank: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').unitSums)['changes'],
      ['uuid', 'text', 'uuid[]', 'smallint', 'uuid[]', 'integer[]', 'text[]', 'date[]', 'text', 'bigint'],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').modelSums)['sums'],
      ['uuid', 'text', 'uuid[]', 'smallint', 'uuid[]', 'integer[]', 'integer[]', 'date[]', 'date[]'],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'bigint';
        ai_requests_agent: 'bigint';
        ai_requests_composer: 'bigint';
        ai_requests_cmdk: 'bigint';
        tab_completions_shown: 'bigint';
        tab_completions_accepted: 'bigint';
        applies_accepted: 'bigint';
        applies_rejected: 'bigint';
        lines_accepted_added: 'bigint';
        lines_accepted_deleted: 'bigint';
        subscription_included_requests: 'bigint';
        usage_based_requests: 'bigint';
        byo_api_key_requests: 'bigint';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        events: 'numeric';
        list_cents: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').modelSums)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'smallint',
        'uuid[]',
        'integer[]',
        'integer[]',
        'date[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'bigint';
        ai_requests_agent: 'bigint';
        ai_requests_composer: 'bigint';
        ai_requests_cmdk: 'bigint';
        tab_completions_shown: 'bigint';
        tab_completions_accepted: 'bigint';
        applies_accepted: 'bigint';
        applies_rejected: 'bigint';
        lines_accepted_added: 'bigint';
        lines_accepted_deleted: 'bigint';
        subscription_included_requests: 'bigint';
        usage_based_requests: 'bigint';
        byo_api_key_requests: 'bigint';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        events: 'numeric';
        list_cents: 'numeric';
        rank: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').modelSums)['changes'],
      ['uuid', 'text', 'uuid[]', 'smallint', 'uuid[]', 'integer[]', 'integer[]', 'date[]', 'date[]', 'text', 'bigint'],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').chargeSums)['sums'],
      ['uuid', 'text', 'uuid[]', 'uuid[]', 'uuid[]', 'uuid[]', 'integer[]', 'integer[]', 'integer[]', 'date[]'],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'bigint';
        ai_requests_agent: 'bigint';
        ai_requests_composer: 'bigint';
        ai_requests_cmdk: 'bigint';
        tab_completions_shown: 'bigint';
        tab_completions_accepted: 'bigint';
        applies_accepted: 'bigint';
        applies_rejected: 'bigint';
        lines_accepted_added: 'bigint';
        lines_accepted_deleted: 'bigint';
        subscription_included_requests: 'bigint';
        usage_based_requests: 'bigint';
        byo_api_key_requests: 'bigint';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        events: 'bigint';
        list_cents: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').chargeSums)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'bigint';
        ai_requests_agent: 'bigint';
        ai_requests_composer: 'bigint';
        ai_requests_cmdk: 'bigint';
        tab_completions_shown: 'bigint';
        tab_completions_accepted: 'bigint';
        applies_accepted: 'bigint';
        applies_rejected: 'bigint';
        lines_accepted_added: 'bigint';
        lines_accepted_deleted: 'bigint';
        subscription_included_requests: 'bigint';
        usage_based_requests: 'bigint';
        byo_api_key_requests: 'bigint';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        events: 'bigint';
        list_cents: 'numeric';
        rank: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').chargeSums)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleSums)['sums'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleSums)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        rank: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleSums)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleSums)['sums'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleSums)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      {
        period: 'integer';
        key: 'text';
        ai_requests_chat: 'numeric';
        ai_requests_agent: 'numeric';
        ai_requests_composer: 'numeric';
        ai_requests_cmdk: 'numeric';
        tab_completions_shown: 'numeric';
        tab_completions_accepted: 'numeric';
        applies_accepted: 'numeric';
        applies_rejected: 'numeric';
        lines_accepted_added: 'numeric';
        lines_accepted_deleted: 'numeric';
        subscription_included_requests: 'numeric';
        usage_based_requests: 'numeric';
        byo_api_key_requests: 'numeric';
        input_tokens: 'numeric';
        output_tokens: 'numeric';
        cache_read_tokens: 'numeric';
        cache_creation_tokens: 'numeric';
        charged_cents: 'numeric';
        included_cents: 'numeric';
        request_units: 'numeric';
        rank: 'numeric';
      }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleSums)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleCountRanks)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      { period: 'integer'; key: 'text'; rank: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleCountRanks)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleCountRanks)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      { period: 'integer'; key: 'text'; rank: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleCountRanks)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleAmountRanks)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      { period: 'integer'; key: 'text'; rank: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').peopleAmountRanks)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleAmountRanks)['page'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'integer',
        'numeric',
        'text',
        'bigint',
      ],
      { period: 'integer'; key: 'text'; rank: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleAmountRanks)['changes'],
      [
        'uuid',
        'text',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'uuid[]',
        'integer[]',
        'integer[]',
        'integer[]',
        'date[]',
        'integer[]',
        'integer[]',
        'date[]',
        'text',
        'bigint',
      ],
      { key: 'text'; change: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').tryLockTallies,
      ['text', 'text'],
      { isAlone: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').listTallyMarks,
      ['uuid', 'date'],
      { connectionId: 'uuid!'; settledDay: 'text'; version: 'bigint!'; firstDay: 'text' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteTally, ['uuid', 'uuid', 'date']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertTally,
      ['uuid', 'uuid', 'date', 'date']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').advanceTallyMark,
      ['uuid', 'uuid', 'date', 'bigint']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').listStaleUnits,
      ['uuid'],
      { scope: 'smallint!'; unitId: 'uuid!'; version: 'uuid!'; identities: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteStaleUnit,
      ['uuid', 'smallint', 'uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteUnitSums,
      ['uuid', 'smallint', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitDays,
      ['uuid', 'smallint', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitMonths,
      ['uuid', 'smallint', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteUnitModels,
      ['uuid', 'smallint', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitModels,
      ['uuid', 'smallint', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').listActiveDays,
      ['uuid'],
      { connectionId: 'uuid!'; day: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.system.sql.js').tenantsWithOutdatedRollups,
      ['date'],
      { tenantId: 'uuid' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollups.sql.js').lockRollupsShared,
      ['text'],
      { pg_advisory_xact_lock_shared: 'void' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollups.sql.js').lockRollupsExclusive,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').deleteUnitDay, ['uuid', 'uuid', 'date']>>,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').insertUnitDay, ['uuid', 'uuid', 'date']>>,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').deleteUnitMonth, ['uuid', 'uuid', 'date', 'date']>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').insertUnitMonth, ['uuid', 'uuid', 'date', 'date']>
  >,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').deleteModelDay, ['uuid', 'uuid', 'date']>>,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').insertModelDay, ['uuid', 'uuid', 'date']>>,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').upsertActiveDay, ['uuid', 'uuid', 'date']>>,
  Verified<Mismatches<typeof import('../src/spend/reports/rollups.sql.js').rewindTallyMark, ['uuid', 'uuid', 'date']>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/seats.sql.js').countSeats,
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'integer'],
      { seats: 'integer'; active: 'integer'; idle: 'integer'; neverUsed: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/seats.sql.js').idleSeats,
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'integer', 'bigint', 'boolean', 'date', 'integer', 'boolean'],
      {
        identityId: 'text';
        personId: 'uuid';
        name: 'text';
        connectionId: 'uuid!';
        groupId: 'uuid?';
        seatSince: 'timestamp with time zone?';
        sorted: 'text';
        total: 'integer';
        lastActive: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/coverage/coverage.sql.js').lockStoredStreams,
      ['uuid', 'uuid', 'date'],
      { stream: 'text!'; revision: 'integer!'; checksum: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/coverage/coverage.sql.js').upsertCoverage,
      [
        'uuid',
        'uuid',
        'date',
        'text',
        'integer',
        'timestamp with time zone',
        'integer',
        'integer',
        'bytea',
        'integer',
        'integer',
        'text',
      ]
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/coverage/coverage.sql.js').insertDayRevision,
      ['uuid', 'uuid', 'date', 'integer', 'integer', 'integer', 'integer', 'numeric', 'numeric']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/coverage/coverage.sql.js').recordDayFailure,
      ['uuid', 'uuid', 'date[]', 'text', 'text']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/sync/coverage/coverage.system.sql.js').openDays, ['text[]', 'integer[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/coverage/coverage.system.sql.js').closeDays,
      ['text[]', 'integer[]', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').insertCharges,
      ['uuid', 'date']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').replaceCharges,
      ['uuid', 'date', 'uuid'],
      { touched: 'bigint' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').deduplicateCharges, []>
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').statementsOfSomeDay)['insertDays'],
      ['uuid', 'date'],
      { added: 'integer'; changed: 'integer'; removed: 'integer'; centsBefore: 'text'; centsAfter: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').statementsOfSomeDay)['replaceDays'],
      ['uuid', 'date', 'uuid'],
      { added: 'integer'; changed: 'integer'; removed: 'integer'; centsBefore: 'numeric'; centsAfter: 'numeric' }
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/spend/sync/day-replacement/day-replacement.sql.js').statementsOfSomeDay)['deduplicateUsage'],
      []
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/sync/feeds/feeds.sql.js').lockHeldLease, ['uuid', 'uuid', 'integer']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').findFeed,
      ['uuid', 'uuid'],
      {
        hourlyAt: 'timestamp with time zone!';
        dailyAt: 'timestamp with time zone!';
        weeklyAt: 'timestamp with time zone!';
        membersAt: 'timestamp with time zone?';
        seats: 'integer?';
        failures: 'integer!';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').listSyncedDays,
      ['uuid', 'uuid', 'date'],
      { day: 'text'; pulledAt: 'timestamp with time zone' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').releaseFeed,
      ['uuid', 'uuid', 'integer', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').postponeFeed,
      ['uuid', 'uuid', 'integer', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').setFeedWait,
      ['uuid', 'uuid', 'integer', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').failFeed,
      ['uuid', 'uuid', 'integer', 'text', 'text', 'timestamp with time zone']
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/feeds/feeds.sql.js').clearFeedFailure, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<typeof import('../src/spend/sync/feeds/feeds.sql.js').recordMemberSync, ['uuid', 'uuid', 'integer']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.sql.js').recordBillingCycle,
      ['uuid', 'uuid', 'date', 'numeric']
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/feeds/feeds.system.sql.js').insertMissingFeeds, ['text[]']>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.system.sql.js').claimFeeds,
      ['bigint', 'double precision'],
      { tenantId: 'uuid!'; connectionId: 'uuid!'; epoch: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/feeds.system.sql.js').renewFeedLease,
      ['uuid', 'uuid', 'integer', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/runs.sql.js').listRunningRuns,
      ['uuid', 'uuid'],
      { id: 'uuid!'; kind: 'text!'; fromDay: 'text'; toDay: 'text'; startedAt: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/runs.sql.js').insertRun,
      ['uuid', 'uuid', 'uuid', 'text', 'date', 'date', 'integer', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/runs.sql.js').addRunProgress,
      ['uuid', 'uuid', 'integer', 'integer', 'integer', 'integer', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/runs.sql.js').endRun,
      ['uuid', 'uuid', 'text', 'text', 'text'],
      { daysChanged: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/feeds/runs.sql.js').scheduleNextRun,
      ['uuid', 'uuid', 'text', 'double precision']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/sync/feeds/runs.sql.js').deleteOldRuns, ['uuid', 'uuid', 'double precision']>
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/mcp-usage.sql.js').dropStagedMcpUsage, []>>,
  Verified<Mismatches<typeof import('../src/spend/sync/mcp-usage.sql.js').createStagedMcpUsage, []>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/mcp-usage.sql.js').insertStagedMcpUsage,
      ['date[]', 'integer[]', 'text[]', 'integer[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/mcp-usage.sql.js').deleteMissingMcpUsage,
      ['uuid', 'uuid', 'date', 'date']
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/mcp-usage.sql.js').upsertMcpUsage, ['uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/members.sql.js').assignSeats,
      ['uuid', 'integer[]', 'text[]', 'text[]', 'text[]', 'text[]']
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/sync/members.sql.js').releaseOtherSeats, ['uuid', 'uuid', 'integer[]']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').listStoredIdentities,
      ['uuid', 'uuid', 'bigint'],
      {
        kind: 'text!';
        key: 'text!';
        id: 'integer!';
        hasEmail: 'boolean';
        hasVendorUserId: 'boolean';
        hasName: 'boolean';
        version: 'text?';
        versionDay: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').findStoredIdentities,
      ['uuid', 'uuid', 'text[]', 'text[]'],
      {
        at: 'integer';
        id: 'integer!';
        hasEmail: 'boolean';
        hasVendorUserId: 'boolean';
        hasName: 'boolean';
        version: 'text?';
        versionDay: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').insertIdentities,
      ['uuid', 'uuid', 'text[]', 'text[]', 'text[]', 'text[]', 'text[]', 'boolean[]', 'text[]'],
      {
        kind: 'text!';
        key: 'text!';
        id: 'integer!';
        hasEmail: 'boolean';
        hasVendorUserId: 'boolean';
        hasName: 'boolean';
        version: 'text?';
        versionDay: 'text';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').addIdentityDetails,
      ['uuid', 'integer[]', 'text[]', 'text[]', 'text[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').updateClientVersions,
      ['uuid', 'integer[]', 'text[]', 'date[]']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/staging/identities.sql.js').findModels,
      ['uuid', 'text[]'],
      { id: 'integer!'; name: 'text!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/staging/identities.sql.js').insertModels, ['uuid', 'text[]']>>,
  Verified<Mismatches<typeof import('../src/spend/sync/staging/staging.sql.js').createStagedUsage, []>>,
  Verified<Mismatches<typeof import('../src/spend/sync/staging/staging.sql.js').createStagedCharges, []>>,
  Verified<Mismatches<typeof import('../src/spend/sync/staging/staging.sql.js').truncateStagedCharges, []>>,
  Verified<Mismatches<typeof import('../src/spend/sync/staging/staging.sql.js').dropStaging, []>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').listFeeds,
      ['uuid', 'uuid'],
      {
        connectionId: 'uuid!';
        connectionName: 'text!';
        kind: 'text!';
        isSyncing: 'boolean';
        nextAt: 'timestamp with time zone!';
        waitUntil: 'timestamp with time zone';
        trouble: 'text?';
        errorDetail: 'text?';
        failedAttempts: 'integer!';
        seats: 'integer?';
        dataSince: 'text';
        cycleStart: 'text';
        vendorCents: 'numeric?';
        askedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').listRunsInProgress,
      ['uuid', 'uuid'],
      {
        connectionId: 'uuid!';
        id: 'uuid!';
        kind: 'text!';
        state: 'text!';
        fromDay: 'text';
        toDay: 'text';
        daysDone: 'integer!';
        daysTotal: 'integer!';
        daysChanged: 'integer!';
        requests: 'integer!';
        rows: 'integer!';
        unknownFields: 'jsonb!';
        code: 'text?';
        detail: 'text?';
        startedAt: 'timestamp with time zone!';
        endedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').listRuns,
      ['uuid', 'uuid', 'uuid', 'bigint'],
      {
        id: 'uuid!';
        kind: 'text!';
        state: 'text!';
        fromDay: 'text';
        toDay: 'text';
        daysDone: 'integer!';
        daysTotal: 'integer!';
        daysChanged: 'integer!';
        requests: 'integer!';
        rows: 'integer!';
        unknownFields: 'jsonb!';
        code: 'text?';
        detail: 'text?';
        startedAt: 'timestamp with time zone!';
        endedAt: 'timestamp with time zone?';
        total: 'integer';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').findRun,
      ['uuid', 'uuid', 'uuid'],
      {
        id: 'uuid!';
        kind: 'text!';
        state: 'text!';
        fromDay: 'text';
        toDay: 'text';
        daysDone: 'integer!';
        daysTotal: 'integer!';
        daysChanged: 'integer!';
        requests: 'integer!';
        rows: 'integer!';
        unknownFields: 'jsonb!';
        code: 'text?';
        detail: 'text?';
        startedAt: 'timestamp with time zone!';
        endedAt: 'timestamp with time zone?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').sumOwnCycle,
      ['uuid', 'uuid', 'date'],
      { cents: 'text'; missing: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').listDays,
      ['uuid', 'uuid', 'date', 'date'],
      {
        day: 'text';
        stream: 'text!';
        state: 'text!';
        pulledAt: 'timestamp with time zone?';
        revision: 'integer!';
        rows: 'integer?';
        vendorTotal: 'integer?';
        faultyRows: 'integer!';
        unknownFields: 'integer!';
        reason: 'text?';
      }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/sync/status/spend-feeds.sql.js').listDayRevisions,
      ['uuid', 'uuid', 'date', 'date'],
      {
        day: 'text';
        revision: 'integer!';
        recordedAt: 'timestamp with time zone!';
        rowsAdded: 'integer!';
        rowsChanged: 'integer!';
        rowsRemoved: 'integer!';
        chargedCentsBefore: 'numeric?';
        chargedCentsAfter: 'numeric?';
      }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/sync/status/spend-feeds.sql.js').scheduleFeedNow, ['uuid', 'uuid']>>,
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
    Mismatches<typeof import('../src/tasks/claims.system.sql.js').releaseLeases, ['uuid[]', 'uuid[]', 'integer[]']>
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
        status: 'jsonb?';
        lastSentAt: 'timestamp with time zone!';
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
      ['uuid', 'uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').claimSend,
      ['uuid', 'uuid', 'integer', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').storeRemoteStatus,
      ['uuid', 'uuid', 'jsonb', 'text', 'text']
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
      ['uuid', 'uuid', 'integer', 'integer']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').storeReplyEnd,
      ['uuid', 'uuid', 'integer', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').recordNoResponse,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').acquireStream,
      ['uuid', 'uuid', 'uuid', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').releaseStream,
      ['uuid', 'uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegation/remote/remote-delegations.sql.js').recordArtifactsShown,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').findDelegation,
      ['uuid', 'uuid'],
      {
        callId: 'uuid!';
        taskId: 'uuid!';
        parentTaskId: 'uuid?';
        createdAt: 'timestamp with time zone!';
        status: 'json?';
        artifacts: 'json?';
        isTainted: 'boolean';
        isParentOver: 'boolean';
      }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/delegations.sql.js').rootOfTask, ['uuid', 'uuid'], { rootId: 'uuid' }>
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/delegations.sql.js').lockTree, ['text'], { pg_advisory_xact_lock: 'void' }>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').treeSize,
      ['uuid', 'uuid'],
      { tasks: 'integer'; turns: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').unfinishedTaskCounts,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid'; count: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').addDelegation,
      ['uuid', 'uuid', 'uuid', 'uuid', 'uuid', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').oldestPendingReply,
      ['uuid', 'uuid'],
      { position: 'integer!'; body: 'text!'; taskId: 'uuid!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/tasks/delegations.sql.js').makeDueIfReplyPending, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').markReplyHandled,
      ['uuid', 'uuid', 'integer', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/delegations.sql.js').listDelegateReplies,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; position: 'integer!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/delegations.sql.js').listOpenChildren, ['uuid', 'uuid'], { id: 'uuid!' }>
  >,
  Verified<Mismatches<typeof import('../src/tasks/delegations.sql.js').wakeParent, ['uuid', 'uuid'], { id: 'uuid!' }>>,
  Verified<
    Mismatches<
      typeof import('../src/tasks/own-tasks.sql.js').countOwnTasks,
      ['uuid', 'text', 'text', 'text', 'boolean', 'text'],
      { count: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/own-tasks.sql.js').listOwnTasks,
      ['uuid', 'text', 'text', 'text', 'boolean', 'text', 'text', 'uuid', 'bigint'],
      { id: 'text!'; task_id: 'uuid!'; status: 'json!'; artifacts: 'json?'; number: 'integer!'; context: 'text?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-advances.sql.js').storeAdvances,
      ['uuid', 'json'],
      { nth: 'integer'; isApplied: 'boolean'; number: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-advances.sql.js').lockLeasedTasks,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; epoch: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-items.sql.js').transcriptItems,
      ['uuid', 'uuid[]', 'text[]'],
      { task_id: 'uuid'; kind: 'text'; body: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-items.sql.js').listTaskItems,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; kind: 'text!'; body: 'text!'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-items.sql.js').listFirstMessages,
      ['uuid', 'uuid[]', 'integer'],
      { taskId: 'uuid!'; kind: 'text!'; body: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-items.sql.js').taskConversations,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; isOver: 'boolean'; messageCount: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-owners.system.sql.js').ownersOfTasks,
      ['uuid[]', 'uuid[]'],
      { id: 'uuid!'; memberId: 'text' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/task-retention.system.sql.js').sweepTasks, ['double precision', 'bigint']>
  >,
  Verified<
    Mismatches<typeof import('../src/tasks/task-retention.system.sql.js').sweepRemoteDelegations, ['integer', 'bigint']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/tasks/task-submissions.sql.js').submitMessages,
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
  Verified<Mismatches<typeof import('../src/tasks/tasks.sql.js').wakeTask, ['uuid', 'uuid']>>,
  Verified<
    Mismatches<
      typeof import('../src/tasks/tasks.sql.js').listTaskStates,
      ['uuid', 'uuid[]'],
      { taskId: 'uuid!'; number: 'integer!'; status: 'json!'; at: 'timestamp with time zone!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').findAccount,
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
      typeof import('../src/upstream-accounts/accounts.sql.js').findListingAccount,
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
      typeof import('../src/upstream-accounts/accounts.sql.js').readAccount,
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
      typeof import('../src/upstream-accounts/accounts.sql.js').claimRenewal,
      ['uuid', 'uuid', 'integer', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').storeRenewedTokens,
      ['uuid', 'uuid', 'integer', 'bytea', 'text', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').releaseTokenRenewal,
      ['uuid', 'uuid', 'integer']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').endAccount,
      ['uuid', 'uuid', 'integer', 'text'],
      { memberId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/upstream-accounts/accounts.sql.js').setWantedScope, ['uuid', 'uuid', 'text']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').insertAccount,
      ['uuid', 'uuid', 'uuid', 'uuid', 'text', 'text', 'text', 'boolean', 'bytea', 'timestamp with time zone']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').deleteAccount,
      ['uuid', 'uuid', 'uuid'],
      { id: 'uuid!'; sealed: 'bytea?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').deleteAccountsOfMember,
      ['uuid', 'uuid'],
      { id: 'uuid!'; sealed: 'bytea?'; connectionId: 'uuid!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/upstream-accounts/accounts.sql.js').deleteAccountsOfConnection, ['uuid', 'uuid']>
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').isListingAvailable,
      ['uuid', 'uuid', 'uuid'],
      { isFree: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/accounts.sql.js').listAccountViews,
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
      typeof import('../src/upstream-accounts/accounts.sql.js').listConnectedAccounts,
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
      typeof import('../src/upstream-accounts/authorizations.sql.js').storePendingAuthorization,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bytea', 'bytea', 'double precision']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').consumePendingAuthorization,
      ['uuid', 'uuid', 'uuid', 'uuid', 'bytea'],
      { sealed: 'bytea!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').clientsOfConnection,
      ['uuid', 'uuid'],
      { issuer: 'text!'; redirectUri: 'text!'; sealed: 'bytea!'; revision: 'integer!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').storeClient,
      ['uuid', 'uuid', 'text', 'text', 'bytea', 'integer', 'boolean']
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/upstream-accounts/authorizations.sql.js').deleteAuthorizationsOfConnection)[0],
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      (typeof import('../src/upstream-accounts/authorizations.sql.js').deleteAuthorizationsOfConnection)[1],
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').deleteRegisteredClient,
      ['uuid', 'uuid', 'text']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').confirmedAuthorizationServer,
      ['uuid', 'uuid'],
      { confirmed: 'jsonb?'; pending: 'jsonb?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').confirmAuthorizationServer,
      ['uuid', 'uuid', 'jsonb', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').setPendingAuthorizationServer,
      ['uuid', 'uuid', 'jsonb']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').clearPendingAuthorizationServer,
      ['uuid', 'uuid']
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/upstream-accounts/authorizations.sql.js').pendingAuthorizationServers,
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
      typeof import('../src/upstream-accounts/authorizations.sql.js').knownIssuers,
      ['uuid', 'uuid', 'text'],
      { issuer: 'text!' }
    >
  >,
];
