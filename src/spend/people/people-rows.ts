import { newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import { searchWordsOf } from './name-words.js';

/** Columns of a person to write. Omitted fields stay unchanged; null clears them. */
export interface PersonFields {
  memberId?: string | null;
  email?: string | null;
  name?: string;
  groupId?: string | null;
  costCentreId?: string | null;
  removedAt?: Date | null;
}
export type NewPerson = PersonFields & { email: string | null; name: string; isServiceAccount?: boolean };
export type PersonChange = PersonFields & { id: string };

const batch = 5000;

const peopleLockKey = `hashtextextended('spend people ' || $1, 1300)`;

/**
 * Serializes writes of people and their email addresses, so that one address never belongs to two people. Call it
 * before locking any row.
 */
export const lockPeople = (tx: Tx, tenantId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(${peopleLockKey})`, [tenantId]);

/**
 * For transactions that already hold row locks: waiting could deadlock. Returns false if another transaction holds the
 * lock.
 */
export async function tryLockPeople(tx: Tx, tenantId: string): Promise<boolean> {
  const [{ isMine }] = await tx.query<[{ isMine: boolean }]>(
    `select pg_try_advisory_xact_lock(${peopleLockKey}) as "isMine"`,
    [tenantId],
  );
  return isMine;
}

/** Inserts many people at once. Returns their ids in the same order. */
export async function insertPeople(tx: Tx, tenantId: string, people: readonly NewPerson[]): Promise<string[]> {
  const rows = people.map((person) => ({ ...person, id: newId(), isServiceAccount: person.isServiceAccount ?? false }));
  for (const part of parts(rows)) await tx.query(insertRows, [tenantId, JSON.stringify(part)]);
  await addAddresses(tx, tenantId, rows);
  await insertSearchWords(tx, tenantId, rows);
  return rows.map(({ id }) => id);
}

/**
 * Applies many changes at once, at most one per person. Only a change of name or email address affects other tables.
 */
export async function changePeople(tx: Tx, tenantId: string, changes: readonly PersonChange[]): Promise<void> {
  const renamed = changes.filter(({ name, email }) => name !== undefined || email !== undefined).map(({ id }) => id);
  await removeSearchWords(tx, tenantId, renamed);
  for (const part of parts(changes)) await tx.query(changeRows, [tenantId, JSON.stringify(part)]);
  await addAddresses(tx, tenantId, changes);
  if (renamed.length) await insertSearchWords(tx, tenantId, await tx.query(selectNamesAndEmails, [tenantId, renamed]));
}

/** Call before the names or email addresses of these people change, or before the people are deleted. */
export async function removeSearchWords(tx: Tx, tenantId: string, people: readonly string[]): Promise<void> {
  if (!people.length) return;
  const words = wordPairs(await tx.query(selectNamesAndEmails, [tenantId, people]));
  await tx.query(deleteWords, [tenantId, words.map(({ word }) => word), words.map(({ id }) => id)]);
}

/** Adds email addresses; former ones stay as aliases. The caller ensures that nobody else holds them. */
export async function addAddresses(
  tx: Tx,
  tenantId: string,
  people: readonly { id: string; email?: string | null }[],
): Promise<void> {
  const withEmail = people.filter(({ email }) => email);
  for (const part of parts(withEmail))
    await tx.query(insertAddresses, [tenantId, part.map(({ email }) => email), part.map(({ id }) => id)]);
}

interface NamedPerson {
  id: string;
  name: string;
  email?: string | null;
}

async function insertSearchWords(tx: Tx, tenantId: string, people: readonly NamedPerson[]): Promise<void> {
  for (const part of parts(people)) {
    const words = wordPairs(part);
    await tx.query(insertWords, [tenantId, words.map(({ word }) => word), words.map(({ id }) => id)]);
  }
}

const wordPairs = (people: readonly NamedPerson[]): { id: string; word: string }[] =>
  people.flatMap(({ id, ...person }) => searchWordsOf(person).map((word) => ({ id, word })));

function* parts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += batch) yield all.slice(from, from + batch);
}

/** 40 random bits: nobody can derive it from the person, and a collision is unlikely. */
export const newPseudonym = `'Person ' || upper(substr(md5(gen_random_uuid()::text), 1, 5) || '-' || substr(md5(gen_random_uuid()::text), 1, 5))`;

const insertRows = `
  insert into spend_people
    (tenant_id, id, member_id, email, name, pseudonym, is_service_account, group_id, cost_centre_id, removed_at, created_at)
  select $1, id, "memberId", email, name, ${newPseudonym}, "isServiceAccount", "groupId", "costCentreId", "removedAt", now()
  from json_to_recordset($2::json) as new (
    id uuid, "memberId" uuid, email text, name text, "isServiceAccount" boolean, "groupId" uuid, "costCentreId" uuid,
    "removedAt" timestamptz)`;

const changedColumn = (key: string, column: string, type: string) =>
  `${column} = case when jsonb_exists(new, '${key}') then (new ->> '${key}')::${type} else p.${column} end`;
const changeRows = `
  update spend_people p set
    ${changedColumn('memberId', 'member_id', 'uuid')},
    ${changedColumn('email', 'email', 'text')},
    ${changedColumn('name', 'name', 'text')},
    ${changedColumn('groupId', 'group_id', 'uuid')},
    ${changedColumn('costCentreId', 'cost_centre_id', 'uuid')},
    ${changedColumn('removedAt', 'removed_at', 'timestamptz')}
  from jsonb_array_elements($2::jsonb) as new
  where p.tenant_id = $1 and p.id = (new ->> 'id')::uuid`;

const selectNamesAndEmails = 'select id, name, email from spend_people where tenant_id = $1 and id = any($2)';
const insertWords = `
  insert into spend_words (tenant_id, word, person_id)
  select $1, word, id from unnest($2::text[], $3::uuid[]) as known (word, id) order by word, id
  on conflict (tenant_id, word, person_id) do nothing`;
const deleteWords = `
  delete from spend_words w using unnest($2::text[], $3::uuid[]) as known (word, id)
  where w.tenant_id = $1 and w.word = known.word and w.person_id = known.id`;

/** Addresses that the person already holds stay. */
const insertAddresses = `
  insert into spend_aliases (tenant_id, kind, vendor, key, person_id, created_at)
  select $1, 'email', '', key, id, now() from unnest($2::text[], $3::uuid[]) as known (key, id)
  on conflict (tenant_id, kind, vendor, key) do nothing`;
