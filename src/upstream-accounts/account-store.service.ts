import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Connection } from '../connections/connection.entity.js';
import { connectionsTopic } from '../connections/connections.events.js';
import { CredentialRemovalHookRegistry } from '../connections/credential-removal-hook-registry.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { AccountSealingService, type PendingAuthorization } from './account-sealing.service.js';
import { deleteAccount, deleteAccountsOfConnection, insertAccount, isListingAvailable } from './accounts.sql.js';
import type { TokenSet } from './authorization.js';
import { deleteAuthorizationsOfConnection } from './authorizations.sql.js';

/** Stores the accounts that people connect, and deletes them together with the credentials of their connection. */
@Injectable()
export class AccountStore implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly accountSealing: AccountSealingService,
    private readonly credentialRemovalHookRegistry: CredentialRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.credentialRemovalHookRegistry.register((tx, tenantId, connectionId) =>
      this.deleteAllOfConnection(tx, tenantId, connectionId),
    );
  }

  /** Replaces an earlier account of the person. Returns whether this one is used to list the connection's tools. */
  store(
    person: Principal & { memberId: string },
    { id, name }: Connection,
    { address, standing }: PendingAuthorization,
    tokens: TokenSet,
  ): Promise<boolean> {
    const { tenantId, memberId } = person;
    const { issuer } = standing.server;
    return this.database.tenant(person, async (tx) => {
      const [{ isFree }] = await tx.run(isListingAvailable, [tenantId, id, memberId]);
      const listsTools = isFree && person.permissions.has('connections:manage');
      // not revoked at the server: some servers would end the new grant together with the old one
      await tx.execute(deleteAccount, [tenantId, id, memberId]);
      const accountId = newId();
      const sealed = this.accountSealing.accounts.seal({ standing, tokens }, accountId);
      await tx.execute(insertAccount, [
        tenantId,
        id,
        memberId,
        accountId,
        address,
        issuer,
        tokens.scope ?? null,
        listsTools,
        sealed,
        tokens.expiresAt,
      ]);
      await this.audit.record(tx, person, {
        kind: 'account.connected',
        subject: { type: 'connection', id, name },
        detail: { issuer, scope: tokens.scope, listsTools },
      });
      tx.afterCommit(() => this.wakeupChannel.publish(connectionsTopic, id));
      return listsTools;
    });
  }

  private async deleteAllOfConnection(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await tx.execute(deleteAccountsOfConnection, [tenantId, connectionId]);
    for (const deletion of deleteAuthorizationsOfConnection) await tx.execute(deletion, [tenantId, connectionId]);
  }
}
