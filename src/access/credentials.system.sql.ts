import { statement } from '../platform/database/statement.js';
import type { Role } from '../principal/permissions.js';
import type { Link } from './link.entity.js';
import type { KeyScope } from './tenant-key.entity.js';

/**
 * One statement checks a credential, its member and its tenant on every request; nothing is cached. The tenant is not
 * known yet, so these statements run as the system role. The time of the last use is written at most once a minute.
 */

export interface SessionRow {
  tenantId: string;
  sessionId: string;
  memberId: string;
  name: string;
  roles: Role[];
  freshAt: Date | null;
}

export const sessionByToken = statement<[tokenHash: Buffer, idleSeconds: number], SessionRow>(
  `
    with used as (
      update sessions set used_at = now()
      where token_hash = $1 and expires_at > now()
        and used_at between now() - make_interval(secs => $2) and now() - interval '1 minute'
    )
    select s.tenant_id as "tenantId", s.id as "sessionId", s.member_id as "memberId", m.name, m.roles, s.fresh_at as "freshAt"
    from sessions s
    join members m on m.tenant_id = s.tenant_id and m.id = s.member_id
    where s.token_hash = $1 and s.expires_at > now() and s.used_at > now() - make_interval(secs => $2)
      and m.status = 'active'`,
  { name: 'session-by-token' },
);

export interface ActiveSessionRow {
  sessionId: string;
  roles: Role[];
}

/** Those of the given sessions that are still active. */
export const activeSessions = statement<[tenantIds: string[], ids: string[], idleSeconds: number], ActiveSessionRow>(
  `
    select s.id as "sessionId", m.roles
    from unnest($1::uuid[], $2::uuid[]) as asked (tenant_id, id)
    join sessions s on s.tenant_id = asked.tenant_id and s.id = asked.id
    join members m on m.tenant_id = s.tenant_id and m.id = s.member_id
    where s.expires_at > now() and s.used_at > now() - make_interval(secs => $3) and m.status = 'active'`,
  { name: 'sessions-standing' },
);

export interface AdminTokenRow {
  tenantId: string;
  tokenId: string;
  tokenName: string;
  memberId: string;
  name: string;
  roles: Role[];
}

export const adminTokenByToken = statement<[tokenHash: Buffer], AdminTokenRow>(
  `
    with used as (
      update admin_tokens set used_at = now()
      where token_hash = $1 and revoked_at is null and expires_at > now()
        and (used_at is null or used_at < now() - interval '1 minute')
    )
    select t.tenant_id as "tenantId", t.id as "tokenId", t.name as "tokenName", m.id as "memberId", m.name, m.roles
    from admin_tokens t
    join members m on m.tenant_id = t.tenant_id and m.id = t.created_by
    where t.token_hash = $1 and t.revoked_at is null and t.expires_at > now() and m.status = 'active'`,
  { name: 'admin-token-by-token' },
);

export interface TenantKeyRow {
  tenantId: string;
  keyId: string;
  name: string;
  scopes: KeyScope[];
  isPaused: boolean;
}

export const tenantKeyByToken = statement<[tokenHash: Buffer], TenantKeyRow>(
  `
    with used as (
      update tenant_keys set used_at = now()
      where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())
        and (used_at is null or used_at < now() - interval '1 minute')
    )
    select k.tenant_id as "tenantId", k.id as "keyId", k.name, k.scopes, t.paused_at is not null as "isPaused"
    from tenant_keys k
    join tenants t on t.id = k.tenant_id
    where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
  { name: 'tenant-key-by-token' },
);

/** A link that is usable now. Reading it changes nothing. */
export type UsableLink = Omit<Link, 'tokenHash' | 'usedAt' | 'revokedAt'>;
export const linkByToken = statement<[tokenHash: Buffer], UsableLink>(`
  select l.tenant_id as "tenantId", l.id, l.kind, l.member_id as "memberId", l.email, l.name, l.roles,
         l.group_ids as "groupIds", l.removes_passkeys as "removesPasskeys", l.created_by as "createdBy", l.created_at as "createdAt", l.expires_at as "expiresAt"
  from links l
  where l.token_hash = $1 and l.used_at is null and l.revoked_at is null and l.expires_at > now()`);

/** The holder of a credential, valid or not. */
export interface CredentialHolder {
  tenantId: string;
  id: string;
  name: string;
}
/** For the audit event of a refusal. */
export const holderOfAdminToken = statement<[tokenHash: Buffer], CredentialHolder>(
  'select tenant_id as "tenantId", id, name from admin_tokens where token_hash = $1',
);
export const holderOfTenantKey = statement<[tokenHash: Buffer], CredentialHolder>(
  'select tenant_id as "tenantId", id, name from tenant_keys where token_hash = $1',
);
