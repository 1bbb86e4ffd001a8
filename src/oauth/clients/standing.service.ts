import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { over, paused, Recheck, type Stop } from '../../access/recheck.service.js';
import { type Holder, RefusedCredentials } from '../../access/refused-credentials.service.js';
import { Database } from '../../platform/database/database.service.js';
import { oneRow } from '../../platform/database/one-row.js';
import type { Principal } from '../../principal/principal.js';
import { holderOfAccessToken, holderOfClientSecret, holderOfRefreshToken } from './holders.system.sql.js';
import { type ClientStanding, clientStanding } from './standing.sql.js';

/** Tells the rooms below, which do not know products, whether one may still act and whose its credentials are. */
@Injectable()
export class StandingService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly recheck: Recheck,
    private readonly refused: RefusedCredentials,
  ) {}

  onModuleInit(): void {
    this.recheck.register('oauth', (principal, tx) => this.whyUnusable(principal, tx));
    for (const kind of ['api', 'mcp', 'cli'] as const)
      this.refused.register(kind, (hash) => this.find(holderOfAccessToken, hash));
    this.refused.register('ref', (hash) => this.find(holderOfRefreshToken, hash));
    this.refused.register('sec', (hash) => this.find(holderOfClientSecret, hash));
  }

  /** What holds when something that was asked for through a product runs, perhaps hours later. */
  private async whyUnusable(principal: Principal, tx: EntityManager): Promise<Stop | null> {
    const { tenantId, clientId, memberId, grantId = null } = principal;
    const found = await oneRow<ClientStanding>(tx, clientStanding, [tenantId, clientId, memberId, grantId]);
    if (!found || found.isRevoked) return over('the product was revoked');
    if (!found.isGranted) return over('the product is not connected any more');
    return found.isDisabled ? paused('the product is paused') : null;
  }

  private async find(sql: string, hash: Buffer): Promise<Holder | null> {
    const { rows } = await this.database.systemPool.query<Holder>(sql, [hash]);
    return rows[0] ?? null;
  }
}
