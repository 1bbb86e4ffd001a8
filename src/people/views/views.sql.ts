import { statement } from '../../platform/database/statement.js';
import type { SpendView } from './view.entity.js';

/** Without `memberId`: of all analysts. */
export const listViews = statement<[tenantId: string, memberId: string | null], SpendView>(`
  select m.id as "memberId", m.name,
         coalesce(bool_or(v.unit_id is null) filter (where v.member_id is not null), false) as "seesEverybody",
         coalesce(json_agg(json_build_object('tenantId', u.tenant_id, 'id', u.id, 'kind', u.kind, 'name', u.name) order by u.name)
           filter (where u.id is not null), '[]') as groups
  from members m
  left join spend_views v on v.tenant_id = m.tenant_id and v.member_id = m.id
  left join spend_units u on u.tenant_id = v.tenant_id and u.id = v.unit_id
  where m.tenant_id = $1 and m.status <> 'removed' and 'analyst' = any(m.roles) and ($2::uuid is null or m.id = $2)
  group by m.id, m.name order by m.name, m.id`);

export const deleteViews = statement<[tenantId: string, memberId: string]>(
  'delete from spend_views where tenant_id = $1 and member_id = $2',
);

/** A null element grants access to everybody. */
export const addViews = statement<[tenantId: string, memberId: string, groupIds: readonly (string | null)[]]>(`
  insert into spend_views (tenant_id, member_id, unit_id, granted_at)
  select $1, $2, unit_id, now() from unnest($3::uuid[]) as seen (unit_id)`);

/** `views`: the groups that the analyst sees, or null for everybody. */
export const selectVisibility = statement<
  [tenantId: string, analystId: string | null],
  { views: (string | null)[]; pseudonyms: boolean }
>(`
  select
    array(select unit_id::text from spend_views where tenant_id = $1 and member_id = $2 order by unit_id) as views,
    exists (select from spend_settings where tenant_id = $1 and shows_pseudonyms) as pseudonyms`);

export const selectPseudonymsShown = statement<[tenantId: string], { shown: boolean }>(
  'select shows_pseudonyms as shown from spend_settings where tenant_id = $1',
);
/** Affects no row if nothing changed. */
export const updatePseudonymsShown = statement<[tenantId: string, isShown: boolean]>(`
  insert into spend_settings as s (tenant_id, shows_pseudonyms)
  select $1, $2::boolean where $2::boolean or exists (select from spend_settings where tenant_id = $1)
  on conflict (tenant_id) do update set shows_pseudonyms = excluded.shows_pseudonyms
  where s.shows_pseudonyms <> excluded.shows_pseudonyms`);
