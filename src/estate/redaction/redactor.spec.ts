import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { knownFile } from '../parsing/known-files.js';
import { parseFile } from '../parsing/parse.js';

const fingerprint = (value: string) => createHmac('sha256', 'test').update(value).digest('hex').slice(0, 32);
const known = knownFile('~/.cursor/mcp.json')!;
const parse = (servers: object) => parseFile(Buffer.from(JSON.stringify({ mcpServers: servers })), known, fingerprint);
const secretsOf = (server: object) =>
  parse({ it: server }).entries.flatMap(({ secrets }) => secrets.map(({ type, place }) => `${type} ${place}`));

// built at runtime, so that secret scanners do not report this file
const letters = 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0fL';
const gh = `ghp_${letters}abcd`;
const slack = `xoxb-${'1234567890'}-${letters}`;
const words = 'correct-horse-battery';

describe('a secret', () => {
  it.each<[object, string[]]>([
    [{ command: 'n', env: { GITHUB_TOKEN: gh } }, ['github_token /env/GITHUB_TOKEN']],
    [{ command: 'n', env: { API_KEY: words } }, ['generic /env/API_KEY']],
    [{ command: 'n', env: { DB_PASSWORD: 'pw1' } }, ['database_password /env/DB_PASSWORD']],
    [{ command: 'n', env: { SOMETHING: gh } }, ['github_token /env/SOMETHING']],
    [{ command: 'n', env: { PIN: 123456 } }, ['generic /env/PIN']],
    [
      { command: 'n', env: { DATABASE_URL: `postgres://app:${words}@db.example/x` } },
      ['database_password /env/DATABASE_URL'],
    ],
    [{ command: 'n', env: { CONN: `Server=db;User=sa;Password=${words};` } }, ['generic /env/CONN']],
    [{ command: 'n', args: ['--api-key', words] }, ['generic /args/1']],
    [{ command: 'n', args: [`--apiToken=${words}`] }, ['generic /args/0']],
    [{ command: 'n', args: ['--token', `/${gh}`] }, ['github_token /args/1']],
    [{ command: 'n', args: [`--token-file=~/keys/${gh}`] }, ['github_token /args/0']],
    [{ command: 'n', args: ['--header', `Authorization: Bearer ${words}`] }, ['bearer_token /args/1']],
    [
      { command: 'npx', args: ['mcp-remote', 'https://x.example', '--header', `X-Api-Key:${words}`] },
      ['generic /args/3'],
    ],
    [{ command: 'curl', args: ['-u', `me:${words}`] }, ['basic_auth /args/1']],
    [{ command: 'docker', args: ['run', '-e', `API_KEY=${words}`, 'acme/x'] }, ['generic /args/2']],
    [{ command: 'docker', args: ['run', `--env=API_KEY=${words}`, 'acme/x'] }, ['generic /args/1']],
    [{ command: 'n', args: [slack] }, ['slack_token /args/0']],
    [{ command: 'n', args: [letters] }, ['generic /args/0']],
    [{ command: 'sh', args: ['-c', `TOKEN=${words} exec n`] }, ['generic /args/1']],
    [{ command: 'sh', args: ['-c', `n --password '${words}' | tee x`] }, ['generic /args/1']],
    [
      { command: 'sh', args: ['-c', `curl -H "Authorization: Bearer ${words}" https://x.example | sh`] },
      ['bearer_token /args/1'],
    ],
    [{ command: `n --token ${words}` }, ['generic /command']],
    [{ url: `https://user:${words}@x.example/mcp` }, ['basic_auth /url']],
    [{ url: `https://${gh}@x.example/mcp` }, ['github_token /url']],
    [{ url: `https://x.example/mcp?api_key=${words}&mode=fast` }, ['generic /url']],
    [{ url: `https://x.example/s/${letters}/mcp` }, ['generic /url']],
    [
      { url: 'https://x.example', headers: { Authorization: `Bearer ${words}` } },
      ['bearer_token /headers/Authorization'],
    ],
    [{ url: 'https://x.example', headers: { Authorization: 'Basic bWU6cHc=' } }, ['basic_auth /headers/Authorization']],
    [{ url: 'https://x.example', headers: { 'X-Acme-Key': words } }, ['generic /headers/X-Acme-Key']],
    [
      { url: 'https://x.example', auth: { CLIENT_ID: 'estate', CLIENT_SECRET: words } },
      ['generic /auth/CLIENT_SECRET'],
    ],
    [{ command: 'n', custom: { deep: [{ password: words }] } }, ['generic /custom/deep/0/password']],
    [
      { command: 'n', env: { KEY: '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----' } },
      ['private_key /env/KEY'],
    ],
  ])('is found in %j', (server, places) => expect(secretsOf(server)).toEqual(places));

  it.each([
    { command: 'n', env: { API_KEY: '${env:API_KEY}', B: '$B', TOKEN: '%TOKEN%', K: '${input:key}' } },
    { url: 'https://x.example', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
    {
      command: 'n',
      env: { NODE_ENV: 'production', MAX_TOKENS: '4096', API_KEY: '', USE_TOKEN: 'true', KEY_FILE: '/run/key' },
    },
    { command: 'n', env: { API_KEY: '<your key>', TOKEN: 'YOUR_TOKEN_HERE' } },
    {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem@2025.11.18', '/srv/share', '${workspaceFolder}'],
    },
    { command: 'npx', args: ['-y', 'mcp-remote', 'https://mcp.example.net/v1/streamable-http'] },
    {
      command: '/opt/homebrew/Cellar/node@22/22.11.0_1/bin/node',
      args: ['/Users/ines/code/notes-server2/dist/index.js'],
    },
    { command: 'docker', args: ['run', '-e', 'API_KEY', `acme/x@sha256:${'0a'.repeat(32)}`] },
    { command: 'uvx', args: ['--from', `git+https://git.example/a/b@${'0123456789'.repeat(4)}`, 'b'] },
    { url: 'https://mcp.example.net/projects/12345/mcp' },
  ])('is not found in %j', (server) => expect(secretsOf(server)).toEqual([]));

  it('has the same fingerprint in all places', () => {
    const { entries } = parse({
      a: { command: 'n', env: { TOKEN: words } },
      b: { url: 'https://x.example', headers: { Authorization: `Bearer ${words}` } },
    });
    const [one, two] = entries.map(({ secrets }) => secrets[0].fingerprint);
    expect(one).toBe(two);
    expect(one).toBe(fingerprint(words));
  });

  it('found by its place is also replaced where nothing marks it', () => {
    const { entries } = parse({
      first: { command: 'n', args: ['say', words] },
      second: { command: 'n', env: { TOKEN: words } },
    });
    expect(entries[0].args).toEqual(['say', '[secret:generic]']);
    expect(JSON.stringify(entries)).not.toContain(words);
  });

  it('does not change the definition hash with its value', () => {
    const hashes = [words, 'another-one-altogether'].map(
      (value) =>
        parse({ it: { command: 'n', args: ['--token', value], env: { TOKEN: value } } }).entries[0].definitionHash,
    );
    expect(hashes[0]).toBe(hashes[1]);
  });
});

describe('a redacted entry', () => {
  it('keeps its structure, its references and values that are certainly not secret', () => {
    const [{ definition }] = parse({
      it: {
        command: 'npx',
        args: ['-y', 'mcp-notes@1.0.0', '--token', words],
        env: {
          TOKEN: words,
          NODE_ENV: 'test',
          NICKNAME: 'hunter2',
          ROOT: '/srv',
          URL: `https://x.example/?k=${words}`,
        },
        note: 'the password is hunter2',
      },
    }).entries;
    expect(definition).toEqual({
      command: 'npx',
      args: ['-y', 'mcp-notes@1.0.0', '--token', '[secret:generic]'],
      env: {
        TOKEN: '[secret:generic]',
        NODE_ENV: 'test',
        NICKNAME: '[redacted]',
        ROOT: '/srv',
        URL: 'https://x.example/?k=[secret:generic]',
      },
      note: '[redacted]',
    });
  });

  it('never contains a planted secret, in any place', () => {
    const plant = fc.constantFrom(
      gh,
      slack,
      `sk-ant-api03-${letters}`,
      `AKIA${'ABCDEFGHIJKLMNOP'}`,
      `glpat-${letters}`,
      letters,
    );
    const places: ((value: string) => object)[] = [
      (value) => ({ command: value }),
      (value) => ({ command: 'n', args: [`a${' '}${value}`] }),
      (value) => ({ command: 'n', args: [[value]] }),
      (value) => ({ command: 'n', cwd: `/x/${value}` }),
      (value) => ({ command: 'n', envFile: value }),
      (value) => ({ command: 'n', env: [value] }),
      (value) => ({ command: 'n', env: { [value]: 'x' } }),
      (value) => ({ command: 'n', [value]: { [value]: value } }),
      (value) => ({ type: value, url: `https://x.example/#${value}` }),
      (value) => ({ url: `https://${value}.example/${encodeURIComponent(value)}` }),
      (value) => ({ url: 7, headers: value }),
      (value) => ({ url: 'https://x.example', auth: { CLIENT_ID: value, scopes: [value] } }),
      (value) => ({ command: 'n', autoApprove: [value], timeout: value }),
      (value) => ({ command: 'n', env: { X: `\${env:A:-${value}}` } }),
    ];
    fc.assert(
      fc.property(plant, fc.constantFrom(...places), (value, make) => {
        const parsed = parse({ it: make(value), [value]: { command: 'n' }, [`${value}!`]: value });
        expect(JSON.stringify(parsed)).not.toContain(value);
      }),
      { numRuns: 300 },
    );
  });

  it('is computed in time for any text', () => {
    const texts = [
      'a='.repeat(60_000),
      '--token '.repeat(15_000),
      'https://'.repeat(15_000),
      '-'.repeat(120_000),
      'aA1'.repeat(40_000),
      '"'.repeat(50_000),
      `-----BEGIN ${'A'.repeat(100_000)}`,
      'eyJ'.repeat(40_000),
    ];
    for (const text of texts)
      expect(parse({ it: { command: 'n', args: [text], env: { A: text } } }).entries).toHaveLength(1);
  });
});
