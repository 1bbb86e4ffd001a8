import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import { oneRow } from '../platform/database/one-row.js';
import type { Principal } from '../principal/principal.js';

/** What a principal came with. The room that keeps it registers the check. */
export type CredentialKind = 'session' | 'admin-token' | 'tenant-key' | 'a2a-key' | 'oauth' | 'cli';

/** Why something does not work now. */
export interface RevalidationFailure {
  /** For people: "the key was revoked". */
  reason: string;
  /** It passes, and whoever can wait does. */
  isPause: boolean;
}
export const permanentFailure = (reason: string): RevalidationFailure => ({ reason, isPause: false });
export const temporaryFailure = (reason: string): RevalidationFailure => ({ reason, isPause: true });

/** Null: still good. */
type RevalidationCheck = (principal: Principal, tx: EntityManager) => Promise<RevalidationFailure | null>;

/**
 * Asked before something runs that was permitted a while ago: whether who asked for it could ask again now. The tenant, the
 * member and everybody in the chain are checked here, the credential by the room that keeps it.
 */
@Injectable()
export class CredentialRevalidationService {
  private readonly checks = new Map<CredentialKind, RevalidationCheck>();

  constructor(private readonly database: DatabaseService) {}

  /** In `onModuleInit`. */
  register(kind: CredentialKind, check: RevalidationCheck): void {
    this.checks.set(kind, check);
  }

  revalidate(principal: Principal, tx?: EntityManager): Promise<RevalidationFailure | null> {
    if (tx) return this.revalidateIn(tx, principal);
    return this.database.tenant(principal, (own) => this.revalidateIn(own, principal));
  }

  private async revalidateIn(tx: EntityManager, principal: Principal): Promise<RevalidationFailure | null> {
    const failures = await Promise.all([
      this.checkMembers(tx, principal),
      ...credentialKindsOf(principal).map((kind) => this.checkCredential(tx, principal, kind)),
    ]);
    return failures.find((stop) => stop !== null) ?? null;
  }

  /** What nobody vouches for does not pass. */
  private async checkCredential(
    tx: EntityManager,
    principal: Principal,
    kind: CredentialKind,
  ): Promise<RevalidationFailure | null> {
    const check = this.checks.get(kind);
    return check ? check(principal, tx) : permanentFailure(`nothing here knows a credential of the kind "${kind}"`);
  }

  private async checkMembers(tx: EntityManager, principal: Principal): Promise<RevalidationFailure | null> {
    const chain = principal.chain.filter((link) => link.kind === 'member').map((link) => link.id);
    const ids = [...new Set([...(principal.memberId ? [principal.memberId] : []), ...chain])];
    const values = [principal.tenantId, ids];
    const status = await oneRow<{ isPaused: boolean; active: string[] }>(tx, principalStatus, values);
    if (!status) return permanentFailure('the organization is gone');
    if (status.isPaused) return temporaryFailure('the organization is paused');
    if (ids.some((id) => !status.active.includes(id)))
      return permanentFailure('a member who asked for this is not active any more');
    return null;
  }
}

const principalStatus = {
  name: 'access-standing',
  text: `
  select t.paused_at is not null as "isPaused",
         array(select m.id::text from members m where m.tenant_id = t.id and m.id = any($2::uuid[]) and m.status = 'active') as active
  from tenants t where t.id = $1`,
};

/** By the fields that a guard fills in. */
export function credentialKindsOf(principal: Principal): CredentialKind[] {
  if (principal.agentId) return ['a2a-key'];
  if (principal.clientId) return ['oauth'];
  if (principal.sessionId) return ['session'];
  if (!principal.keyId) return [];
  if (principal.surface === 'ingest') return ['tenant-key'];
  return principal.surface === 'cli' ? ['cli'] : ['admin-token'];
}
