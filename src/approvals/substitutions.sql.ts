import { statement } from '../platform/database/statement.js';
import type { Substitution } from './substitution.entity.js';

const columns = `
  s.tenant_id as "tenantId", s.id, s.member_id as "memberId", s.substitute_id as "substituteId", s.starts_at as "startsAt",
  s.ends_at as "endsAt", s.created_by as "createdBy", s.created_at as "createdAt", s.ended_at as "endedAt"`;

/** Those that apply to these members now or later. */
export const openSubstitutionsOf = statement<[tenantId: string, memberIds: readonly string[]], Substitution>(`
  select ${columns} from substitutions s
  where s.tenant_id = $1 and s.member_id = any ($2) and s.ended_at is null and s.ends_at > now()
  order by s.starts_at, s.id`);

/** Those of the given ones that apply now. */
export const activeSubstitutions = statement<[tenantId: string, ids: readonly string[]], Substitution>(`
  select ${columns} from substitutions s
  where s.tenant_id = $1 and s.id = any ($2) and s.ended_at is null and s.starts_at <= now() and s.ends_at > now()
  order by s.id`);

/** Active members by a part of their name, without this one. */
export const possibleSubstitutes = statement<
  [tenantId: string, exceptId: string, partOfName: string, limit: number],
  { id: string; name: string }
>(`
  select m.id, m.name from members m
  where m.tenant_id = $1 and m.status = 'active' and m.id <> $2 and strpos(lower(m.name), lower($3)) > 0
  order by m.name, m.id limit $4`);
