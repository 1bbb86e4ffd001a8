import { statement } from '../../platform/database/statement.js';
import type { SpendUnit, UnitKind } from './unit.entity.js';

export const listUnits = statement<
  [tenantId: string, kind: UnitKind | null, afterName: string | null, afterId: string | null, limit: number],
  SpendUnit & { total: number }
>(`
  with found as (select * from spend_units where tenant_id = $1 and kind = coalesce($2, kind))
  select tenant_id as "tenantId", id, kind, name, (select count(*)::int from found) as total
  from found
  where $3::text is null or (name, id) > ($3, $4::uuid)
  order by name, id limit $5`);

export const countUnitUses = statement<[tenantId: string, unitId: string], { people: number; analysts: number }>(`
  select (select count(*)::int from spend_people where tenant_id = $1 and $2 in (group_id, cost_centre_id)) as people,
         (select count(distinct member_id)::int from spend_views where tenant_id = $1 and unit_id = $2) as analysts`);
