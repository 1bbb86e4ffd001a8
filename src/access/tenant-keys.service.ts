import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { Database } from '../platform/database/database.service.js';
import { newestFirst } from '../platform/database/newest-first.js';
import { forbidden, invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { over, Recheck, type Stop } from './recheck.service.js';
import { requireSession } from './sessions.service.js';
import { type KeyScope, TenantKey } from './tenant-key.entity.js';
import { hintOf } from './token-hint.js';

export interface CreatedTenantKey {
  tenantKey: TenantKey;
  /** Known only now. */
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
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly recheck: Recheck,
  ) {}

  onModuleInit(): void {
    this.recheck.register('tenant-key', (principal, tx) => this.whyUnusable(principal, tx));
  }

  async create(principal: Principal, { name, scopes, expiresAt = null }: NewTenantKey): Promise<CreatedTenantKey> {
    const { tenantId, memberId } = requireSession(principal);
    if (!scopes.length)
      throw invalidRequest('A key without a scope opens nothing.', {
        errors: [{ pointer: '/scopes', detail: 'names at least one' }],
      });
    if (expiresAt && !(expiresAt > new Date()))
      throw invalidRequest('The key would have expired.', {
        errors: [{ pointer: '/expiresAt', detail: 'lies in the future' }],
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
      newestFirst(tx.createQueryBuilder(TenantKey, 'key').where('key.tenantId = :tenantId', principal), args),
    );
  }

  /** At once and for good. */
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

  private async whyUnusable({ tenantId, keyId }: Principal, tx: EntityManager): Promise<Stop | null> {
    const key = await tx.findOneBy(TenantKey, { tenantId, id: keyId! });
    if (!key || key.revokedAt) return over('the key was revoked');
    return !key.expiresAt || key.expiresAt > new Date() ? null : over('the key has expired');
  }
}

/** For the controllers that machines push to. */
export function requireKeyScope(principal: Principal, scope: KeyScope): void {
  if (!principal.scopes.includes(scope)) throw forbidden(`This key does not have the scope "${scope}".`);
}

const subject = ({ id, name }: { id: string; name: string }) => ({ type: 'tenant_key', id, name });
