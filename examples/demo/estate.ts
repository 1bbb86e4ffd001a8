import { randomBytes } from 'node:crypto';
import type { Browser } from './browser.ts';
import { row, type Say } from './output.ts';
import { stallDetector } from './progress.ts';

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

/** The configuration files that a device-management script collects on two laptops. The secret is random on every run. */
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

/** Creates a key that can only upload, and uploads with it, as examples/estate-upload.sh does on a device. */
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
    if (!response.ok) throw new Error(`the upload of ${device.device} failed: ${await response.text()}`);
    say(row('Device', `${device.device}: ${device.files.map(({ path }) => path).join(', ')}`));
  }
  return createTenantKey.key;
}

/** Resolves when all files are evaluated, including those of the connected checkout (examples/demo-documents/source). */
export async function loadEstate(ada: Browser): Promise<Estate> {
  let previousCount = -1;
  const failIfStalled = stallDetector('the uploaded files were not evaluated');
  for (; ; await new Promise((resolve) => setTimeout(resolve, 300))) {
    const { estateFindings } = await ada.graphql<{ estateFindings: { totalCount: number; nodes: Finding[] } }>(
      '{ estateFindings(first: 200) { totalCount nodes { rule severity path serverName reason fix } } }',
    );
    const { nodes, totalCount } = estateFindings;
    const isCheckoutEvaluated = nodes.some(({ rule }) => rule === 'plain_http');
    if (isCheckoutEvaluated && totalCount === previousCount) return summarize(nodes, totalCount);
    failIfStalled(totalCount);
    previousCount = totalCount;
  }
}

function summarize(findings: Finding[], count: number): Estate {
  const byRule: Record<string, number> = {};
  for (const { rule } of findings) byRule[rule] = (byRule[rule] ?? 0) + 1;
  const files = new Set(findings.flatMap(({ path }) => path ?? []));
  return { files: files.size, findings: count, byRule, worst: findings[0] };
}

export function printEstate({ findings, byRule, worst }: Estate, say: Say): void {
  const rules = Object.entries(byRule).map(
    ([rule, count]) => `${rule.replaceAll('_', ' ')}${count > 1 ? ` (${count})` : ''}`,
  );
  say(row('Findings', `${findings}: ${rules.join(', ')}`));
  say(row('Most severe', `${worst.severity}, in ${worst.path}\n${worst.reason}`));
  say(row('Fix', worst.fix));
}
