import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CredentialHolderRegistry } from '../../access/credential-holder-registry.service.js';
import { AccessChangeNotifier } from '../../access/independence/access-change-notifier.service.js';
import { newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';

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
      const rows = await tx.query<{ changedBy: string }[]>(
        'select distinct changed_by as "changedBy" from oauth_client_changes where tenant_id = $1 and client = $2',
        [tenantId, id],
      );
      return rows.map(({ changedBy }) => changedBy);
    });
  }

  async record(
    tx: Tx,
    { tenantId, memberId }: Principal,
    client: string,
    change: 'registered' | 'updated' | 'secret_shown',
  ): Promise<void> {
    if (memberId)
      await tx.query(
        `insert into oauth_client_changes (tenant_id, id, client, change, changed_by, at)
         values ($1, $2, $3, $4, $5, clock_timestamp())`,
        [tenantId, newId(), client, change, memberId],
      );
    await this.changes.publish(tx, tenantId);
  }
}
