import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { newestFirstPage } from '../platform/database/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { forbidden, invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import {
  permanentFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from './credential-revalidation.service.js';
import { requireSession } from './sessions.service.js';
import { type KeyScope, TenantKey } from './tenant-key.entity.js';
import { hintOf } from './token-hint.js';

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
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly credentialRevalidation: CredentialRevalidationService,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('tenant-key', (principal, tx) => this.revalidate(principal, tx));
  }

  async create(principal: Principal, { name, scopes, expiresAt = null }: NewTenantKey): Promise<IssuedTenantKey> {
    const { tenantId, memberId } = requireSession(principal);
    if (!scopes.length)
      throw invalidRequest('A key needs at least one scope.', {
        errors: [{ pointer: '/scopes', detail: 'must contain at least one scope' }],
      });
    if (expiresAt && !(expiresAt > new Date()))
      throw invalidRequest('The key would already be expired. Choose a date in the future.', {
        errors: [{ pointer: '/expiresAt', detail: 'must be in the future' }],
      });
    const key = newToken('ten');
    const tenantKey = {
      tenantId,
      id: newId(),
      name: name.trim(),
      scopes: [...new Set(scopes)].sort(),
      tokenHash: hashToken(key),
      hint: hintOf(key),
      createdBy: memberId,
      createdAt: new Date(),
      expiresAt,
      usedAt: null,
      revokedAt: null,
    };
    await this.database.tenant(principal, async (tx) => {
      await tx.insert(TenantKey, tenantKey);
      await this.audit.record(tx, principal, {
        kind: 'tenant_key.created',
        subject: subject(tenantKey),
        detail: { scopes: tenantKey.scopes, expiresAt },
      });
    });
    return { tenantKey, key };
  }

  list(principal: Principal, args: PageArgs): Promise<Page<TenantKey>> {
    return this.database.tenant(principal, (tx) =>
      newestFirstPage(tx.createQueryBuilder(TenantKey, 'key').where('key.tenantId = :tenantId', principal), args),
    );
  }

  /** Takes effect immediately and cannot be undone. */
  async revoke(principal: Principal, id: string): Promise<TenantKey> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.update(TenantKey, { tenantId, id, revokedAt: IsNull() }, { revokedAt: new Date() });
      const key = await tx.findOneBy(TenantKey, { tenantId, id });
      if (!key) throw notFound('There is no such key.');
      if (affected) await this.audit.record(tx, principal, { kind: 'tenant_key.revoked', subject: subject(key) });
      return key;
    });
  }

  private async revalidate({ tenantId, keyId }: Principal, tx: Tx): Promise<RevalidationFailure | null> {
    const key = await tx.findOneBy(TenantKey, { tenantId, id: keyId! });
    if (!key || key.revokedAt) return permanentFailure('the key was revoked');
    return !key.expiresAt || key.expiresAt > new Date() ? null : permanentFailure('the key has expired');
  }
}

/** For controllers that receive data from machines. */
export function requireKeyScope(principal: Principal, scope: KeyScope): void {
  if (!principal.scopes.includes(scope)) throw forbidden(`This key does not have the scope "${scope}".`);
}

const subject = ({ id, name }: { id: string; name: string }) => ({ type: 'tenant_key', id, name });
