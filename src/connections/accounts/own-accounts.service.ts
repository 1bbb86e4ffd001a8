import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { Departures } from '../../access/departures.service.js';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { afterCommit, Database } from '../../platform/database/database.service.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Outgoing } from '../../platform/http/outgoing.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { connectionNotFound } from '../connections.error.js';
import { connectionsTopic } from '../topics.js';
import { accountsOf, type AccountView, dropAccount, dropAccountsOf } from './accounts.sql.js';
import { revoke } from './authorization.js';
import { ConnectionAudience } from './connection-audience.service.js';
import { oauthFetch } from './oauth-fetch.js';
import { Vault } from './vault.service.js';

export type { AccountView } from './accounts.sql.js';

interface Dropped {
  id: string;
  sealed: Buffer | null;
}

const revocationMs = 10_000;

/** A person's own accounts at connected systems, as the person sees and ends them. */
@Injectable()
export class OwnAccounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly wakes: Wakes,
    private readonly outgoing: Outgoing,
    private readonly log: Log,
    private readonly vault: Vault,
    private readonly departures: Departures,
    private readonly audience: ConnectionAudience,
  ) {}

  onModuleInit(): void {
    this.departures.on((tx, principal, memberId) => this.dropAllOf(tx, principal, memberId));
  }

  /** Those that there are, by the names of their connections. */
  list(principal: Principal): Promise<AccountView[]> {
    return this.views(principal, null);
  }

  /** Also where there is none yet, of connections that the person may use. */
  async get(principal: Principal, connectionId: string): Promise<AccountView> {
    const [view] = isUUID(connectionId) ? await this.among(principal, [connectionId]) : [];
    const isTheirs = view?.connectedAt || (await this.audience.includes(principal, connectionId));
    if (!view || !isTheirs)
      throw connectionNotFound('There is no such connection that is used with accounts of people’s own.');
    return view;
  }

  /** Those of these connections that are used with accounts of people's own, also where the person has none yet. */
  among(principal: Principal, connectionIds: string[]): Promise<AccountView[]> {
    return this.views(principal, connectionIds);
  }

  /** Its tokens are destroyed here at once, and revoked over there as far as the server lets us. */
  async disconnect(principal: Principal, connectionId: string): Promise<void> {
    const { tenantId, memberId } = requireSession(principal);
    const { name } = await this.get(principal, connectionId);
    const dropped = await this.database.tenant(principal, async (tx) => {
      const [[row]] = await tx.query<[Dropped[], number]>(dropAccount, [tenantId, connectionId, memberId]);
      if (!row) return null; // disconnected already, in another window
      await this.audit.record(tx, principal, {
        kind: 'account.disconnected',
        subject: { type: 'connection', id: connectionId, name },
      });
      afterCommit(tx, () => this.wakes.send(connectionsTopic, connectionId));
      return row;
    });
    if (dropped) await this.revoke(dropped);
  }

  /** Best effort: what it was for us is gone already. */
  private async revoke({ id, sealed }: Dropped): Promise<void> {
    if (!sealed) return;
    try {
      const { standing, tokens } = this.vault.accounts.open(sealed, id);
      await revoke(standing, tokens, oauthFetch(this.outgoing, AbortSignal.timeout(revocationMs)));
    } catch (error) {
      this.log.info({ err: error, accountId: id }, 'an authorization server was not told that an account ended');
    }
  }

  private async dropAllOf(tx: EntityManager, { tenantId }: Principal, memberId: string): Promise<void> {
    type Row = Dropped & { connectionId: string };
    const [rows] = await tx.query<[Row[], number]>(dropAccountsOf, [tenantId, memberId]);
    afterCommit(tx, () => {
      for (const row of rows) {
        this.wakes.send(connectionsTopic, row.connectionId);
        void this.revoke(row);
      }
    });
  }

  private views(principal: Principal, connectionIds: string[] | null): Promise<AccountView[]> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, (tx) =>
      tx.query<AccountView[]>(accountsOf, [tenantId, memberId, connectionIds]),
    );
  }
}
