import { statement } from '../platform/database/statement.js';
import type { Substitution } from './substitution.entity.js';

const columns = `
  s.tenant_id as "tenantId", s.id, s.member_id as "memberId", s.substitute_id as "substituteId", s.starts_at as "startsAt",
  s.ends_at as "endsAt", s.created_by as "createdBy", s.created_at as "createdAt", s.ended_at as "endedAt"`;

/** Not ended, and the substitute is an active member who has not been removed since they were named. */
export const isSubstitutionOpen = `s.ended_at is null and s.ends_at > now() and exists (
    select from members m
    where m.tenant_id = s.tenant_id and m.id = s.substitute_id and m.status = 'active' and m.joined_at <= s.created_at)`;

/** Those that apply to these members now or later. */
export const openSubstitutionsOf = statement<[tenantId: string, memberIds: readonly string[]], Substitution>(`
  select ${columns} from substitutions s
  where s.tenant_id = $1 and s.member_id = any ($2) and ${isSubstitutionOpen}
  order by s.starts_at, s.id`);

/** Those of the given ones that apply now. */
export const activeSubstitutions = statement<[tenantId: string, ids: readonly string[]], Substitution>(`
  select ${columns} from substitutions s
  where s.tenant_id = $1 and s.id = any ($2) and s.starts_at <= now() and ${isSubstitutionOpen}
  order by s.id`);

/** Active members by a part of their name, without this one. */
export const possibleSubstitutes = statement<
  [tenantId: string, exceptId: string, partOfName: string, limit: number],
  { id: string; name: string }
>(`
  select m.id, m.name from members m
  where m.tenant_id = $1 and m.status = 'active' and m.id <> $2 and strpos(lower(m.name), lower($3)) > 0
  order by m.name, m.id limit $4`);
