import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { tenantPaused } from '../access/access.error.js';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { Database } from '../platform/database/database.service.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { keyByToken, type KeyRow } from './a2a-keys.system.sql.js';
import { agentUnattended, configurationNotFound, keyPaused } from './configurations.error.js';

/** An agent identity at the address of its configuration, `/agents/:configurationId/…`. */
@Injectable()
export class A2aKeyStrategy extends PassportStrategy(Strategy, 'a2a-key') {
  constructor(private readonly database: Database) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    if (tokenKind(token) !== 'a2a') return false;
    const { rows } = await this.database.systemPool.query<KeyRow>({ ...keyByToken, values: [hashToken(token)] });
    if (!rows.length) return false;
    const [row] = rows;
    refuseElsewhere(row, request.params.configurationId);
    refuseStopped(row);
    return principalOf(row);
  }
}

/** Somebody else's configuration and one that never was answer alike. */
function refuseElsewhere({ configurationId }: KeyRow, asked: unknown): void {
  if (configurationId !== asked) throw configurationNotFound('There is no configuration at this address for this key.');
}

/** A paused configuration is let through: it still takes tasks, which wait. */
function refuseStopped({ isTenantPaused, isPaused, isAttended }: KeyRow): void {
  if (isTenantPaused) throw tenantPaused('Nothing is taken in while the organization is paused.');
  if (!isAttended) throw agentUnattended('The member responsible for this agent is not active.');
  if (isPaused) throw keyPaused('An administrator has paused this key or its agent.');
}

const principalOf = ({ tenantId, agentId, agent, configurationId, keyId }: KeyRow): Principal => ({
  tenantId,
  kind: 'agent',
  name: agent,
  agentId,
  configurationId,
  keyId,
  surface: 'a2a',
  scopes: [],
  permissions: new Set(),
  chain: [],
});
