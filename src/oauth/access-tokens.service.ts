import { Injectable } from '@nestjs/common';
import { tenantPaused } from '../access/access.error.js';
import { hashToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Principal, AccessScope } from '../principal/principal.js';
import { accessTokensByHash, type AccessTokenRow } from './access-tokens.system.sql.js';

/** What an access token stands for now: its member, client, grant and organization are asked on every request. */
@Injectable()
export class AccessTokensService {
  /** Requests that come in together are decided by one statement; none by what an earlier one found. */
  private readonly rows = new Batcher<{ tenantId?: never; hash: Buffer }, AccessTokenRow | null>(async (_, asked) => {
    const { rows } = await this.database.systemPool.query<AccessTokenRow>({
      ...accessTokensByHash,
      values: [asked.map(({ hash }) => hash)],
    });
    const byHash = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
    return asked.map(({ hash }) => byHash.get(hash.toString('hex')) ?? null);
  });

  constructor(private readonly database: DatabaseService) {}

  /** Of a token whose kind has been told to be this surface's. */
  async principalOf(token: string, surface: 'api' | 'mcp'): Promise<Principal | false> {
    const row = await this.rows.submit({ hash: hashToken(token) });
    if (!row) return false;
    if (row.isTenantPaused) throw tenantPaused('Nothing is taken in while the organization is paused.');
    return principalOfToken(row, surface);
  }
}

/** The person, without what they may administer, through the client. */
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
