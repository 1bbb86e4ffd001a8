import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../access/tenants.service.js';
import { Config } from '../../platform/config/config.js';
import { isPersonal } from '../accounts/account-settings.js';
import { PersonalAccounts, type OpenAccount } from '../accounts/personal-accounts.service.js';
import type { ConnectionContext } from '../connection-kinds.service.js';
import { NotSent } from '../connections.error.js';
import type { McpTarget } from './mcp-target.js';

export const usualTimeoutSeconds = 60;

/** Where a connection leads and with which credential, as its settings and secrets say now. */
@Injectable()
export class McpTargets {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsService,
    private readonly accounts: PersonalAccounts,
  ) {}

  /** For whom it is done: a call, or what one person is shown. */
  async of(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings, member } = context;
    return isPersonal(settings) ? personal(context, await this.accounts.of(connection, member)) : this.shared(context);
  }

  /** For what is found out for everybody: that it answers, and which tools it offers. */
  async forListing(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings } = context;
    return isPersonal(settings) ? personal(context, await this.accounts.forListing(connection)) : this.shared(context);
  }

  private async shared(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings, secret } = context;
    const key = keyOf(context);
    const timeoutMs = timeoutOf(context);
    if (settings.command) {
      const command = this.config.stdioCommands.find(({ name }) => name === settings.command);
      if (!command)
        throw new NotSent(`The operator’s list of commands does not hold "${String(settings.command)}" (any more).`);
      if (!(await this.tenants.findForSignIn()))
        throw new NotSent('Commands on this machine cannot be used while it serves more than one organization.');
      return { key, tenantId: connection.tenantId, connectionId: connection.id, at: { command }, timeoutMs };
    }
    const token = secret('token');
    const header = String(settings.header ?? 'authorization').toLowerCase();
    const headers: Record<string, string> =
      token === undefined
        ? {}
        : { [header]: header === 'authorization' && !/^\S+ \S/.test(token) ? `Bearer ${token}` : token };
    return {
      key,
      tenantId: connection.tenantId,
      connectionId: connection.id,
      at: { url: new URL(String(settings.url)), headers },
      timeoutMs,
    };
  }
}

/** Nothing but the account: no token of the connection, and a client of its own. */
const personal = (context: ConnectionContext, { id, through }: OpenAccount): McpTarget => ({
  key: `${keyOf(context)}/${id}`,
  tenantId: context.connection.tenantId,
  connectionId: context.connection.id,
  at: { url: new URL(String(context.settings.url)), headers: {}, through },
  timeoutMs: timeoutOf(context),
});

const keyOf = ({ connection: { tenantId, id, revision } }: ConnectionContext) => `${tenantId}/${id}/${revision}`;
const timeoutOf = ({ settings }: ConnectionContext) => Number(settings.timeoutSeconds ?? usualTimeoutSeconds) * 1000;
