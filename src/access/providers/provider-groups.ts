import { In } from 'typeorm';
import { notFound } from '../../platform/errors/general.error.js';
import type { Tx } from '../../platform/database/tx.js';
import { Group } from '../group.entity.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import { deleteProviderGroups, groupsOfProviders, insertProviderGroups } from './sign-in-providers.sql.js';

type Row = Omit<SignInProvider, 'groups'>;

/** Adds to providers the groups that their new members join, with one statement for all. */
export async function withProviderGroups(tx: Tx, rows: Row[]): Promise<SignInProvider[]> {
  if (!rows.length) return [];
  const groups = await tx.run(groupsOfProviders, [rows[0].tenantId, rows.map(({ id }) => id)]);
  return rows.map((row) => ({ ...row, groups: groups.filter(({ providerId }) => providerId === row.id) }));
}

/** Throws `not-found` if a group does not exist. */
export async function setProviderGroups(tx: Tx, { tenantId, id }: Pick<Row, 'tenantId' | 'id'>, groupIds: string[]) {
  const wanted = [...new Set(groupIds)];
  if ((await tx.countBy(Group, { tenantId, id: In(wanted) })) < wanted.length)
    throw notFound('One of the groups does not exist.');
  await tx.execute(deleteProviderGroups, [tenantId, id]);
  await tx.execute(insertProviderGroups, [tenantId, id, wanted]);
}
