import { Injectable, type OnModuleInit } from '@nestjs/common';
import { tenantPaused } from '../access/access.error.js';
import { RefusedCredentialsService, type RefusalOrigin } from '../access/refused-credentials.service.js';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { unauthenticated } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { holderOfA2aKey, a2aKeyByToken, type A2aKeyRow } from './a2a-keys.system.sql.js';
import { agentUnattended, configurationNotFound, keyPaused } from './configurations.error.js';

/** Authenticates A2A keys over HTTP and gRPC. */
@Injectable()
export class A2aKeyAuthenticator implements OnModuleInit {
  /** Concurrent requests share one statement. Results are never cached, so a revocation applies to the next request. */
  private readonly keyBatcher = new Batcher<{ tenantId?: never; hash: Buffer }, A2aKeyRow | null>(
    async (_, requests) => {
      const rows = await this.database.systemPool.run(a2aKeyByToken, [requests.map(({ hash }) => hash)]);
      const byHash = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
      return requests.map(({ hash }) => byHash.get(hash.toString('hex')) ?? null);
    },
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly refused: RefusedCredentialsService,
  ) {}

  onModuleInit(): void {
    this.refused.register('a2a', (hash) => this.database.systemPool.one(holderOfA2aKey, [hash]));
  }

  /** For protocols other than HTTP. Without a configuration id, the configuration of the key applies. */
  async authenticate(token: string, configurationId: string | undefined, from: RefusalOrigin): Promise<Principal> {
    const principal = await this.findPrincipal(token, configurationId);
    if (principal) return principal;
    this.refused.recordRefusal(token, from);
    throw unauthenticated('The key is missing or not accepted.');
  }

  /** Returns null for an unknown, expired or revoked key. */
  async findPrincipal(token: string, configurationId: string | undefined): Promise<Principal | null> {
    if (tokenKind(token) !== 'a2a') return null;
    const row = await this.keyBatcher.submit({ hash: hashToken(token) });
    if (!row) return null;
    refuseOtherConfiguration(row, configurationId ?? row.configurationId);
    refuseUnusableKey(row);
    return agentPrincipal(row);
  }
}

/** The error is the same for another configuration and for one that does not exist. */
function refuseOtherConfiguration({ configurationId }: A2aKeyRow, requestedId: unknown): void {
  if (configurationId !== requestedId)
    throw configurationNotFound('This key cannot use a configuration at this address.');
}

/** Does not check the pause of a configuration: it still accepts tasks, which wait. */
function refuseUnusableKey({ isTenantPaused, isPaused, isAttended }: A2aKeyRow): void {
  if (isTenantPaused) throw tenantPaused('The organization is paused and accepts no requests.');
  if (!isAttended) throw agentUnattended('The member responsible for this agent is not active.');
  if (isPaused) throw keyPaused('An administrator has paused this key or its agent.');
}

const agentPrincipal = ({ tenantId, agentId, agent, configurationId, keyId }: A2aKeyRow): Principal => ({
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
