import { statement } from '../../platform/database/statement.js';

/** A roster replaces the earlier one in one transaction. Unchanged rows are not written. */

const roles = ['cs_bulk'] as const;

export const createStagedAccounts = statement(
  'create temporary table staged_accounts (number int not null, id uuid not null, external_id text not null, name text not null, email text)',
  { roles },
);
export const createStagedGroups = statement(
  'create temporary table staged_groups (number int not null, id uuid not null, external_id text not null)',
  { roles },
);
export const createStagedMemberships = statement(
  'create temporary table staged_memberships (group_number int not null, account_number int not null)',
  { roles },
);
export const createStagedAudiences = statement(
  `create temporary table staged_audiences (
     id uuid not null, external_id text not null, title text not null, url text, rule text not null, readers text not null,
     set_count int not null)`,
  { roles },
);
export const createStagedSets = statement(
  'create temporary table staged_sets (number int not null, id uuid not null, audience_id uuid not null, position int not null)',
  { roles },
);
export const createStagedReaders = statement(
  'create temporary table staged_readers (set_number int not null, holder int not null)',
  { roles },
);
export const rosterStaging = [
  createStagedAccounts,
  createStagedGroups,
  createStagedMemberships,
  createStagedAudiences,
  createStagedSets,
  createStagedReaders,
];
const staged = { roles, temporaryTables: rosterStaging };

export const stageAccounts = statement<
  [
    numbers: readonly number[],
    ids: readonly string[],
    externalIds: readonly string[],
    names: readonly string[],
    emails: readonly (string | null)[],
  ]
>(
  'insert into staged_accounts select * from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::text[])',
  staged,
);
export const stageGroups = statement<
  [numbers: readonly number[], ids: readonly string[], externalIds: readonly string[]]
>('insert into staged_groups select * from unnest($1::int[], $2::uuid[], $3::text[])', staged);
export const stageMemberships = statement<[groups: readonly number[], accounts: readonly number[]]>(
  'insert into staged_memberships select * from unnest($1::int[], $2::int[])',
  staged,
);
export const stageAudiences = statement<
  [
    ids: readonly string[],
    externalIds: readonly string[],
    titles: readonly string[],
    urls: readonly (string | null)[],
    rules: readonly string[],
    readers: readonly string[],
    setCounts: readonly number[],
  ]
>(
  'insert into staged_audiences select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[])',
  staged,
);
export const stageSets = statement<
  [numbers: readonly number[], ids: readonly string[], audienceIds: readonly string[], positions: readonly number[]]
>('insert into staged_sets select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::int[])', staged);
export const stageReaders = statement<[sets: readonly number[], holders: readonly number[]]>(
  'insert into staged_readers select * from unnest($1::int[], $2::int[])',
  staged,
);

type Owner = [tenantId: string, connectionId: string];

/** `holder` is the number of an account, or a negative number of a group: -1 is the first group. */
const setsOf = (holder: string) => `
  select ${holder} as number, array_agg(distinct s.id order by s.id) as ids
  from staged_readers r join staged_sets s on s.number = r.set_number group by 1`;

export const upsertAccounts = statement<Owner>(
  `
  insert into source_accounts as old (tenant_id, connection_id, id, external_id, name, email, group_ids, set_ids)
  select $1::uuid, $2::uuid, a.id, a.external_id, a.name, a.email, coalesce(g.ids, '{}'), coalesce(s.ids, '{}')
  from staged_accounts a
  left join (select m.account_number as number, array_agg(distinct g.id order by g.id) as ids
             from staged_memberships m join staged_groups g on g.number = m.group_number group by 1) g on g.number = a.number
  left join (${setsOf('r.holder')}) s on s.number = a.number
  on conflict (tenant_id, connection_id, id) do update
  set name = excluded.name, email = excluded.email, group_ids = excluded.group_ids, set_ids = excluded.set_ids
  where (old.name, old.email, old.group_ids, old.set_ids)
        is distinct from (excluded.name, excluded.email, excluded.group_ids, excluded.set_ids)`,
  staged,
);
export const upsertGroups = statement<Owner>(
  `
  insert into source_groups as old (tenant_id, connection_id, id, external_id, set_ids)
  select $1::uuid, $2::uuid, g.id, g.external_id, coalesce(s.ids, '{}')
  from staged_groups g left join (${setsOf('-1 - r.holder')}) s on s.number = g.number
  on conflict (tenant_id, connection_id, id) do update set set_ids = excluded.set_ids where old.set_ids <> excluded.set_ids`,
  staged,
);
export const upsertAudiences = statement<Owner>(
  `
  insert into source_audiences as old (tenant_id, connection_id, id, external_id, title, url, rule, readers, set_count)
  select $1::uuid, $2::uuid, id, external_id, title, url, rule, readers, set_count from staged_audiences
  on conflict (tenant_id, connection_id, id) do update
  set title = excluded.title, url = excluded.url, rule = excluded.rule, readers = excluded.readers, set_count = excluded.set_count
  where (old.title, old.url, old.rule, old.readers, old.set_count)
        is distinct from (excluded.title, excluded.url, excluded.rule, excluded.readers, excluded.set_count)`,
  staged,
);
export const upsertSets = statement<Owner>(
  `
  insert into source_audience_sets as old (tenant_id, connection_id, id, audience_id, number, set_count)
  select $1::uuid, $2::uuid, s.id, s.audience_id, s.position, a.set_count
  from staged_sets s join staged_audiences a on a.id = s.audience_id
  on conflict (tenant_id, connection_id, id) do update set set_count = excluded.set_count where old.set_count <> excluded.set_count`,
  staged,
);

const deleteUnstaged = (table: string, stagedTable: string) =>
  `delete from ${table} t where t.tenant_id = $1 and t.connection_id = $2
     and not exists (select from ${stagedTable} s where s.id = t.id)`;
export const deleteUnlistedAccounts = statement<Owner>(deleteUnstaged('source_accounts', 'staged_accounts'), staged);
export const deleteUnlistedGroups = statement<Owner>(deleteUnstaged('source_groups', 'staged_groups'), staged);
export const deleteUnlistedAudiences = statement<Owner>(deleteUnstaged('source_audiences', 'staged_audiences'), staged);
export const deleteUnlistedSets = statement<Owner>(deleteUnstaged('source_audience_sets', 'staged_sets'), staged);

/** Updates no row if the run is superseded. The transaction is then rolled back. */
export const completeRoster = statement<
  [
    tenantId: string,
    connectionId: string,
    runId: string,
    accounts: number,
    groups: number,
    audiences: number,
    problems: string,
  ]
>(
  `
  update source_rosters
  set run_id = null, running_until = null, complete_at = now(), failure = null, failures = 0, account_count = $4, group_count = $5,
      audience_count = $6, problems = $7
  where tenant_id = $1 and connection_id = $2 and run_id = $3`,
  { roles },
);
