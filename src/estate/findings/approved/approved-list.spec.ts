import { describe, expect, it } from 'vitest';
import { ApprovedList, type ApprovableServer } from './approved-list.js';
import { parseApprovedValue } from './approved-value.js';

const hash = 'ab'.repeat(32);
const asked = (about: Partial<ApprovableServer>): ApprovableServer => ({
  package: null,
  host: null,
  urlScheme: null,
  definitionHash: hash,
  ...about,
});
const npm = (name: string) => ({ package: { manager: 'npm' as const, name, versionSpec: null, isPinned: false } });
const https = (host: string) => ({ host, urlScheme: 'https' });

describe('the approved list', () => {
  const list = new ApprovedList([
    { kind: 'package', value: 'npm:@lark/mcp-files' },
    { kind: 'package', value: 'pypi:mcp-time' },
    { kind: 'package', value: 'docker:mcp/git' },
    { kind: 'host', value: 'tools.example.com' },
    { kind: 'host', value: 'odd.example.com:8443' },
    { kind: 'host', value: '*.lark.example' },
    { kind: 'definition', value: 'cd'.repeat(32) },
  ]);

  it.each([
    [npm('@lark/mcp-files'), 'package'],
    [npm('@Lark/MCP-files'), 'package'],
    [npm('mcp-files'), null],
    [{ package: { manager: 'pypi', name: 'MCP_Time', versionSpec: '==1', isPinned: true } }, 'package'],
    [{ package: { manager: 'npm', name: 'mcp-time', versionSpec: null, isPinned: false } }, null],
    [{ package: { manager: 'docker', name: 'docker.io/mcp/git', versionSpec: 'latest', isPinned: false } }, 'package'],
    [https('tools.example.com'), 'host'],
    [https('tools.example.com:443'), 'host'],
    [https('tools.example.com:8443'), null],
    [https('tools.example.com.'), 'host'],
    [https('eviltools.example.com'), null],
    [https('odd.example.com:8443'), 'host'],
    [https('odd.example.com'), null],
    [https('a.lark.example'), 'host'],
    [https('a.b.lark.example'), 'host'],
    [https('lark.example'), null],
    [https('evillark.example'), null],
    [https('a.lark.example:9999'), null],
    [https('${env:host}.lark.example'), null],
    [{ definitionHash: 'cd'.repeat(32) }, 'definition'],
    [{}, null],
  ] as [Partial<ApprovableServer>, string | null][])('matches %j by %s', (about, by) =>
    expect(list.allows(asked(about))).toBe(by),
  );

  it('reports whether it is empty', () => {
    expect(list.isEmpty).toBe(false);
    expect(new ApprovedList([]).isEmpty).toBe(true);
  });
});

describe('parsing an approved value', () => {
  it.each([
    ['package', 'npm:@Lark/Files', 'npm:@lark/files'],
    ['package', 'pypi:Mcp_Time', 'pypi:mcp-time'],
    ['package', 'docker:docker.io/library/tools', 'docker:tools'],
    ['package', 'docker:registry.example:5000/tools', 'docker:registry.example:5000/tools'],
    ['package', 'go:github.com/Lark/mcp', 'go:github.com/lark/mcp'],
    ['host', ' Tools.Example.com. ', 'tools.example.com'],
    ['host', 'tools.example.com:443', 'tools.example.com'],
    ['host', '*.example.com', '*.example.com'],
    ['host', 'localhost:3000', 'localhost:3000'],
    ['host', '[::1]:3000', '[::1]:3000'],
    ['definition', hash.toUpperCase(), hash],
  ] as const)('normalizes the %s %j', (kind, typed, value) =>
    expect(parseApprovedValue(kind, typed)).toEqual({ value }),
  );

  it.each([
    ['package', 'mcp-files'],
    ['package', 'npm:'],
    ['package', 'npm:mcp-files@1.2.3'],
    ['package', 'npm:@lark/mcp-files@1.2.3'],
    ['package', 'pypi:mcp-time==1'],
    ['package', 'npm:a b'],
    ['host', 'https://tools.example.com'],
    ['host', 'tools.example.com/mcp'],
    ['host', '*'],
    ['host', '*.com'],
    ['host', 'a*.example.com'],
    ['host', 'me@example.com'],
    ['host', ''],
    ['definition', 'abc'],
  ] as const)('rejects the %s %j', (kind, typed) => expect(parseApprovedValue(kind, typed)).toHaveProperty('wrong'));
});
