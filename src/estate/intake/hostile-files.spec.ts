import { describe, expect, it } from 'vitest';
import { runIsolated } from '../../platform/isolation/isolated-workers.js';
import { knownFile } from '../parsing/known-files.js';
import { maxFileBytes } from '../parsing/parse.js';
import { parseFilesJob } from './parse-files.js';
import type { FileToParse } from './parse-files.isolated.js';

const known = knownFile('/.cursor/mcp.json')!;
const read = async (content: string | object, more: Partial<FileToParse> = {}) => {
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  expect(bytes.length).toBeLessThanOrEqual(maxFileBytes);
  const [file] = await runIsolated(parseFilesJob, [{ path: '/.cursor/mcp.json', known, bytes, ...more }], 'tenant');
  return file;
};
const server = (definition: object) => ({ mcpServers: { it: definition } });
const script = (text: string) => server({ command: 'sh', args: ['-c', text] });
const n = 200_000;
const fill = (text: string, length = n) => text.repeat(length / text.length);
const words = (word: string, count = 16_000) => Array.from({ length: count }, () => word);

const names = 'abcdefghijkl';
const explodingYaml = [...names]
  .map(
    (name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => (at ? `*${names[at - 1]}` : 'x')).join(', ')}]`,
  )
  .join('\n');

/** Each would take minutes with superlinear parsing. The job itself is limited to five seconds of CPU time. */
const files: [string, string | object][] = [
  ['a script of many downloads (56 KB)', script('curl '.repeat(11_200))],
  ['evaluations and no download', script(fill('eval $('))],
  ['downloads and separators', script(fill('curl ;'))],
  ['chmod and a long word', script(`curl ; chmod ${fill('chmod ')}`)],
  ['decoders and pipes', script(fill('base64 -d |'))],
  ['16,000 words', server({ command: 'npx', args: ['-y', 'mcp-it', ...words('run')] })],
  ['16,000 options', server({ command: 'npx', args: words('-y') })],
  ['shells that start shells', server({ command: 'env', args: words('-/sh') })],
  ['prompts without a command', server({ command: 'env', args: words('cmd') })],
  ['PowerShells by their paths', server({ command: 'env', args: words('/x/pwsh') })],
  ['launchers of launchers', server({ command: 'env', args: words('-/npx') })],
  ['tokens without an end', server({ command: 'it', args: [fill('eyJaaaaaaaa-')] })],
  ['tokens without a dot in variables', server({ command: 'it', env: { A: fill('eyJ0eXAiOiJKV1Qi-') } })],
  ['references', server({ command: 'it', env: { A: fill('a$b ') } })],
  ['a database without a password', server({ command: 'it', env: { [fill('db')]: 'Bearer x' } })],
  ['an option and equal signs', server({ command: 'it', args: [` -u${fill('=')}`] })],
  ['addresses in addresses', server({ url: fill('a://b?x=') })],
  ['slashes and a letter', server({ url: `https://a.example/${fill('/')}x` })],
  ['paths of slashes', server({ command: 'it', args: [`${fill('/')}x`] })],
  ['digests', server({ command: 'uvx', args: [`git+https://a.example/b/c${fill('#')}`] })],
  ['refs', server({ command: 'uvx', args: [`git+https://a.example/b/${fill('c')}`] })],
  ['refs of refs', server({ command: 'uvx', args: [`git+https://a.example/b/c${fill('@c')}`] })],
  ['a module with line ends', server({ command: 'deno', args: ['run', `https://${fill('@')}/\nx`] })],
  ['a range of blanks', server({ command: 'npx', args: [`it@<1${fill(' ')}`] })],
  ['a bridge to a long host', server({ command: 'npx', args: ['mcp-remote', `http://${fill('a')}`] })],
  [
    'unknown fields below a long name',
    server({ [fill('k', 80_000)]: Object.fromEntries(words('').map((_, at) => [at, 1])) }),
  ],
  ['hidden characters below a long name', server({ [fill('k', 120_000)]: words('\u200b', 8000) })],
  ['twice the same long key', `{${fill('"a":1,')}"a":1}`],
  ['brackets', fill('[')],
  ['quotation marks', server({ command: fill('"', 100_000) })],
  ['values below a long name', server({ it: { [`LC_${fill('k', 120_000)}`]: words('a', 16_000) } })],
  ['random words', server({ command: 'it', args: [fill('aB3dE5gH7jK9mN1pQ3 ')] })],
  ['spaces', server({ command: 'it', args: [`--token${fill(' ')}`, `authorization:${fill(' ', 40_000)}`] })],
];

describe('a hostile configuration file', () => {
  it.each(files)('is parsed within the limits of a worker: %s', async (_, content) => {
    const { parsed, error } = await read(content);
    expect(error).toBeUndefined();
    expect(['read', 'partly', 'unreadable']).toContain(parsed.status);
  });

  it.each([
    ['errors', 'yaml', fill('"', 65_000)],
    ['flows', 'yaml', fill('[', 65_000)],
    ['equal keys', 'yaml', fill('a: 1\n', 65_000)],
    ['aliases', 'yaml', `a: &a 1\n${fill('b: *a\n', 65_000)}`],
    ['anchors that explode', 'yaml', explodingYaml],
    ['dots', 'toml', `${fill('a.')}a = 1`],
    ['tables', 'toml', Array.from({ length: 20_000 }, (_, at) => `[a.t${at}]`).join('\n')],
    ['arrays', 'toml', `a = ${fill('[')}`],
  ] as const)('is parsed within the limits of a worker: %s in %s', async (_, format, content) => {
    const { parsed, error } = await read(content, { known: { ...known, format } });
    expect(error).toBeUndefined();
    expect(['read', 'unreadable']).toContain(parsed.status);
  });

  it('is parsed within the limits of a worker: a redacted form with many places', async () => {
    const secrets = Array.from({ length: 2000 }, (_, at) => ({
      ...{ type: 'generic', place: `/env/aB3dE5gH7jK9mN1pQ3${at}`, fingerprint: 'ab'.repeat(16) },
    }));
    const entries = Array.from({ length: 250 }, (_, at) => ({
      name: `${at}`,
      definition: {},
      secrets: [] as object[],
    }));
    entries[0].secrets = secrets;
    const { parsed, error } = await read({ form: 1, status: 'read', entries }, { isRedacted: true });
    expect(error).toBeUndefined();
    expect([parsed.entries.length, parsed.entries[0].secrets.length]).toEqual([200, 250]);
  });

  it('is rejected if it contains too many secrets', async () => {
    const secrets = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`K${at}`, `ghp_${String(at).padStart(4, '0')}aaaaaaaaaaaaaaaaaaaa`]),
    );
    const { parsed } = await read(server({ command: 'it', env: secrets }));
    expect(parsed).toMatchObject({
      status: 'unreadable',
      problems: [{ reason: 'has too many secrets' }],
      entries: [],
    });
  });

  it('is parsed normally if its keys are names of built-in properties', async () => {
    const fields = '"__proto__": {"a": 1}, "constructor": "x", "toString": "y", "hasOwnProperty": {}';
    const { parsed } = await read(`{"mcpServers": {"it": {"command": "it", ${fields}}}}`);
    expect(parsed.entries).toMatchObject([{ command: 'it' }]);
  });

  it('is parsed without the fingerprint key: the worker only numbers the secrets', async () => {
    const { parsed, secrets } = await read(server({ command: 'it', env: { TOKEN: 'ghp_aaaaaaaaaaaaaaaaaaaaaaaa' } }));
    expect(secrets).toEqual(['ghp_aaaaaaaaaaaaaaaaaaaaaaaa']);
    expect(parsed.entries[0].secrets).toMatchObject([{ fingerprint: '0' }]);
  });
});
