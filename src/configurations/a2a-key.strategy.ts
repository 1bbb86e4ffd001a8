import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { tenantPaused } from '../access/access.error.js';
import { type Holder, RefusedCredentials } from '../access/refused-credentials.service.js';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { holderOfA2aKey, keyByToken, type KeyRow } from './a2a-keys.system.sql.js';
import { agentUnattended, configurationNotFound, keyPaused } from './configurations.error.js';

/** An agent identity at the address of its configuration, `/agents/:configurationId/…`. */
@Injectable()
export class A2aKeyStrategy extends PassportStrategy(Strategy, 'a2a-key') implements OnModuleInit {
  /** Requests that come in together are decided by one statement; none by what an earlier one found. */
  private readonly keys = new Gather<{ tenantId?: never; hash: Buffer }, KeyRow | null>(async (_, asked) => {
    const { rows } = await this.database.systemPool.query<KeyRow>({
      ...keyByToken,
      values: [asked.map(({ hash }) => hash)],
    });
    const byHash = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
    return asked.map(({ hash }) => byHash.get(hash.toString('hex')) ?? null);
  });

  constructor(
    private readonly database: Database,
    private readonly refused: RefusedCredentials,
  ) {
    super();
  }

  onModuleInit(): void {
    this.refused.register('a2a', async (hash) => {
      const { rows } = await this.database.systemPool.query<Holder>(holderOfA2aKey, [hash]);
      return rows[0] ?? null;
    });
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    if (tokenKind(token) !== 'a2a') return false;
    const row = await this.keys.ask({ hash: hashToken(token) });
    if (!row) return false;
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
