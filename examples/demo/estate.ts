import { randomBytes } from 'node:crypto';
import type { Browser } from './browser.ts';
import { stallOf } from './progress.ts';

export interface Estate {
  files: number;
  findings: number;
  byRule: Record<string, number>;
  worst: Finding;
}
interface Finding {
  rule: string;
  severity: string;
  path: string | null;
  serverName: string | null;
  reason: string;
  fix: string;
}
interface Device {
  device: string;
  platform: string;
  owner: string;
  files: { path: string; content: string }[];
}
type Say = (line: string) => void;

/** What a script of the device management finds on two laptops. The secret is made up anew each time. */
function devices(): Device[] {
  const token = ['ghp', randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')].join('_');
  const tickets = { url: 'https://tickets.larkmoor.example/mcp' };
  const wiki = { command: 'npx', args: ['-y', 'larkmoor-wiki-mcp@2.4.1'] };
  return [
    {
      device: 'LRK-0117',
      platform: 'macos',
      owner: 'ada@larkmoor.example',
      files: [
        file('/Users/ada/.cursor/mcp.json', {
          tickets,
          wiki,
          github: { command: 'npx', args: ['-y', '@example/github-mcp'], env: { GITHUB_TOKEN: token } },
        }),
        file('/Users/ada/work/line-3/.cursor/mcp.json', {
          wiki: { command: 'node', args: ['./tools/wiki.js'] },
        }),
      ],
    },
    {
      device: 'LRK-0142',
      platform: 'linux',
      owner: 'grace@larkmoor.example',
      files: [
        file('/home/grace/.cursor/mcp.json', {
          tickets,
          bridge: { command: 'npx', args: ['-y', 'mcp-remote@0.1.12', 'https://warehouse.larkmoor.example/mcp'] },
          files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@2025.8.21', '/'] },
        }),
      ],
    },
  ];
}

const file = (path: string, mcpServers: object) => ({ path, content: JSON.stringify({ mcpServers }, null, 2) });

/** Makes a key that may upload and read nothing, and uploads with it, as examples/estate-upload.sh does on a device. */
export async function uploadEstate(ada: Browser, baseUrl: string, say: Say): Promise<string> {
  const { createTenantKey } = await ada.graphql<{ createTenantKey: { key: string } }>(
    'mutation ($input: CreateTenantKeyInput!) { createTenantKey(input: $input) { key } }',
    { input: { name: 'Device management', scopes: ['estate'] } },
  );
  for (const device of devices()) {
    const response = await fetch(new URL('/ingest/estate', baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${createTenantKey.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...device, isComplete: true }),
    });
    if (!response.ok) throw new Error(`${device.device} was not taken in: ${await response.text()}`);
    say(`${device.device} has uploaded ${device.files.map(({ path }) => path).join(', ')}`);
  }
  return createTenantKey.key;
}

/** Comes back when files have been judged, those of the connected checkout (examples/demo-documents/source) too. */
export async function lookAtEstate(ada: Browser): Promise<Estate> {
  let before = -1;
  const stalled = stallOf('the uploaded files were not judged');
  for (; ; await new Promise((resolve) => setTimeout(resolve, 300))) {
    const { estateFindings } = await ada.graphql<{ estateFindings: { totalCount: number; nodes: Finding[] } }>(
      '{ estateFindings(first: 200) { totalCount nodes { rule severity path serverName reason fix } } }',
    );
    const { nodes, totalCount } = estateFindings;
    const isCheckoutIn = nodes.some(({ rule }) => rule === 'plain_http');
    if (isCheckoutIn && totalCount === before) return told(nodes, totalCount);
    stalled(totalCount);
    before = totalCount;
  }
}

function told(findings: Finding[], count: number): Estate {
  const byRule: Record<string, number> = {};
  for (const { rule } of findings) byRule[rule] = (byRule[rule] ?? 0) + 1;
  const files = new Set(findings.flatMap(({ path }) => path ?? []));
  return { files: files.size, findings: count, byRule, worst: findings[0] };
}

export function printEstate({ findings, byRule, worst }: Estate, say: Say): void {
  const kinds = Object.entries(byRule).map(
    ([rule, count]) => `${rule.replaceAll('_', ' ')}${count > 1 ? ` (${count})` : ''}`,
  );
  say(`  ${findings} findings in what AI clients are configured to run: ${kinds.join(', ')}.`);
  say(`  The worst, ${worst.severity}, in ${worst.path}: ${worst.reason}`);
  say(`  What to do: ${worst.fix}`);
}
