import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { tenantPaused } from './access.error.js';
import { tenantKeyByToken } from './credentials.system.sql.js';

/**
 * Authenticates a machine of the organization that pushes data. It has no permissions; its scopes define what it may
 * push.
 */
@Injectable()
export class TenantKeyStrategy extends PassportStrategy(Strategy, 'tenant-key') {
  constructor(private readonly database: DatabaseService) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    if (tokenKind(token) !== 'ten') return false;
    const key = await this.database.systemPool.one(tenantKeyByToken, [hashToken(token)]);
    if (!key) return false;
    const { tenantId, keyId, name, scopes, isPaused } = key;
    if (isPaused) throw tenantPaused('The organization is paused and accepts no data.');
    return { tenantId, kind: 'system', name, keyId, surface: 'ingest', scopes, permissions: new Set(), chain: [] };
  }
}
