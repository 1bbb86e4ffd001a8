import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import { searchWordsOf } from './name-words.js';
import {
  changePeopleRows,
  deleteWords,
  insertAddresses,
  insertPeopleRows,
  insertWords,
  selectNamesAndEmails,
} from './people-rows.sql.js';

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

/** Inserts many people at once. Returns their ids in the same order. */
export async function insertPeople(tx: Tx, tenantId: string, people: readonly NewPerson[]): Promise<string[]> {
  const rows = people.map((person) => ({ ...person, id: newId(), isServiceAccount: person.isServiceAccount ?? false }));
  for (const part of parts(rows)) await tx.execute(insertPeopleRows, [tenantId, JSON.stringify(part)]);
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
  for (const part of parts(changes)) await tx.execute(changePeopleRows, [tenantId, JSON.stringify(part)]);
  await addAddresses(tx, tenantId, changes);
  if (renamed.length) await insertSearchWords(tx, tenantId, await tx.run(selectNamesAndEmails, [tenantId, renamed]));
}

/** Call before the names or email addresses of these people change, or before the people are deleted. */
export async function removeSearchWords(tx: Tx, tenantId: string, people: readonly string[]): Promise<void> {
  if (!people.length) return;
  const words = wordPairs(await tx.run(selectNamesAndEmails, [tenantId, people]));
  await tx.execute(deleteWords, [tenantId, words.map(({ word }) => word), words.map(({ id }) => id)]);
}

/** Adds email addresses; former ones stay as aliases. The caller ensures that nobody else holds them. */
export async function addAddresses(
  tx: Tx,
  tenantId: string,
  people: readonly { id: string; email?: string | null }[],
): Promise<void> {
  const withEmail = people.flatMap(({ id, email }) => (email ? [{ id, email }] : []));
  for (const part of parts(withEmail))
    await tx.execute(insertAddresses, [tenantId, part.map(({ email }) => email), part.map(({ id }) => id)]);
}

interface NamedPerson {
  id: string;
  name: string;
  email?: string | null;
}

async function insertSearchWords(tx: Tx, tenantId: string, people: readonly NamedPerson[]): Promise<void> {
  for (const part of parts(people)) {
    const words = wordPairs(part);
    await tx.execute(insertWords, [tenantId, words.map(({ word }) => word), words.map(({ id }) => id)]);
  }
}

const wordPairs = (people: readonly NamedPerson[]): { id: string; word: string }[] =>
  people.flatMap(({ id, ...person }) => searchWordsOf(person).map((word) => ({ id, word })));

function* parts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += batch) yield all.slice(from, from + batch);
}
