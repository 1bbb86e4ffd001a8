import type { Terminal } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { plainText } from '../terminal/plain-text.js';
import { tableLines } from '../terminal/table.js';

export async function whoami({ output, server }: CommandContext): Promise<void> {
  const client = await server();
  const terminal = await client.getJson<Terminal>('/cli/whoami');
  const { member, organization, device, scopes } = terminal;
  const rows = [
    ['You', `${plainText(member.name)} (${plainText(member.email)})`],
    ['Organization', plainText(organization.name)],
    ['Server', client.baseUrl],
    ['Access', scopes.includes('api:write') ? 'read and write' : 'read only'],
    ['Connected', `${device.connectedAt.slice(0, 10)}; expires on ${device.expiresAt.slice(0, 10)} if it is not used`],
  ];
  for (const line of tableLines(rows.map(([name, value]) => [output.color('dim', name), value]))) output.line(line);
  output.json({ server: client.baseUrl, ...terminal });
}
