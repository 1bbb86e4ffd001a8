import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  permanentFailure,
  temporaryFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from '../../access/credential-revalidation.service.js';
import { RefusedCredentialsService } from '../../access/refused-credentials.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { holderOfAccessToken, holderOfClientSecret, holderOfRefreshToken } from './credential-holders.system.sql.js';
import { selectClientValidity, selectDeviceValidity } from './client-validity.sql.js';

/** Lets modules that do not depend on products check whether a product may still act and who holds a credential. */
@Injectable()
export class ClientRevalidationService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly refused: RefusedCredentialsService,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('oauth', (principal, tx) => this.revalidate(principal, tx));
    this.credentialRevalidation.register('cli', (principal, tx) => this.revalidateDevice(principal, tx));
    for (const kind of ['api', 'mcp', 'cli'] as const)
      this.refused.register(kind, (hash) => this.database.systemPool.one(holderOfAccessToken, [hash]));
    this.refused.register('ref', (hash) => this.database.systemPool.one(holderOfRefreshToken, [hash]));
    this.refused.register('sec', (hash) => this.database.systemPool.one(holderOfClientSecret, [hash]));
  }

  /** Checks the product when a call that it requested runs, possibly hours later. */
  private async revalidate(principal: Principal, tx: Tx): Promise<RevalidationFailure | null> {
    const { tenantId, clientId, memberId, grantId = null } = principal;
    const validity = await tx.one(selectClientValidity, [tenantId, clientId, memberId, grantId]);
    if (!validity || validity.isRevoked) return permanentFailure('the product was revoked');
    if (!validity.isGranted) return permanentFailure('the product is no longer connected');
    return validity.isDisabled ? temporaryFailure('the product is paused') : null;
  }

  private async revalidateDevice(
    { tenantId, keyId, memberId }: Principal,
    tx: Tx,
  ): Promise<RevalidationFailure | null> {
    const validity = await tx.one(selectDeviceValidity, [tenantId, keyId, memberId]);
    return validity?.isConnected ? null : permanentFailure('the terminal is no longer connected');
  }
}
