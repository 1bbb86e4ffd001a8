import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { connectionNotFound } from '../connections/connections.error.js';
import { connectionsTopic } from '../connections/connections.events.js';
import {
  listAccountViews,
  type AccountView,
  deleteAccount,
  deleteAccountsOfMember,
  type DeletedAccount,
} from './accounts.sql.js';
import { revokeTokens } from './authorization.js';
import { ConnectionAudienceService } from '../connections/connection-audience.service.js';
import { oauthFetch } from './oauth-fetch.js';
import { AccountSealingService } from './account-sealing.service.js';

export type { AccountView } from './accounts.sql.js';

const revocationTimeoutMs = 10_000;

/** A person's own accounts at connected systems, as the person sees and disconnects them. */
@Injectable()
export class OwnAccountsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly log: LogService,
    private readonly accountSealing: AccountSealingService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    private readonly audience: ConnectionAudienceService,
  ) {}

  onModuleInit(): void {
    this.memberRemovalHookRegistry.register((tx, principal, memberId) =>
      this.deleteAllOfMember(tx, principal, memberId),
    );
  }

  /** The person's existing accounts, by connection name. */
  list(principal: Principal): Promise<AccountView[]> {
    return this.queryViews(principal, null);
  }

  /** Includes connections without an account, if the person may use them. */
  async get(principal: Principal, connectionId: string): Promise<AccountView> {
    const [view] = isUUID(connectionId) ? await this.listForConnections(principal, [connectionId]) : [];
    const isTheirs = view?.connectedAt || (await this.audience.includes(principal, connectionId));
    if (!view || !isTheirs) throw connectionNotFound('There is no such connection with personal credentials.');
    return view;
  }

  /** Those of these connections that use personal credentials, even if the person has no account yet. */
  listForConnections(principal: Principal, connectionIds: string[]): Promise<AccountView[]> {
    return this.queryViews(principal, connectionIds);
  }

  /** Destroys the tokens here at once, and revokes them at the server if it supports that. */
  async disconnect(principal: Principal, connectionId: string): Promise<void> {
    const { tenantId, memberId } = requireSession(principal);
    const { name } = await this.get(principal, connectionId);
    const deleted = await this.database.tenant(principal, async (tx) => {
      const row = await tx.one(deleteAccount, [tenantId, connectionId, memberId]);
      if (!row) return null; // already disconnected, in another window
      await this.audit.record(tx, principal, {
        kind: 'account.disconnected',
        subject: { type: 'connection', id: connectionId, name },
      });
      tx.afterCommit(() => this.wakeupChannel.publish(connectionsTopic, connectionId));
      return row;
    });
    if (deleted) await this.revoke(deleted);
  }

  /** Best effort: the account is already deleted here. */
  private async revoke({ id, sealed }: DeletedAccount): Promise<void> {
    if (!sealed) return;
    try {
      const { standing, tokens } = this.accountSealing.accounts.open(sealed, id);
      await revokeTokens(
        standing,
        tokens,
        oauthFetch(this.outboundHttpClient, AbortSignal.timeout(revocationTimeoutMs)),
      );
    } catch (error) {
      this.log.info({ err: error, accountId: id }, 'tokens could not be revoked at the authorization server');
    }
  }

  private async deleteAllOfMember(tx: Tx, { tenantId }: Principal, memberId: string): Promise<void> {
    const rows = await tx.run(deleteAccountsOfMember, [tenantId, memberId]);
    tx.afterCommit(() => {
      for (const row of rows) {
        this.wakeupChannel.publish(connectionsTopic, row.connectionId);
        void this.revoke(row);
      }
    });
  }

  private queryViews(principal: Principal, connectionIds: string[] | null): Promise<AccountView[]> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, (tx) => tx.run(listAccountViews, [tenantId, memberId, connectionIds]));
  }
}
