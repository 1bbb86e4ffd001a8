import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ParsedEntry } from '../configuration-file.js';
import { knownFile } from './known-files.js';
import { parseFile } from './parse.js';

const fingerprint = (value: string) => createHmac('sha256', 'test').update(value).digest('hex').slice(0, 32);
const known = knownFile('/home/ines/.cursor/mcp.json')!;
const parse = (content: string | object) =>
  parseFile(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), known, fingerprint);
const entry = (server: object): ParsedEntry => {
  const { entries, problems } = parse({ mcpServers: { it: server } });
  expect(problems).toEqual([]);
  return entries[0];
};

describe('parsing a file', () => {
  it('reads every documented form', () => {
    const { entries, status, oddities } = parse(`{
      // what we use
      "mcpServers": {
        "notes": { "type": "stdio", "command": "python3", "args": ["\${workspaceFolder}/tools/notes.py"],
                   "env": { "NOTES_KEY": "\${env:NOTES_KEY}" }, "envFile": "\${workspaceFolder}/.env" },
        "tickets": { "url": "https://tickets.example.net/mcp", "headers": { "Authorization": "Bearer \${env:TICKETS}" }, },
        "wiki": { "url": "https://wiki.example.net/sse", "type": "sse",
                  "auth": { "CLIENT_ID": "estate-demo", "CLIENT_SECRET": "\${env:WIKI_SECRET}", "scopes": ["read"] } },
      },
    }`);
    expect({ status, oddities }).toEqual({ status: 'read', oddities: [] });
    expect(entries).toMatchObject([
      {
        name: 'notes',
        transport: 'stdio',
        command: 'python3',
        envNames: ['NOTES_KEY'],
        envFile: '${workspaceFolder}/.env',
      },
      { name: 'tickets', transport: 'http', host: 'tickets.example.net', urlScheme: 'https', authKind: 'header' },
      {
        name: 'wiki',
        transport: 'sse',
        authKind: 'oauth',
        definition: { auth: { CLIENT_ID: 'estate-demo', CLIENT_SECRET: '${env:WIKI_SECRET}' } },
      },
    ]);
    expect(entries.flatMap(({ secrets }) => secrets)).toEqual([]);
    expect(entries[0].definition).toMatchObject({ env: { NOTES_KEY: '${env:NOTES_KEY}' } });
  });

  it.each([
    ['flat', { it: { command: 'node', args: null } }],
    ['as VS Code has it', { servers: { it: { command: 'node' } }, inputs: [] }],
    ['inside of settings', { mcp: { servers: { it: { command: 'node' } } } }],
    ['as a list', { mcpServers: [{ name: 'it', command: ['node'] }] }],
    ['with a key in odd case', { MCPServers: { it: { command: 'node' } } }],
  ])('reads a file that is written %s', (_, content) => {
    expect(parse(content).entries).toMatchObject([{ name: 'it', command: 'node', args: [] }]);
  });

  it.each([
    ['shop.code-workspace', { folders: [], settings: { mcp: { servers: { it: { command: 'node' } } } } }],
    ['shop.code-workspace', { folders: [], mcp: { servers: { it: { command: 'node' } } } }],
    ['.devcontainer.json', { customizations: { vscode: { mcp: { servers: { it: { command: 'node' } } } } } }],
    ['.claude/plugins/cache/a/.claude-plugin/plugin.json', { name: 'a', mcpServers: { it: { command: 'node' } } }],
  ])('reads the servers inside of %s', (path, content) => {
    const parsed = parseFile(Buffer.from(JSON.stringify(content)), knownFile(path)!, fingerprint);
    expect(parsed).toMatchObject({ status: 'read', entries: [{ name: 'it', command: 'node' }] });
  });

  it.each(['./servers.json', ['./servers.json', './more.json']])(
    'accepts that a plugin declares its servers in other files: %s',
    (mcpServers) => {
      const manifest = knownFile('.claude/plugins/cache/a/.claude-plugin/plugin.json')!;
      const parsed = parseFile(Buffer.from(JSON.stringify({ mcpServers })), manifest, fingerprint);
      expect(parsed).toMatchObject({ status: 'read', problems: [], entries: [] });
    },
  );

  it('tells a file without content from one that is no JSON', () => {
    expect(parse(' // nothing')).toMatchObject({ status: 'read', problems: [{ reason: 'is empty' }] });
    const { status, problems } = parse('something else');
    expect([status, problems.map(({ reason }) => reason)]).toEqual([
      'unreadable',
      ['is not a valid value', 'is not an object'],
    ]);
  });

  it('loses only broken entries', () => {
    const { status, entries, problems } = parse(
      '{"mcpServers": {"a": {"command": "one", "args": ["x"}, "b": "text", "c": {"command": "three" "env": {}}, "d": null, "e": {"url": "https://e.example"}}}',
    );
    expect(status).toBe('partly');
    expect(entries.map(({ name }) => name)).toEqual(['a', 'c', 'e']);
    expect(problems.map(({ place }) => place)).toEqual([
      '/mcpServers/a/args',
      '/mcpServers/c/command',
      '/mcpServers/b',
      '/mcpServers/d',
    ]);
  });

  it('recovers servers that are nested by a missing bracket', () => {
    const { entries } = parse(
      '{"mcpServers": {"a": {"command": "one", "b": {"command": "two"}, "c": {"url": "https://c.example"}}}',
    );
    expect(entries.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [Buffer.from([0, 1, 2, 3]), 'is not text'],
    [Buffer.from([0xc3, 0x28]), 'is not UTF-8'],
    [Buffer.alloc(300 * 1024, ' '), 'is larger than 256 KiB'],
    [Buffer.from('[]'), 'is not an object'],
    [Buffer.from('"text"'), 'is not an object'],
    [Buffer.from('{"theme": "dark"}'), 'declares no servers: "mcpServers" is missing'],
    [Buffer.from('{"a":'.repeat(200_000).slice(0, 200_000)), 'is not closed: a "}" is missing'],
  ])('gives the reason for an unreadable file', (bytes, reason) => {
    const { status, problems, entries } = parseFile(bytes, known, fingerprint);
    expect({ status, entries }).toEqual({ status: 'unreadable', entries: [] });
    expect(problems.map((problem) => problem.reason)).toContain(reason);
  });

  it('accepts an empty file', () => {
    expect(parse('')).toMatchObject({ status: 'read', entries: [], problems: [{ reason: 'is empty' }] });
    expect(parse('{}')).toMatchObject({ status: 'read', entries: [], problems: [] });
    expect(parse({ mcpServers: {} })).toMatchObject({ status: 'read', entries: [], problems: [] });
  });

  it('reads UTF-16 from PowerShell', () => {
    const bytes = Buffer.from('\ufeff{"mcpServers": {"it": {"command": "node"}}}', 'utf16le');
    expect(parseFile(bytes, known, fingerprint).entries).toHaveLength(1);
  });

  it('treats hostile names as text and reports hidden characters', () => {
    const { entries } = parse(
      '{"mcpServers": {"__proto__": {"command": "\\u0000x\\ud800"}, "safe\\u202Egnp.exe": {"command": "node", "url": "https://раypal.example"}}}',
    );
    expect(entries.map(({ name }) => name)).toEqual(['__proto__', 'safe\u202egnp.exe']);
    expect(entries[0].command).toBe('\ufffdx\ufffd');
    expect(entries[1].oddities).toEqual([
      { kind: 'hidden_unicode', place: '', detail: 'U+202E RIGHT-TO-LEFT OVERRIDE' },
      { kind: 'mixed_script', place: '/url', detail: 'a word with Latin letters and U+0440' },
      { kind: 'both_transports', place: '', detail: 'has both a command and an address' },
    ]);
    expect(({} as Record<string, unknown>).command).toBeUndefined();
  });
});

describe('a program with the name of a member of every object', () => {
  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('is a program: %s', (command) => {
    expect(entry({ command, args: ['x'] })).toMatchObject({ command, package: null, args: ['x'] });
    expect(entry({ command: 'npx', args: [command] }).package).toMatchObject({ name: command.toLowerCase() });
  });
});

describe('a known path', () => {
  it.each([
    ['/home/ines/.cursor/mcp.json', 'user'],
    ['/Users/ines/.cursor/mcp.json', 'user'],
    ['C:/Users/ines/.cursor/mcp.json', 'user'],
    ['~/.cursor/mcp.json', 'user'],
    ['/root/.cursor/mcp.json', 'user'],
    ['/home/ines/shop/.cursor/mcp.json', 'project'],
    ['.cursor/mcp.json', 'project'],
  ])('gives %s the scope %s', (path, scope) => expect(knownFile(path)).toMatchObject({ scope, oddities: [] }));
  it('reports an unusual letter case', () => {
    expect(knownFile('shop/.Cursor/MCP.json')!.oddities).toEqual([
      { kind: 'odd_case_path', place: '', detail: 'instead of .cursor/mcp.json' },
    ]);
  });
  it.each(['mcp.json', 'x.cursor/mcp.json', '.cursor/mcp.json.bak', '.cursor/mcp.json/'])('does not match %s', (path) =>
    expect(knownFile(path)).toBeNull(),
  );
});

describe('the package of a command', () => {
  it.each([
    ['npx', ['-y', '@acme/mcp-notes'], 'npm', '@acme/mcp-notes', null, false],
    ['npx', ['--yes', 'mcp-notes@1.4.2', '--root', '/'], 'npm', 'mcp-notes', '1.4.2', true],
    ['npx.cmd', ['-y', 'mcp-notes@latest'], 'npm', 'mcp-notes', 'latest', false],
    ['npx', ['--package=mcp-notes@^2', 'notes'], 'npm', 'mcp-notes', '^2', false],
    [
      'npx',
      ['github:acme/mcp-notes#0123456789abcdef0123456789abcdef01234567'],
      'npm',
      'github:acme/mcp-notes',
      '0123456789abcdef0123456789abcdef01234567',
      true,
    ],
    ['pnpm', ['dlx', 'mcp-notes@2.0.0-rc.1'], 'npm', 'mcp-notes', '2.0.0-rc.1', true],
    ['/opt/homebrew/bin/uvx', ['Notes_Server'], 'pypi', 'notes-server', null, false],
    ['uvx', ['notes-server@0.3.1'], 'pypi', 'notes-server', '0.3.1', true],
    ['uvx', ['--python', '3.12', '--from', 'notes-server[all]==0.3.1', 'notes'], 'pypi', 'notes-server', '0.3.1', true],
    [
      'uvx',
      ['--from', 'git+https://git.example/acme/notes@v2', 'notes'],
      'pypi',
      'git+https://git.example/acme/notes',
      'v2',
      false,
    ],
    [
      'docker',
      ['run', '-i', '--rm', '-e', 'TOKEN', '--network=host', '-v', '/:/host', 'acme/notes:1.2'],
      'docker',
      'acme/notes',
      '1.2',
      false,
    ],
    [
      'docker',
      ['run', '--rm', '-i', `registry.example:5000/acme/notes@sha256:${'a1'.repeat(32)}`],
      'docker',
      'registry.example:5000/acme/notes',
      `sha256:${'a1'.repeat(32)}`,
      true,
    ],
    ['deno', ['run', '-A', 'jsr:@acme/notes@1.0.0/server'], 'deno', '@acme/notes', '1.0.0', true],
    ['go', ['run', 'git.example/acme/notes@latest'], 'go', 'git.example/acme/notes', 'latest', false],
    ['cmd', ['/c', 'npx', '-y', 'mcp-notes'], 'npm', 'mcp-notes', null, false],
    ['sh', ['-c', 'cd /srv && TOKEN=$T exec npx -y mcp-notes@1.0.0'], 'npm', 'mcp-notes', '1.0.0', true],
    ['op', ['run', '--', 'uvx', 'notes-server'], 'pypi', 'notes-server', null, false],
    ['npx -y mcp-notes@3.1.0 --verbose', [], 'npm', 'mcp-notes', '3.1.0', true],
  ])('is recognized in %s %j', (command, args, manager, name, versionSpec, isPinned) => {
    expect(entry({ command, args }).package).toEqual({ manager, name, versionSpec, isPinned });
  });

  it.each([
    ['node', ['/srv/notes/server.js']],
    ['npx', ['./notes']],
    ['docker', ['compose', 'up']],
    ['/Applications/My Notes.app/Contents/MacOS/notes', []],
  ])('is null for %s %j', (command, args) => expect(entry({ command, args }).package).toBeNull());
});

describe('the identity of a server', () => {
  const identity = (server: object) => entry(server).identity;
  it.each([
    [
      'in the home folders of different users',
      { command: 'node', args: ['/Users/ines/notes/server.js'] },
      { command: 'node', args: ['/home/otto/notes/server.js'] },
    ],
    [
      'with different versions',
      { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'] },
      { command: 'cmd', args: ['/c', 'npx', 'mcp-notes'] },
    ],
    [
      'with different secrets',
      { command: 'notes', args: ['--token', 'one-two-three'] },
      { command: 'notes', args: ['--token', 'four-five-six'] },
    ],
    [
      'for different accounts',
      { url: 'https://mcp.example.net/s/0b0e7a52-88ce-4f1f-9c4e-27b3f4d5a001/mcp?x=1' },
      { url: 'https://MCP.example.net/s/7f0e7a52-88ce-4f1f-9c4e-27b3f4d5a002/mcp/' },
    ],
  ])('is the same %s', (_, one, other) => expect(identity(one)).toBe(identity(other)));
  it.each([
    [
      { command: 'node', args: ['/srv/a.js'] },
      { command: 'node', args: ['/srv/b.js'] },
    ],
    [
      { command: 'npx', args: ['mcp-a'] },
      { command: 'npx', args: ['mcp-b'] },
    ],
    [
      { command: 'npx', args: ['runner', 'run', '@acme/a'] },
      { command: 'npx', args: ['runner', 'run', '@acme/b'] },
    ],
    [
      { command: 'npx', args: ['mcp-remote', 'https://a.example/mcp'] },
      { command: 'npx', args: ['mcp-remote', 'https://b.example/mcp'] },
    ],
    [{ url: 'https://a.example/mcp' }, { url: 'http://a.example/mcp' }],
  ])('differs between %j and %j', (one, other) => expect(identity(one)).not.toBe(identity(other)));

  it('includes the address behind a proxy', () => {
    expect(
      entry({ command: 'npx', args: ['-y', 'mcp-remote', 'http://mcp.example.net:8080/sse', '--allow-http'] }),
    ).toMatchObject({
      transport: 'stdio',
      host: 'mcp.example.net:8080',
      urlScheme: 'http',
      package: { name: 'mcp-remote' },
    });
  });
});
