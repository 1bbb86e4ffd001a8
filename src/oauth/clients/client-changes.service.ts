import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CredentialHolderRegistry } from '../../access/credential-holder-registry.service.js';
import { AccessChangeNotifier } from '../../access/independence/access-change-notifier.service.js';
import { newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { type ClientChange, insertClientChange, membersWhoChangedClient } from './client-changes.sql.js';

/**
 * Records who could use the grants of a client: people who registered it, changed its redirect URIs, or saw a secret.
 * The record is permanent, because an earlier secret or redirect URI may have delivered a token that is still valid.
 */
@Injectable()
export class ClientChangesService implements OnModuleInit {
  constructor(
    private readonly holders: CredentialHolderRegistry,
    private readonly changes: AccessChangeNotifier,
  ) {}

  onModuleInit(): void {
    this.holders.register('client', async (tx, tenantId, id) => {
      const rows = await tx.run(membersWhoChangedClient, [tenantId, id]);
      return rows.map(({ changedBy }) => changedBy);
    });
  }

  async record(tx: Tx, { tenantId, memberId }: Principal, client: string, change: ClientChange): Promise<void> {
    if (memberId) await tx.execute(insertClientChange, [tenantId, newId(), client, change, memberId]);
    await this.changes.publish(tx, tenantId);
  }
}
