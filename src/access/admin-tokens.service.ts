import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { newestFirstPage } from '../platform/database/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { AdminToken } from './admin-token.entity.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import {
  permanentFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from './credential-revalidation.service.js';
import { requireSession } from './sessions.service.js';
import { hintOf } from './token-hint.js';

const day = 24 * 60 * 60 * 1000;
const maxLifetimeDays = 365;

export interface IssuedAdminToken {
  adminToken: AdminToken;
  /** The database stores only its hash, so this is the only time the token is available. */
  token: string;
}

@Injectable()
export class AdminTokensService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('admin-token', (principal, tx) => this.revalidate(principal, tx));
    this.memberRemovalHookRegistry.register((tx, principal, memberId) => this.revokeAllOf(tx, principal, memberId));
  }

  async create(
    principal: Principal,
    { name, expiresAt }: { name: string; expiresAt: Date },
  ): Promise<IssuedAdminToken> {
    const { tenantId, memberId } = requireSession(principal);
    const left = expiresAt.getTime() - Date.now();
    if (!(left > 0 && left <= maxLifetimeDays * day))
      throw invalidRequest(`A token expires within ${maxLifetimeDays} days. Choose an earlier date.`, {
        errors: [{ pointer: '/expiresAt', detail: `must be within the next ${maxLifetimeDays} days` }],
      });
    const token = newToken('adm');
    const adminToken = {
      tenantId,
      id: newId(),
      name: name.trim(),
      tokenHash: hashToken(token),
      hint: hintOf(token),
      createdBy: memberId,
      createdAt: new Date(),
      expiresAt,
      usedAt: null,
      revokedAt: null,
    };
    await this.database.tenant(principal, async (tx) => {
      await tx.insert(AdminToken, adminToken);
      await this.audit.record(tx, principal, {
        kind: 'admin_token.created',
        subject: subject(adminToken),
        detail: { expiresAt },
      });
    });
    return { adminToken, token };
  }

  list(principal: Principal, args: PageArgs): Promise<Page<AdminToken>> {
    return this.database.tenant(principal, (tx) =>
      newestFirstPage(tx.createQueryBuilder(AdminToken, 'token').where('token.tenantId = :tenantId', principal), args),
    );
  }

  /** Takes effect immediately and cannot be undone. A token may revoke itself. */
  async revoke(principal: Principal, id: string): Promise<AdminToken> {
    if (principal.keyId !== id) requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.update(
        AdminToken,
        { tenantId, id, revokedAt: IsNull() },
        { revokedAt: new Date() },
      );
      const token = await tx.findOneBy(AdminToken, { tenantId, id });
      if (!token) throw notFound('There is no such token.');
      if (affected) await this.audit.record(tx, principal, { kind: 'admin_token.revoked', subject: subject(token) });
      return token;
    });
  }

  /** Permanent: a member who is invited again starts without tokens. */
  private async revokeAllOf(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    const { tenantId } = principal;
    const tokens = await tx.findBy(AdminToken, { tenantId, createdBy: memberId, revokedAt: IsNull() });
    for (const token of tokens) {
      await tx.update(AdminToken, { tenantId, id: token.id }, { revokedAt: new Date() });
      await this.audit.record(tx, principal, { kind: 'admin_token.revoked', subject: subject(token) });
    }
  }

  private async revalidate({ tenantId, keyId }: Principal, tx: Tx): Promise<RevalidationFailure | null> {
    const token = await tx.findOneBy(AdminToken, { tenantId, id: keyId! });
    if (!token || token.revokedAt) return permanentFailure('the token was revoked');
    return token.expiresAt > new Date() ? null : permanentFailure('the token has expired');
  }
}

const subject = ({ id, name }: { id: string; name: string }) => ({ type: 'admin_token', id, name });
