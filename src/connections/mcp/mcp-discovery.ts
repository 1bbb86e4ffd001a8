import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { DiscoveredTool } from '../connection-kinds.service.js';
import type { McpTarget } from './mcp-target.js';
import { operationsOf } from './mcp-operations.js';

/** Everything that may be asked of a server: its own tools, and what the protocol itself defines. */
export async function discover(client: Client, target: McpTarget, signal: AbortSignal): Promise<DiscoveredTool[]> {
  const capabilities = client.getServerCapabilities() ?? {};
  const server = {
    name: client.getServerVersion()?.name ?? '',
    at: 'command' in target.at ? target.at.command.name : target.at.url.origin,
  };
  const operations = operationsOf(capabilities, server);
  if (!capabilities.tools) return operations;
  const options = { signal, timeout: target.timeoutMs, cacheMode: 'refresh' } as const;
  const { tools } = await client.listTools(undefined, options);
  return [
    ...operations,
    ...tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
      name,
      title: title ?? annotations?.title,
      description,
      inputSchema: inputSchema as JsonObject,
      outputSchema: outputSchema as JsonObject | undefined,
      annotations: annotations as JsonObject | undefined,
      server,
    })),
  ];
}
