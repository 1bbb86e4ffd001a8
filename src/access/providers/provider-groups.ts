import { In } from 'typeorm';
import { notFound } from '../../platform/errors/general.error.js';
import type { Tx } from '../../platform/database/tx.js';
import { Group } from '../group.entity.js';
import type { SignInProvider } from './sign-in-provider.entity.js';

type Row = Omit<SignInProvider, 'groups'>;

/** Adds to providers the groups that their new members join, with one statement for all. */
export async function withProviderGroups(tx: Tx, rows: Row[]): Promise<SignInProvider[]> {
  if (!rows.length) return [];
  const groups = await tx.query<(Group & { providerId: string })[]>(
    `select p.provider_id as "providerId", g.tenant_id as "tenantId", g.id, g.name, g.created_at as "createdAt"
     from sign_in_provider_groups p join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id
     where p.tenant_id = $1 and p.provider_id = any($2) order by g.name`,
    [rows[0].tenantId, rows.map(({ id }) => id)],
  );
  return rows.map((row) => ({ ...row, groups: groups.filter(({ providerId }) => providerId === row.id) }));
}

/** Throws `not-found` if a group does not exist. */
export async function setProviderGroups(tx: Tx, { tenantId, id }: Pick<Row, 'tenantId' | 'id'>, groupIds: string[]) {
  const wanted = [...new Set(groupIds)];
  if ((await tx.countBy(Group, { tenantId, id: In(wanted) })) < wanted.length)
    throw notFound('One of the groups does not exist.');
  await tx.query('delete from sign_in_provider_groups where tenant_id = $1 and provider_id = $2', [tenantId, id]);
  await tx.query(
    'insert into sign_in_provider_groups (tenant_id, provider_id, group_id) select $1, $2, unnest($3::uuid[])',
    [tenantId, id, wanted],
  );
}
