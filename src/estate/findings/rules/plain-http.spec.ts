import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import type { ServerEntry } from '../../configuration-file.js';
import { plainHttp } from './plain-http.js';

const found = (entry: Partial<ServerEntry>) => plainHttp.check(anEntry(entry), aConfiguration());
const bridged = (...args: string[]): Partial<ServerEntry> => ({
  command: 'npx',
  args,
  package: { manager: 'npm', name: 'mcp-remote', versionSpec: null, isPinned: false },
});

describe('the plain_http rule', () => {
  it.each([
    [{ url: 'http://tools.example.com/mcp' }, 'high'],
    [{ url: 'http://10.1.2.3:8080/mcp' }, 'medium'],
    [{ url: 'http://tools.corp/mcp' }, 'medium'],
    [{ url: 'http://build-box:3000/sse' }, 'medium'],
    [{ url: 'http://[fd00::7]:3000/sse' }, 'medium'],
    [{ url: 'http://10.1.2.3/mcp', authKind: 'header' as const }, 'high'],
    [{ url: 'http://localhost.example.com/mcp' }, 'high'],
    [{ url: 'http://127.0.0.1.example.com/mcp' }, 'high'],
    [{ url: 'http://8.8.8.8/mcp' }, 'high'],
  ] as [Partial<ServerEntry>, string][])('rates %j as %s', (entry, severity) =>
    expect(found(entry)).toMatchObject([{ at: '/url', severity }]),
  );

  it.each([
    'https://tools.example.com/mcp',
    'http://localhost:3000/mcp',
    'http://api.localhost/mcp',
    'http://127.0.0.1:7000/sse',
    'http://127.8.1.1/',
    'http://[::1]:3000/',
    'http://0.0.0.0:3000/',
    'http://host.docker.internal:3000/',
  ])('accepts %s', (url) => expect(found({ url })).toEqual([]));

  it('reports low severity if a variable holds the host', () => {
    const url = 'http://${env:HOST}/mcp';
    const entry = { ...anEntry(), command: null, url, urlScheme: 'http', host: '${env:host}' };
    expect(found(entry)).toMatchObject([{ severity: 'low', evidence: { host: null } }]);
  });

  it('checks the address that a bridge receives', () => {
    expect(found(bridged('-y', 'mcp-remote', 'http://tools.example.com/sse', '--allow-http'))).toMatchObject([
      { at: '/args/2', severity: 'high', evidence: { host: 'tools.example.com' } },
    ]);
    // the parser also stores the address of a bridge as that of the server
    const parsed = { ...anEntry({ url: 'http://tools.example.com:8080/sse' }), transport: 'stdio' as const };
    expect(found({ ...parsed, ...bridged('mcp-remote', 'http://tools.example.com:8080/sse') })).toMatchObject([
      { at: '/args/1' },
    ]);
    expect(
      found({ ...parsed, command: 'npx', args: ['mcp-remote-client', 'http://tools.example.com:8080/sse'] }),
    ).toMatchObject([{ at: '/url' }]);
    expect(found(bridged('mcp-remote', 'http://localhost:3000/sse'))).toEqual([]);
    expect(found(bridged('mcp-remote', 'https://tools.example.com/sse'))).toEqual([]);
    expect(found({ command: 'tool', args: ['--proxy', 'http://proxy.example.com:3128'] })).toEqual([]);
  });
});
