import { Injectable } from '@nestjs/common';
import { tenantPaused } from '../access/access.error.js';
import { hashToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Principal, AccessScope } from '../principal/principal.js';
import { cliTokensByHash, type CliTokenRow } from './access-tokens.system.sql.js';
import { cliClientId } from './client-facts.js';

/** Authenticates the access tokens of terminals. Every request checks the current state of the member and the device. */
@Injectable()
export class CliTokensService {
  /** Concurrent requests share one statement. Results are never cached, so a revocation applies to the next request. */
  private readonly rows = new Batcher<{ tenantId?: never; hash: Buffer }, CliTokenRow | null>(async (_, requests) => {
    const hashes = requests.map(({ hash }) => hash);
    const rows = await this.database.systemPool.run(cliTokensByHash, [hashes, cliClientId]);
    const byHash = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
    return requests.map(({ hash }) => byHash.get(hash.toString('hex')) ?? null);
  });

  constructor(private readonly database: DatabaseService) {}

  /** The caller has already checked the kind of the token. */
  async principalOf(token: string): Promise<Principal | false> {
    const row = await this.rows.submit({ hash: hashToken(token) });
    if (!row) return false;
    if (row.isTenantPaused) throw tenantPaused('The organization is paused and accepts no requests.');
    return terminalPrincipal(row);
  }
}

/** The member, without administrative permissions. The key is the device, so that limits and audit events name it. */
const terminalPrincipal = ({ tenantId, memberId, name, grantId, scope }: CliTokenRow): Principal => ({
  tenantId,
  kind: 'member',
  name,
  memberId,
  keyId: grantId,
  surface: 'cli',
  scopes: scope.split(' ') as AccessScope[],
  permissions: new Set(),
  chain: [{ kind: 'member', id: memberId, name }],
});
