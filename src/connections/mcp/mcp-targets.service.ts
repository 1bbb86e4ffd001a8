import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../access/tenants.service.js';
import { Config } from '../../platform/config/config.js';
import type { ConnectionContext } from '../connection-kinds.service.js';
import type { McpTarget } from './mcp-clients.service.js';

export const usualTimeoutSeconds = 60;

/** Where a connection leads and with which credential, as its settings and secrets say now. */
@Injectable()
export class McpTargets {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsService,
  ) {}

  async of({ connection, settings, secret }: ConnectionContext): Promise<McpTarget> {
    const key = `${connection.tenantId}/${connection.id}/${connection.revision}`;
    const timeoutMs = Number(settings.timeoutSeconds ?? usualTimeoutSeconds) * 1000;
    if (settings.command) {
      const command = this.config.stdioCommands.find(({ name }) => name === settings.command);
      if (!command)
        throw new Error(`The operator’s list of commands does not hold "${String(settings.command)}" (any more).`);
      if (!(await this.tenants.findForSignIn()))
        throw new Error('Commands on this machine cannot be used while it serves more than one organization.');
      return { key, connectionId: connection.id, at: { command }, timeoutMs };
    }
    const token = secret('token');
    const header = String(settings.header ?? 'authorization').toLowerCase();
    const headers: Record<string, string> =
      token === undefined
        ? {}
        : { [header]: header === 'authorization' && !/^\S+ \S/.test(token) ? `Bearer ${token}` : token };
    return { key, connectionId: connection.id, at: { url: new URL(String(settings.url)), headers }, timeoutMs };
  }
}
