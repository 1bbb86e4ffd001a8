import type { ChildProcess } from 'node:child_process';
import { setTimeout as rest } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { resident } from './resident.ts';

const revision = '2025-11-25';
const settleMs = 10_000;

/**
 * Memory of a server, in MB, for `count` clients of older revisions that have initialized and keep an idle stream open.
 */
export async function idleSessions(
  { url, token }: { url: string; token: string },
  server: ChildProcess,
  count: number,
): Promise<number> {
  const dispatcher = new Agent({ connections: null, pipelining: 1, bodyTimeout: 0 });
  const json = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = async (headers: Record<string, string>, message: object): Promise<string | undefined> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await request(url, { method: 'POST', headers: { ...json, ...headers }, body, dispatcher });
    await response.body.dump();
    if (response.statusCode >= 300) throw new Error(`${JSON.stringify(message)} returned ${response.statusCode}`);
    return response.headers['mcp-session-id'] as string | undefined;
  };
  const open = async () => {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const id = await post({}, { id: 1, method: 'initialize', params });
    if (!id) throw new Error('no session was opened');
    const session = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
    await post(session, { method: 'notifications/initialized' });
    const headers = { ...json, ...session, accept: 'text/event-stream' };
    const { statusCode, body } = await request(url, { headers, dispatcher });
    if (statusCode !== 200) throw new Error(`opening the stream of a session returned ${statusCode}`);
    body.on('error', () => {}); // ends with the agent
  };
  await rest(settleMs); // lets the garbage of earlier work be collected
  const before = await resident(server);
  for (let opened = 0; opened < count; opened += 20) await Promise.all(Array.from({ length: 20 }, open));
  await rest(settleMs);
  const after = await resident(server);
  await dispatcher.destroy();
  return after - before;
}
