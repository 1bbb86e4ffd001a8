import { Injectable, type OnModuleInit } from '@nestjs/common';
import { tenantPaused } from '../access/access.error.js';
import { type Holder, RefusedCredentials, type Seen } from '../access/refused-credentials.service.js';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { unauthenticated } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { holderOfA2aKey, keyByToken, type KeyRow } from './a2a-keys.system.sql.js';
import { agentUnattended, configurationNotFound, keyPaused } from './configurations.error.js';

/** Who stands at a door with an A2A key. */
@Injectable()
export class A2aEntrance implements OnModuleInit {
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
  ) {}

  onModuleInit(): void {
    this.refused.register('a2a', async (hash) => {
      const { rows } = await this.database.systemPool.query<Holder>(holderOfA2aKey, [hash]);
      return rows[0] ?? null;
    });
  }

  /** At a door that is not HTTP. Without the id of a configuration it is that of the key. */
  async enter(token: string, configurationId: string | undefined, from: Seen): Promise<Principal> {
    const principal = await this.holder(token, configurationId);
    if (principal) return principal;
    this.refused.note(token, from);
    throw unauthenticated('No key that is accepted here.');
  }

  /** Null: the key opens nothing. */
  async holder(token: string, configurationId: string | undefined): Promise<Principal | null> {
    if (tokenKind(token) !== 'a2a') return null;
    const row = await this.keys.ask({ hash: hashToken(token) });
    if (!row) return null;
    refuseElsewhere(row, configurationId ?? row.configurationId);
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
