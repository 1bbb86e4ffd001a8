import { advisoryLock, sharedAdvisoryLock } from '../../platform/database/advisory-lock.js';
import { statement } from '../../platform/database/statement.js';
import type { Introduction, IntroductionKind, Vouch } from './independence.js';
import type { MemberVouch } from './vouch.entity.js';

const micros = (time: string) => `(extract(epoch from ${time}) * 1000000)::float8`;

/** Everyone who configured a sign-in provider introduces each member with an identity at that provider. */
export const introductionsOf = statement<[tenantId: string, memberIds: string[]], Introduction>(`
  select member_id as member, made_by as by, kind, ${micros('made_at')} as "madeAt", ${micros('at')} as at
  from introductions where tenant_id = $1 and member_id = any($2::uuid[]) and made_by is not null
  union all
  select i.member_id, c.changed_by, 'provider', ${micros('c.at')}, ${micros('greatest(i.at, c.at)')}
  from introductions i
  join sign_in_provider_changes c on c.tenant_id = i.tenant_id and c.issuer = i.issuer
  where i.tenant_id = $1 and i.member_id = any($2::uuid[]) and i.kind = 'provider'`);

export const vouchesOf = statement<[tenantId: string, memberIds: string[]], Vouch>(`
  select member_id as member, made_by as by, ${micros('at')} as at from vouches
  where tenant_id = $1 and member_id = any($2::uuid[])`);

export interface StatusChange {
  changedBy: string;
  memberId: string;
  at: Date;
}
export const statusChangesOf = statement<[tenantId: string, since: Date, memberIds: readonly string[]], StatusChange>(
  `
  select changed_by as "changedBy", member_id as "memberId", at from member_status_changes
  where tenant_id = $1 and at > $2 and member_id = any($3::uuid[]) and changed_by is not null`,
  { neverNull: ['changedBy'] },
);

export const insertIntroduction = statement<
  [
    tenantId: string,
    id: string,
    memberId: string,
    kind: IntroductionKind,
    madeBy: string | null,
    issuer: string | null,
    madeAt: Date | null,
  ]
>(`
  insert into introductions (tenant_id, id, member_id, kind, made_by, issuer, made_at, at)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()), clock_timestamp())`);

export const insertProviderChange = statement<[tenantId: string, id: string, issuer: string, changedBy: string]>(`
  insert into sign_in_provider_changes (tenant_id, id, issuer, changed_by, at) values ($1, $2, $3, $4, clock_timestamp())`);

export type MemberStatusChange = 'suspended' | 'reactivated' | 'removed';
export const insertStatusChange = statement<
  [tenantId: string, id: string, memberId: string, change: MemberStatusChange, changedBy: string | null]
>(`
  insert into member_status_changes (tenant_id, id, member_id, change, changed_by, at)
  values ($1, $2, $3, $4, $5, clock_timestamp())`);

export const insertVouch = statement<
  [tenantId: string, id: string, memberId: string, madeBy: string | null],
  MemberVouch
>(`
  insert into vouches (tenant_id, id, member_id, made_by, at) values ($1, $2, $3, $4, clock_timestamp())
  returning tenant_id as "tenantId", id, member_id as "memberId", made_by as "madeBy", at`);

export const lockAccessChanges = advisoryLock<[key: string]>('hashtextextended($1, 0)');
export const lockAccessChangesShared = sharedAdvisoryLock<[key: string]>('hashtextextended($1, 0)');
