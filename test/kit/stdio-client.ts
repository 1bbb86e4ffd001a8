import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { existsSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { UpstreamCall, upstreamCalls } from '../../src/mcp-client/upstream-call.js';
import type { StdioCommand } from '../../src/mcp-client/stdio/stdio-session.js';
import type { StdioCommandsService } from '../../src/mcp-client/stdio/stdio-commands.service.js';
import { StdioTransport } from '../../src/mcp-client/stdio/stdio-transport.js';

/** An SDK client on our stdio transport. */
export async function stdioClient(
  commands: Pick<StdioCommandsService, 'open'>,
  command: StdioCommand,
  capabilities: ClientCapabilities = {},
  patienceMs = 20_000,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StdioTransport(command, commands, patienceMs));
  return client;
}

/** The outcome of a call, and whether its tracker reports it as sent. */
export async function callStdioTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: object = {},
) {
  const journey = new UpstreamCall();
  const outcome: unknown = await upstreamCalls
    .run(journey, () => client.callTool({ name, arguments: args }, options))
    .catch((error: unknown) => error);
  await journey.settling;
  return { outcome, isSent: journey.isSent };
}

/** Starts a call, and returns once the command is running it. */
export async function startStdioCall(client: Client, name: string, args: Record<string, unknown> = {}) {
  const running = Promise.withResolvers<void>();
  const caller = new AbortController();
  const call = callStdioTool(client, name, args, { signal: caller.signal, onprogress: () => running.resolve() });
  await Promise.race([running.promise, call]);
  return { ended: call, cancel: () => caller.abort() };
}

export const pidOf = async (client: Client) =>
  ((await client.callTool({ name: 'environment' })).structuredContent as { pid: number }).pid;
export const isRunning = (pid: number) => existsSync(`/proc/${pid}`);
export async function waitForProcessExit(...pids: number[]): Promise<void> {
  while (pids.some(isRunning)) await rest(20);
}
