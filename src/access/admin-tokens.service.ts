import { Injectable, type OnModuleInit } from '@nestjs/common';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { AdminToken } from './admin-token.entity.js';
import { CredentialRevalidationService } from './credential-revalidation.service.js';
import { type IssuedTokenKind, IssuedTokensService } from './issued-tokens.service.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import { requireSession } from './sessions.service.js';

const day = 24 * 60 * 60 * 1000;
const maxLifetimeDays = 365;
const adminTokenKind: IssuedTokenKind<AdminToken> = {
  entity: AdminToken,
  tokenKind: 'adm',
  subjectType: 'admin_token',
  noun: 'token',
};

export interface IssuedAdminToken {
  adminToken: AdminToken;
  /** The database stores only its hash, so this is the only time the token is available. */
  token: string;
}

@Injectable()
export class AdminTokensService implements OnModuleInit {
  constructor(
    private readonly issuedTokens: IssuedTokensService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('admin-token', (principal, tx) =>
      this.issuedTokens.revalidate(principal, adminTokenKind, tx),
    );
    this.memberRemovalHookRegistry.register((tx, principal, memberId) =>
      this.issuedTokens.revokeAllOf(tx, principal, adminTokenKind, memberId),
    );
  }

  async create(
    principal: Principal,
    { name, expiresAt }: { name: string; expiresAt: Date },
  ): Promise<IssuedAdminToken> {
    requireSession(principal);
    const left = expiresAt.getTime() - Date.now();
    if (!(left > 0 && left <= maxLifetimeDays * day))
      throw invalidRequest(`A token expires within ${maxLifetimeDays} days. Choose an earlier date.`, {
        errors: [{ pointer: '/expiresAt', detail: `must be within the next ${maxLifetimeDays} days` }],
      });
    const columns = { name, expiresAt };
    const { row, token } = await this.issuedTokens.create(principal, adminTokenKind, columns, { expiresAt });
    return { adminToken: row, token };
  }

  list(principal: Principal, args: PageArgs): Promise<Page<AdminToken>> {
    return this.issuedTokens.list(principal, adminTokenKind, args);
  }

  /** Takes effect immediately and cannot be undone. A token may revoke itself. */
  async revoke(principal: Principal, id: string): Promise<AdminToken> {
    if (principal.keyId !== id) requireSession(principal);
    return this.issuedTokens.revoke(principal, adminTokenKind, id);
  }
}
