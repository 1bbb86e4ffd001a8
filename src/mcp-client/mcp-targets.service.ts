import { Injectable } from '@nestjs/common';
import { TenantsService } from '../access/tenants.service.js';
import { Config } from '../platform/config/config.js';
import { hasPersonalCredentials } from '../upstream-accounts/account-settings.port.js';
import { PersonalAccountsService, type AuthorizedAccount } from '../upstream-accounts/personal-accounts.service.js';
import type { ConnectionContext } from '../connections/connector-registry.service.js';
import { NotSent } from '../connections/connections.error.js';
import type { McpTarget } from './mcp-target.js';

export const defaultTimeoutSeconds = 60;

/** The endpoint and credential of a connection, according to its current settings and secrets. */
@Injectable()
export class McpTargetsService {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsService,
    private readonly accounts: PersonalAccountsService,
  ) {}

  /** For work on behalf of the caller: a call, or a list that is shown to one person. */
  async of(context: ConnectionContext): Promise<McpTarget> {
    const { connection, settings, member } = context;
    return hasPersonalCredentials(settings)
      ? personalTarget(context, await this.accounts.forMember(connection, member))
      : this.shared(context);
  }

  /** For work that concerns everyone: verification and the discovery of tools. */
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
        throw new NotSent(
          `The command "${String(settings.command)}" is not on the operator’s list. Choose another one or ask the operator to add it.`,
        );
      if (!(await this.tenants.findForSignIn()))
        throw new NotSent('Commands are not available on a server with more than one organization.');
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

/** Uses only the account: not the token of the connection, and a separate client. */
const personalTarget = (context: ConnectionContext, { id, wrapFetch }: AuthorizedAccount): McpTarget => ({
  key: `${targetKeyOf(context)}/${id}`,
  tenantId: context.connection.tenantId,
  connectionId: context.connection.id,
  endpoint: { url: new URL(String(context.settings.url)), headers: {}, wrapFetch },
  timeoutMs: timeoutMsOf(context),
});

const targetKeyOf = ({ connection: { tenantId, id, revision } }: ConnectionContext) => `${tenantId}/${id}/${revision}`;
const timeoutMsOf = ({ settings }: ConnectionContext) =>
  Number(settings.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
