import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import type { InvalidField } from '../platform/errors/problem.js';
import {
  ConnectorRegistry,
  type ConnectionContext,
  type ConnectorField,
  type Connector,
  type DiscoveredTool,
  type ResourceFollower,
  type Listings,
  type ConnectorCall,
  type Verification,
} from '../connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../connections/knowledge-source.port.js';
import { accountFaults, accountFields } from '../upstream-accounts/account-settings.port.js';
import type { ToolResult } from '../connections/tools.service.js';
import { McpCatalogueService } from './mcp-catalogue.service.js';
import { McpClientPool } from './mcp-client-pool.service.js';
import { discoverMcpTools } from './mcp-discovery.js';
import { McpExecutionService } from './mcp-execution.service.js';
import { callFailure, explainMcpFailure } from './mcp-failures.js';
import { McpKnowledgeService } from './mcp-knowledge.service.js';
import { McpTargetsService, defaultTimeoutSeconds } from './mcp-targets.service.js';
import { StdioCommandsService } from './stdio/stdio-commands.service.js';

/**
 * Connects to any server that speaks the Model Context Protocol: over HTTP, or as a command that the operator has
 * listed.
 */
@Injectable()
export class McpConnector implements Connector, OnModuleInit {
  readonly id = 'mcp';
  readonly title = 'MCP server';
  readonly about = 'Any server that speaks the Model Context Protocol: tickets, chat, calendars, your own systems.';
  readonly setUp =
    'Enter the address of the server’s MCP endpoint (often ending in /mcp) and, if the server requires one, the token of an account with no more rights than agents should have. ' +
    'The server’s tools appear after you save. Each counts as a write until you confirm that it only reads. ' +
    'If people should use their own accounts, choose personal credentials and then connect your own account as an administrator, so that the tools can be listed. ' +
    'You can also choose a server that runs as a command on this machine, if the operator has listed it.';
  readonly fields: readonly ConnectorField[];
  readonly offers = ['tools', 'knowledge'] as const;
  readonly pullCadence = '15m';

  constructor(
    config: Config,
    private readonly connectors: ConnectorRegistry,
    private readonly clients: McpClientPool,
    private readonly targets: McpTargetsService,
    private readonly execution: McpExecutionService,
    private readonly catalogue: McpCatalogueService,
    private readonly knowledge: McpKnowledgeService,
    private readonly commands: StdioCommandsService,
  ) {
    this.fields = [
      { name: 'url', label: 'Address', type: 'url', required: false, help: 'For example https://mcp.example.com/mcp' },
      {
        name: 'token',
        label: 'Token',
        type: 'secret',
        required: false,
        help: 'Sent as "Authorization: Bearer …" unless you name another header.',
      },
      {
        name: 'header',
        label: 'Token header',
        type: 'text',
        required: false,
        help: 'For servers that expect the token in another header, such as X-Api-Key.',
      },
      ...accountFields,
      {
        name: 'command',
        label: 'Command',
        type: 'choice',
        required: false,
        help: 'A server on this machine from the operator’s list, instead of an address.',
        options: config.stdioCommands.map(({ name }) => name),
        isTarget: true,
      },
      {
        name: 'timeoutSeconds',
        label: 'Response timeout',
        type: 'number',
        required: false,
        help: `Seconds to wait for a response, at most 300. Default: ${defaultTimeoutSeconds}.`,
      },
      {
        name: 'groups',
        label: 'Limit to groups',
        type: 'list',
        required: false,
        help: 'Names of groups that may read its resources as knowledge. Leave empty for everyone who can use a configuration with this integration.',
      },
    ];
  }

  onModuleInit(): void {
    this.connectors.register(this);
  }

  check(settings: Record<string, unknown>): InvalidField[] {
    const { url, command, header, timeoutSeconds } = settings;
    const faults = accountFaults(settings);
    if (!url === !command)
      faults.push({ pointer: '/settings/url', detail: 'requires either an address or a command, not both' });
    if (
      header !== undefined &&
      (!/^[A-Za-z][A-Za-z0-9-]{0,60}$/.test(String(header)) || isProtocolHeader(String(header)))
    )
      faults.push({ pointer: '/settings/header', detail: 'must be the name of a header that can carry a token' });
    if (typeof timeoutSeconds === 'number' && (timeoutSeconds < 1 || timeoutSeconds > 300)) {
      faults.push({ pointer: '/settings/timeoutSeconds', detail: 'must be between 1 and 300' });
    }
    return faults;
  }

  async verify(context: ConnectionContext): Promise<Verification> {
    try {
      const target = await this.targets.forListing(context);
      return await this.clients.use(target, context.signal, async (client, signal) => {
        const offers = client.getServerCapabilities() ?? {};
        const options = { signal, timeout: target.timeoutMs, cacheMode: 'refresh' } as const;
        const tools = offers.tools ? (await client.listTools(undefined, options)).tools : [];
        if (!tools.length && !offers.resources && !offers.prompts)
          return { status: 'limited', reason: 'The server offers no tools, no resources and no prompts.' };
        return { status: 'connected' };
      });
    } catch (error) {
      return { status: 'failed', reason: explainMcpFailure(error) };
    }
  }

  async tools(context: ConnectionContext): Promise<DiscoveredTool[]> {
    const target = await this.targets.forListing(context);
    try {
      return await this.clients.use(target, context.signal, (client, signal) =>
        discoverMcpTools(client, target, signal),
      );
    } catch (error) {
      throw callFailure(error, false);
    }
  }

  execute(context: ConnectionContext, call: ConnectorCall): Promise<ToolResult> {
    return this.execution.execute(context, call);
  }

  async list<L extends keyof Listings>(context: ConnectionContext, listing: L): Promise<Listings[L][]> {
    return this.catalogue.list(await this.targets.of(context), listing, context.signal);
  }

  async follow(context: ConnectionContext, uri: string, follower: ResourceFollower): Promise<void> {
    return this.catalogue.follow(await this.targets.of(context), uri, follower, context.signal);
  }

  documents(context: DocumentsContext): AsyncGenerator<SourceDocument> {
    return this.knowledge.documents(context);
  }

  /** Clients first: their last calls may still need a command. */
  async close(): Promise<void> {
    await this.clients.closeAll();
    await this.commands.endAll();
  }
}

/** Headers that the protocol or the HTTP client sets. */
const isProtocolHeader = (header: string) =>
  /^(host|connection|accept|te|upgrade|expect|transfer-encoding|content-.*|mcp-.*|last-event-id|traceparent|tracestate)$/i.test(
    header,
  );
