import { Injectable, type OnModuleInit } from '@nestjs/common';
import { forbidden, invalidRequest } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { CredentialRevalidationService } from './credential-revalidation.service.js';
import { type IssuedTokenKind, IssuedTokensService } from './issued-tokens.service.js';
import { requireSession } from './sessions.service.js';
import { type KeyScope, TenantKey } from './tenant-key.entity.js';

const tenantKeyKind: IssuedTokenKind<TenantKey> = {
  entity: TenantKey,
  tokenKind: 'ten',
  subjectType: 'tenant_key',
  noun: 'key',
};

export interface IssuedTenantKey {
  tenantKey: TenantKey;
  /** The database stores only its hash, so this is the only time the key is available. */
  key: string;
}

interface NewTenantKey {
  name: string;
  scopes: readonly KeyScope[];
  expiresAt?: Date | null;
}

@Injectable()
export class TenantKeysService implements OnModuleInit {
  constructor(
    private readonly issuedTokens: IssuedTokensService,
    private readonly credentialRevalidation: CredentialRevalidationService,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('tenant-key', (principal, tx) =>
      this.issuedTokens.revalidate(principal, tenantKeyKind, tx),
    );
  }

  async create(principal: Principal, { name, scopes, expiresAt = null }: NewTenantKey): Promise<IssuedTenantKey> {
    requireSession(principal);
    if (!scopes.length)
      throw invalidRequest('A key needs at least one scope.', {
        errors: [{ pointer: '/scopes', detail: 'must contain at least one scope' }],
      });
    if (expiresAt && !(expiresAt > new Date()))
      throw invalidRequest('The key would already be expired. Choose a date in the future.', {
        errors: [{ pointer: '/expiresAt', detail: 'must be in the future' }],
      });
    const columns = { name, scopes: [...new Set(scopes)].sort(), expiresAt };
    const { row, token } = await this.issuedTokens.create(principal, tenantKeyKind, columns, {
      scopes: columns.scopes,
      expiresAt,
    });
    return { tenantKey: row, key: token };
  }

  list(principal: Principal, args: PageArgs): Promise<Page<TenantKey>> {
    return this.issuedTokens.list(principal, tenantKeyKind, args);
  }

  /** Takes effect immediately and cannot be undone. */
  revoke(principal: Principal, id: string): Promise<TenantKey> {
    return this.issuedTokens.revoke(principal, tenantKeyKind, id);
  }
}

/** For controllers that receive data from machines. */
export function requireKeyScope(principal: Principal, scope: KeyScope): void {
  if (!principal.scopes.includes(scope)) throw forbidden(`This key does not have the scope "${scope}".`);
}
