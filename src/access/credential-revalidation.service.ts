import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { principalStatus } from './credential-revalidation.sql.js';

/** The credential of a principal. The module that stores it registers the check. */
export type CredentialKind = 'session' | 'admin-token' | 'tenant-key' | 'a2a-key' | 'oauth' | 'cli';

/** Why a principal may not act now. */
export interface RevalidationFailure {
  /** Shown to people, for example "the key was revoked". */
  reason: string;
  /** The failure is temporary: callers that can wait should do so. */
  isPause: boolean;
}
export const permanentFailure = (reason: string): RevalidationFailure => ({ reason, isPause: false });
export const temporaryFailure = (reason: string): RevalidationFailure => ({ reason, isPause: true });

/** Null: still valid. */
type RevalidationCheck = (principal: Principal, tx: Tx) => Promise<RevalidationFailure | null>;

/**
 * Runs before a call that was permitted earlier: could the requester make the same request now? This service checks the
 * tenant, the member and every member in the chain; the module that stores the credential checks the credential.
 */
@Injectable()
export class CredentialRevalidationService {
  private readonly checks = new Map<CredentialKind, RevalidationCheck>();

  constructor(private readonly database: DatabaseService) {}

  /** Call in `onModuleInit`. */
  register(kind: CredentialKind, check: RevalidationCheck): void {
    this.checks.set(kind, check);
  }

  revalidate(principal: Principal, tx?: Tx): Promise<RevalidationFailure | null> {
    if (tx) return this.revalidateIn(tx, principal);
    return this.database.tenant(principal, (own) => this.revalidateIn(own, principal));
  }

  private async revalidateIn(tx: Tx, principal: Principal): Promise<RevalidationFailure | null> {
    const failures = await Promise.all([
      this.checkMembers(tx, principal),
      ...credentialKindsOf(principal).map((kind) => this.checkCredential(tx, principal, kind)),
    ]);
    return failures.find((stop) => stop !== null) ?? null;
  }

  /** A credential without a registered check fails. */
  private async checkCredential(
    tx: Tx,
    principal: Principal,
    kind: CredentialKind,
  ): Promise<RevalidationFailure | null> {
    const check = this.checks.get(kind);
    return check ? check(principal, tx) : permanentFailure(`no check is registered for credentials of kind "${kind}"`);
  }

  private async checkMembers(tx: Tx, principal: Principal): Promise<RevalidationFailure | null> {
    const chain = principal.chain.filter((link) => link.kind === 'member').map((link) => link.id);
    const ids = [...new Set([...(principal.memberId ? [principal.memberId] : []), ...chain])];
    const status = await tx.one(principalStatus, [principal.tenantId, ids]);
    if (!status) return permanentFailure('the organization no longer exists');
    if (status.isPaused) return temporaryFailure('the organization is paused');
    if (ids.some((id) => !status.active.includes(id)))
      return permanentFailure('a member who requested this is no longer active');
    return null;
  }
}

/** Derived from the fields that the guards set. */
export function credentialKindsOf(principal: Principal): CredentialKind[] {
  if (principal.agentId) return ['a2a-key'];
  if (principal.clientId) return ['oauth'];
  if (principal.sessionId) return ['session'];
  if (!principal.keyId) return [];
  if (principal.surface === 'ingest') return ['tenant-key'];
  return principal.surface === 'cli' ? ['cli'] : ['admin-token'];
}
