import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [
  Verified<Mismatches<typeof import('../src/spend/nested-loops.sql.js').disableNestedLoops, [], {}>>,
  Verified<Mismatches<typeof import('../src/spend/nested-loops.sql.js').resetNestedLoops, [], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identities/identities.sql.js').listIdentities,
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
      typeof import('../src/spend/people/identities/identities.sql.js').readIdentities,
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
      typeof import('../src/spend/people/identities/identities.sql.js').lockIdentities,
      ['uuid', 'integer[]'],
      { id: 'integer!'; kind: 'text!'; key: 'text!'; vendor: 'text!'; personId: 'uuid?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identities/identities.sql.js').matchToPeople,
      ['uuid', 'integer[]', 'uuid[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identities/identities.sql.js').detachIdentities,
      ['uuid', 'integer[]', 'boolean'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identities/identities.sql.js').reopenIgnoredIdentities,
      ['uuid', 'integer[]'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identities/identities.sql.js').findPeopleByWords,
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
      typeof import('../src/spend/people/identity-matching.sql.js').anyUnmatched,
      ['uuid', 'uuid'],
      { isAny: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/identity-matching.sql.js').matchIdentities,
      ['uuid', 'uuid'],
      { id: 'integer!'; by: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/imports/people-import.sql.js').holdersOfAddresses,
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
      typeof import('../src/spend/people/imports/people-import.sql.js').selectExportedPeople,
      ['uuid', 'text', 'bigint'],
      { email: 'text!'; name: 'text!'; group: 'text?'; costCentre: 'text?'; aliases: 'text' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/member-people-sync.sql.js').membersToSync,
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
      typeof import('../src/spend/people/member-people-sync.sql.js').aliasHolders,
      ['uuid', 'text[]'],
      { key: 'text!'; id: 'uuid!'; name: 'text!'; hasAccount: 'boolean' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people-rows.sql.js').lockPeople,
      ['text'],
      { pg_advisory_xact_lock: 'void' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/people/people-rows.sql.js').tryLockPeople, ['text'], { isMine: 'boolean' }>
  >,
  Verified<Mismatches<typeof import('../src/spend/people/people-rows.sql.js').insertPeopleRows, ['uuid', 'json'], {}>>,
  Verified<Mismatches<typeof import('../src/spend/people/people-rows.sql.js').changePeopleRows, ['uuid', 'jsonb'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people-rows.sql.js').selectNamesAndEmails,
      ['uuid', 'uuid[]'],
      { id: 'uuid!'; name: 'text!'; email: 'text?' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/people/people-rows.sql.js').insertWords, ['uuid', 'text[]', 'uuid[]'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/people/people-rows.sql.js').deleteWords, ['uuid', 'text[]', 'uuid[]'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people-rows.sql.js').insertAddresses,
      ['uuid', 'text[]', 'uuid[]'],
      {}
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/people/people-rows.sql.js').regeneratePseudonyms, ['uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people.sql.js').listPeople,
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
      typeof import('../src/spend/people/people.sql.js').findAliasHolder,
      ['uuid', 'text', 'text', 'text'],
      { id: 'uuid!'; name: 'text!'; email: 'text?' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people.sql.js').addAlias,
      ['uuid', 'text', 'text', 'text', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people.sql.js').deleteAlias,
      ['uuid', 'text', 'text', 'text', 'uuid'],
      {}
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/people/people.sql.js').detachAlias, ['uuid', 'text', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people.sql.js').listAddresses,
      ['uuid', 'uuid[]'],
      { personId: 'uuid!'; key: 'text!' }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/people/people.sql.js').transferAlias, ['uuid', 'text', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/spend/people/people.sql.js').moveAliases, ['uuid', 'uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/spend/people/people.sql.js').moveIdentities, ['uuid', 'uuid', 'uuid'], {}>>,
  Verified<Mismatches<typeof import('../src/spend/people/people.sql.js').inheritUnits, ['uuid', 'uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/people.sql.js').deleteLearnedAlias,
      ['uuid', 'text', 'text', 'text', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/units/units.sql.js').listUnits,
      ['uuid', 'text', 'text', 'uuid', 'bigint'],
      { tenantId: 'uuid!'; id: 'uuid!'; kind: 'text!'; name: 'text!'; total: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/units/units.sql.js').countUnitUses,
      ['uuid', 'uuid'],
      { people: 'integer'; analysts: 'integer' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/views/views.sql.js').listViews,
      ['uuid', 'uuid'],
      { memberId: 'uuid!'; name: 'text!'; seesEverybody: 'boolean'; groups: 'json' }
    >
  >,
  Verified<Mismatches<typeof import('../src/spend/people/views/views.sql.js').deleteViews, ['uuid', 'uuid'], {}>>,
  Verified<
    Mismatches<typeof import('../src/spend/people/views/views.sql.js').addViews, ['uuid', 'uuid', 'uuid[]'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/views/views.sql.js').selectVisibility,
      ['uuid', 'uuid'],
      { views: 'text[]'; key: 'bytea' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/people/views/views.sql.js').selectPseudonymsShown,
      ['uuid'],
      { shown: 'boolean!' }
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/people/views/views.sql.js').updatePseudonymsShown, ['uuid', 'boolean'], {}>
  >,
  Verified<Mismatches<typeof import('../src/spend/people/views/views.sql.js').regeneratePseudonymKey, ['uuid'], {}>>,
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
      { key: 'text'; name: 'text!'; pseudonym: 'text!' }
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/report-lookups.sql.js').selectIdentityNames,
      ['uuid', 'integer[]'],
      { key: 'text'; name: 'text'; pseudonym: 'text' }
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
      (typeof import('../src/spend/reports/report.sql.js').peopleRanks)['page'],
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
      (typeof import('../src/spend/reports/report.sql.js').peopleRanks)['changes'],
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
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleRanks)['page'],
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
      (typeof import('../src/spend/reports/report.sql.js').filteredPeopleRanks)['changes'],
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
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteTally,
      ['uuid', 'uuid', 'date'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertTally,
      ['uuid', 'uuid', 'date', 'date'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').advanceTallyMark,
      ['uuid', 'uuid', 'date', 'bigint'],
      {}
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
      ['uuid', 'smallint', 'uuid', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteUnitSums,
      ['uuid', 'smallint', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitDays,
      ['uuid', 'smallint', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitMonths,
      ['uuid', 'smallint', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').deleteUnitModels,
      ['uuid', 'smallint', 'uuid'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollup-maintenance.sql.js').insertUnitModels,
      ['uuid', 'smallint', 'uuid'],
      {}
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
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').deleteUnitDay, ['uuid', 'uuid', 'date'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').insertUnitDay, ['uuid', 'uuid', 'date'], {}>
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollups.sql.js').deleteUnitMonth,
      ['uuid', 'uuid', 'date', 'date'],
      {}
    >
  >,
  Verified<
    Mismatches<
      typeof import('../src/spend/reports/rollups.sql.js').insertUnitMonth,
      ['uuid', 'uuid', 'date', 'date'],
      {}
    >
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').deleteModelDay, ['uuid', 'uuid', 'date'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').insertModelDay, ['uuid', 'uuid', 'date'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').upsertActiveDay, ['uuid', 'uuid', 'date'], {}>
  >,
  Verified<
    Mismatches<typeof import('../src/spend/reports/rollups.sql.js').rewindTallyMark, ['uuid', 'uuid', 'date'], {}>
  >,
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
      ['uuid', 'date', 'uuid[]', 'uuid[]', 'integer', 'bigint', 'boolean', 'date', 'integer'],
      {
        identityId: 'integer!';
        connectionId: 'uuid!';
        personId: 'uuid?';
        groupId: 'uuid?';
        seatSince: 'timestamp with time zone?';
        sorted: 'text';
        total: 'integer';
        lastActive: 'text';
      }
    >
  >,
];
