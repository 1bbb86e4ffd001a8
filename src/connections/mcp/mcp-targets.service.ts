import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../access/tenants.service.js';
import { Config } from '../../platform/config/config.js';
import { hasPersonalCredentials } from '../accounts/account-settings.js';
import { PersonalAccountsService, type AuthorizedAccount } from '../accounts/personal-accounts.service.js';
import type { ConnectionContext } from '../connector-registry.service.js';
import { NotSent } from '../connections.error.js';
import type { McpTarget } from './mcp-target.js';

export const defaultTimeoutSeconds = 60;

/** Where a connection leads and with which credential, as its settings and secrets say now. */
@Injectable()
export class McpTargetsService {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsService,
    private readonly accounts: PersonalAccountsService,
  ) {}

  /** For whom it is done: a call, or what one person is shown. */
  async of(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings, member } = context;
    return hasPersonalCredentials(settings)
      ? personalTarget(context, await this.accounts.forMember(connection, member))
      : this.shared(context);
  }

  /** For what is found out for everybody: that it answers, and which tools it offers. */
  async forListing(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings } = context;
    return hasPersonalCredentials(settings)
      ? personalTarget(context, await this.accounts.forListing(connection))
      : this.shared(context);
  }

  private async shared(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings, secret } = context;
    const key = targetKeyOf(context);
    const timeoutMs = timeoutMsOf(context);
    if (settings.command) {
      const command = this.config.stdioCommands.find(({ name }) => name === settings.command);
      if (!command)
        throw new NotSent(`The operator’s list of commands does not hold "${String(settings.command)}" (any more).`);
      if (!(await this.tenants.findForSignIn()))
        throw new NotSent('Commands on this machine cannot be used while it serves more than one organization.');
      return { key, tenantId: connection.tenantId, connectionId: connection.id, endpoint: { command }, timeoutMs };
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
      endpoint: { url: new URL(String(settings.url)), headers },
      timeoutMs,
    };
  }
}

/** Nothing but the account: no token of the connection, and a client of its own. */
const personalTarget = (context: ConnectionContext, { id, wrapFetch: wrapFetch }: AuthorizedAccount): McpTarget => ({
  key: `${targetKeyOf(context)}/${id}`,
  tenantId: context.connection.tenantId,
  connectionId: context.connection.id,
  endpoint: { url: new URL(String(context.settings.url)), headers: {}, wrapFetch: wrapFetch },
  timeoutMs: timeoutMsOf(context),
});

const targetKeyOf = ({ connection: { tenantId, id, revision } }: ConnectionContext) => `${tenantId}/${id}/${revision}`;
const timeoutMsOf = ({ settings }: ConnectionContext) =>
  Number(settings.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
