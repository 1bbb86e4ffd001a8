import { Injectable } from '@nestjs/common';
import { tenantPaused } from '../access/access.error.js';
import { hashToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Principal, AccessScope } from '../principal/principal.js';
import { accessTokensByHash, type AccessTokenRow } from './access-tokens.system.sql.js';

/**
 * Authenticates access tokens. Every request checks the current state of the member, client, grant and organization.
 */
@Injectable()
export class AccessTokensService {
  /** Concurrent requests share one statement. Results are never cached, so a revocation applies to the next request. */
  private readonly rows = new Batcher<{ tenantId?: never; hash: Buffer }, AccessTokenRow | null>(
    async (_, requests) => {
      const rows = await this.database.systemPool.run(accessTokensByHash, [requests.map(({ hash }) => hash)]);
      const byHash = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
      return requests.map(({ hash }) => byHash.get(hash.toString('hex')) ?? null);
    },
  );

  constructor(private readonly database: DatabaseService) {}

  /** The caller has already checked that the kind of the token belongs to this surface. */
  async principalOf(token: string, surface: 'api' | 'mcp'): Promise<Principal | false> {
    const row = await this.rows.submit({ hash: hashToken(token) });
    if (!row) return false;
    if (row.isTenantPaused) throw tenantPaused('The organization is paused and accepts no requests.');
    return principalOfToken(row, surface);
  }
}

/** The member acting through the client, without the member's administrative permissions. */
function principalOfToken(row: AccessTokenRow, surface: 'api' | 'mcp'): Principal {
  const { tenantId, memberId, name, clientId, client, grantId, scope, configurationId } = row;
  return {
    tenantId,
    kind: 'member',
    name,
    memberId,
    clientId,
    grantId,
    ...(configurationId ? { configurationId } : {}),
    surface,
    scopes: scope.split(' ') as AccessScope[],
    permissions: new Set(),
    chain: [
      { kind: 'member', id: memberId, name },
      { kind: 'client', id: clientId, name: client },
    ],
  };
}
