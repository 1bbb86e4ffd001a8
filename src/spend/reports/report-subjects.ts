import { isUUID } from 'class-validator';
import type { Tx } from '../../platform/database/tx.js';
import {
  selectConnectionNames,
  selectIdentitiesByPseudonym,
  selectIdentityNames,
  selectModelNames,
  selectPeopleByPseudonym,
  selectPeopleNames,
  selectUnitNames,
} from './report-lookups.sql.js';
import type { ReportGrouping, ReportQuery } from './report-selection.js';
import { noUnitId } from './sums.js';

/** Whom or what a row of a report is about, as readers see it. */
export interface ReportSubject {
  id: string | null;
  identityId: string | null;
  name: string | null;
}

type Subjects = Pick<ReportQuery, 'tenantId' | 'by' | 'pseudonyms'>;

/** The subjects of rows, by row key. */
export async function loadSubjects(
  tx: Tx,
  query: Subjects,
  keys: readonly string[],
): Promise<Map<string, ReportSubject>> {
  const all = [...new Set(keys)];
  return query.by === 'person' ? loadPeople(tx, query, all) : loadOthers(tx, query.tenantId, query.by, all);
}

/** The key of a row in a cursor, which must not contain more than the row shows. */
export function shownKeyOf(key: string, { id, identityId }: ReportSubject, { by }: Subjects): string {
  if (by !== 'person') return key;
  return identityId ? `i${identityId}` : `p${id}`;
}

/** The row key of a key in a cursor, or undefined if there is none. */
export async function internalKeyOf(
  tx: Tx,
  { tenantId, by, pseudonyms }: Subjects,
  shown: string,
): Promise<string | undefined> {
  if (by !== 'person' || !pseudonyms) return shown;
  const [kind, ids] = [shown.charAt(0), [shown.slice(1)]];
  const [found] =
    kind === 'i'
      ? await identityIdsOf(tx, tenantId, ids, pseudonyms)
      : await personIdsOf(
          tx,
          tenantId,
          ids.filter((id) => isUUID(id)),
          pseudonyms,
        );
  return found === undefined ? undefined : `${kind}${found}`;
}

/** The internal ids of people by the ids that readers see. Unknown ids are left out. */
export async function personIdsOf(
  tx: Tx,
  tenantId: string,
  shown: readonly string[],
  pseudonyms: boolean,
): Promise<readonly string[]> {
  if (!pseudonyms) return shown;
  const rows = await tx.run(selectPeopleByPseudonym, [tenantId, shown]);
  return rows.map(({ id }) => id);
}

/** The internal ids of vendor identities by the ids that readers see. Unknown ids are left out. */
export async function identityIdsOf(
  tx: Tx,
  tenantId: string,
  shown: readonly string[],
  pseudonyms: boolean,
): Promise<number[]> {
  if (!pseudonyms) return shown.filter((id) => /^\d{1,10}$/.test(id) && Number(id) <= 0x7fffffff).map(Number);
  const rows = await tx.run(selectIdentitiesByPseudonym, [tenantId, shown.filter((id) => isUUID(id))]);
  return rows.map(({ id }) => id);
}

async function loadPeople(
  tx: Tx,
  { tenantId, pseudonyms }: Subjects,
  keys: readonly string[],
): Promise<Map<string, ReportSubject>> {
  const idsOf = (kind: string) => keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(1));
  const [people, identities] = [idsOf('p'), idsOf('i').map(Number)];
  const rows = await Promise.all([
    people.length ? tx.run(selectPeopleNames, [tenantId, people]) : [],
    identities.length ? tx.run(selectIdentityNames, [tenantId, identities]) : [],
  ]);
  return new Map(
    rows.flat().map(({ key, name, pseudonym, pseudonymId }) => {
      const id = pseudonyms ? pseudonymId : key.slice(1);
      const isIdentity = key.startsWith('i');
      return [
        key,
        { id: isIdentity ? null : id, identityId: isIdentity ? id : null, name: pseudonyms ? pseudonym : name },
      ];
    }),
  );
}

async function loadOthers(
  tx: Tx,
  tenantId: string,
  by: Exclude<ReportGrouping, 'person'>,
  keys: readonly string[],
): Promise<Map<string, ReportSubject>> {
  const rows = await otherNames(tx, tenantId, by, keys);
  const names = new Map(rows.map(({ key, name }) => [key, name]));
  return new Map(
    keys.map((key) => {
      const name = names.get(key) ?? null;
      const id = by === 'model' ? name : key === '' || key === noUnitId ? null : key;
      return [key, { id, identityId: null, name }];
    }),
  );
}

async function otherNames(
  tx: Tx,
  tenantId: string,
  by: Exclude<ReportGrouping, 'person'>,
  keys: readonly string[],
): Promise<{ key: string; name: string }[]> {
  if (by === 'nothing' || !keys.length) return [];
  if (by === 'connection') return tx.run(selectConnectionNames, [tenantId, keys]);
  if (by === 'model') return tx.run(selectModelNames, [tenantId, keys.map(Number)]);
  return tx.run(selectUnitNames, [tenantId, keys]);
}
