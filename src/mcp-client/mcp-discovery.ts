import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { DiscoveredTool } from '../connections/connector-registry.service.js';
import type { McpTarget } from './mcp-target.js';
import { protocolOperationsOf } from './mcp-operations.js';

/** Everything that can be called on a server: its tools, and the operations that the protocol defines. */
export async function discoverMcpTools(
  client: Client,
  target: McpTarget,
  signal: AbortSignal,
): Promise<DiscoveredTool[]> {
  const capabilities = client.getServerCapabilities() ?? {};
  const server = {
    name: client.getServerVersion()?.name ?? '',
    at: 'command' in target.endpoint ? target.endpoint.command.name : target.endpoint.url.origin,
  };
  const operations = protocolOperationsOf(capabilities, server);
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
