import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';

const peopleLockKey = `hashtextextended('spend people ' || $1, 1300)`;
/**
 * Serializes writes of people and their email addresses, so that one address never belongs to two people. Run it before
 * locking any row.
 */
export const lockPeople = advisoryLock<[tenantId: string]>(peopleLockKey);
/** For transactions that already hold row locks: waiting could deadlock. */
export const tryLockPeople = statement<[tenantId: string], { isMine: boolean }>(
  `select pg_try_advisory_xact_lock(${peopleLockKey}) as "isMine"`,
);

/** 40 random bits: nobody can derive it from the person, and a collision is unlikely. */
const newPseudonym = `'Person ' || upper(substr(md5(gen_random_uuid()::text), 1, 5) || '-' || substr(md5(gen_random_uuid()::text), 1, 5))`;

/** `people`: rows in JSON. */
export const insertPeopleRows = statement<[tenantId: string, people: string]>(`
  insert into spend_people
    (tenant_id, id, member_id, email, name, pseudonym, is_service_account, group_id, cost_centre_id, removed_at, created_at)
  select $1, id, "memberId", email, name, ${newPseudonym}, "isServiceAccount", "groupId", "costCentreId", "removedAt", now()
  from json_to_recordset($2::json) as new (
    id uuid, "memberId" uuid, email text, name text, "isServiceAccount" boolean, "groupId" uuid, "costCentreId" uuid,
    "removedAt" timestamptz)`);

const changedColumn = (key: string, column: string, type: string) =>
  `${column} = case when jsonb_exists(new, '${key}') then (new ->> '${key}')::${type} else p.${column} end`;
/** `changes`: rows in JSON. */
export const changePeopleRows = statement<[tenantId: string, changes: string]>(`
  update spend_people p set
    ${changedColumn('memberId', 'member_id', 'uuid')},
    ${changedColumn('email', 'email', 'text')},
    ${changedColumn('name', 'name', 'text')},
    ${changedColumn('groupId', 'group_id', 'uuid')},
    ${changedColumn('costCentreId', 'cost_centre_id', 'uuid')},
    ${changedColumn('removedAt', 'removed_at', 'timestamptz')}
  from jsonb_array_elements($2::jsonb) as new
  where p.tenant_id = $1 and p.id = (new ->> 'id')::uuid`);

export const selectNamesAndEmails = statement<
  [tenantId: string, ids: readonly string[]],
  { id: string; name: string; email: string | null }
>('select id, name, email from spend_people where tenant_id = $1 and id = any($2)');

export const insertWords = statement<[tenantId: string, words: readonly string[], personIds: readonly string[]]>(`
  insert into spend_words (tenant_id, word, person_id)
  select $1, word, id from unnest($2::text[], $3::uuid[]) as known (word, id) order by word, id
  on conflict (tenant_id, word, person_id) do nothing`);
export const deleteWords = statement<[tenantId: string, words: readonly string[], personIds: readonly string[]]>(`
  delete from spend_words w using unnest($2::text[], $3::uuid[]) as known (word, id)
  where w.tenant_id = $1 and w.word = known.word and w.person_id = known.id`);

/** Addresses that the person already holds stay. */
export const insertAddresses = statement<[tenantId: string, emails: readonly string[], personIds: readonly string[]]>(`
  insert into spend_aliases (tenant_id, kind, vendor, key, person_id, created_at)
  select $1, 'email', '', key, id, now() from unnest($2::text[], $3::uuid[]) as known (key, id)
  on conflict (tenant_id, kind, vendor, key) do nothing`);

export const regeneratePseudonyms = statement<[tenantId: string]>(
  `update spend_people set pseudonym = ${newPseudonym}, pseudonym_id = default where tenant_id = $1`,
);
export const regenerateIdentityPseudonyms = statement<[tenantId: string]>(
  'update spend_identities set pseudonym_id = default where tenant_id = $1',
);
