import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanCli, type ScanDocument } from './kit/scan-cli.js';
import { writeFiles } from './kit/scan-home.js';

/* Secrets in unusual places: neither the outputs nor the request may contain one. */

/** Recognized by its format, wherever it is. Assembled, so that no scanner of this repository reports it. */
const token = ['ghp', '_', 'Zq81Lw0vTn5YxB2cRk7Hs4Md9Pj3Fa6GeUoI'].join('');
/** Recognized by its randomness, wherever it is. */
const random = ['9fK2', 'xQ7vLm4T', 'z8Rb1NcW', 'p5Hs0Yd3'].join('');
/** Only recognized by its place. */
const password = 'blue-Otter+77';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Servers by what they hide. */
const servers: Record<string, object> = {
  option: { command: 'x', args: ['--token', password, `--api-key=${password}`, '-p', token, random] },
  variables: { command: 'docker', args: ['run', '-e', `API_KEY=${password}`, '--env', `NOTE=${password}`, 'image'] },
  shell: {
    command: 'sh',
    args: ['-c', `TOKEN=${password} curl -u ines:${password} -H "Authorization: Bearer ${password}" https://a.example`],
  },
  json: { command: 'x', args: [`--config={"apiKey":"${password}"}`, `{"nested":{"password":"${password}"}}`] },
  header: { command: 'x', args: ['--header', `X-Api-Key: ${password}`, '-H', `Cookie: sid=${password}`] },
  database: { command: 'x', args: [`postgres://ines:${password}@db.example/shop`, `Server=db;Password=${password};`] },
  base64: {
    command: 'x',
    args: [base64(`ines:${random}`), `--auth=${base64(password)}`],
    env: { X: base64(password) },
  },
  url: { url: `https://ines:${password}@a.example/${token}/${random}?key=${password}&q=${password}#${password}` },
  nestedUrl: { url: `https://a.example/?to=${encodeURIComponent(`https://b.example/?token=${token}`)}` },
  headers: {
    url: 'https://a.example',
    headers: {
      Authorization: `Basic ${base64(`ines:${password}`)}`,
      'X-Key': password,
      Cookie: `session=${password}`,
      'X-Other': password,
    },
  },
  default: { command: 'x', env: { A: `\${TOKEN:-${password}}`, B: `$HOME/${password}`, C: `{env:X}${password}` } },
  fields: {
    command: `/opt/${token}/x`,
    cwd: `/srv/${token}`,
    envFile: `/srv/${random}/.env`,
    headersHelper: `get-headers --secret ${password} ${token}`,
    autoApprove: [token],
    auth: { clientSecret: password, client_id: token, more: { refresh: password } },
    type: token,
    bearer_token_env_var: token,
    env_http_headers: { 'X-A': token },
  },
  unknown: { command: 'x', extra: { deep: [{ password }, [password, { [token]: password }]] }, pinCode: 48213377 },
  keys: { command: 'x', env: { [token]: '1', [random]: '1' }, [token]: 1 },
  array: { command: ['x', '--token', password], args: `--token ${password}` },
  [token]: { command: 'x' },
  [`name ${random}`]: { command: 'npx', args: ['-y', 'mcp-x'], env: { A: '1' } },
};

const files: Record<string, string | Buffer> = {
  'json/.mcp.json': JSON.stringify({ [token]: token, mcpServers: servers }, null, 2),
  'escaped/.mcp.json': `{"mcpServers": {"a": {"command": "x", "args": ["${escaped(token)}"], "env": {"TOKEN": "${escaped(password)}"}}}}`,
  'comments/.vscode/mcp.json': `{
  // ${token} ${password}
  "inputs": [{ "id": "key", "default": "${password}" }], /* ${token} */
  "servers": { "a": { "command": "x" /* ${password} */, "args": ["y"] // ${token}
  } }
}`,
  'broken/.mcp.json': `{"mcpServers": {"a": {"command": "x", "${token}": }, "b${token}": 7, "c": {"env": {"TOKEN": "${password}", "K${random}" "v"`,
  'text/.mcp.json': `${token} ${password}`,
  'utf16/.mcp.json': Buffer.from(`\ufeff${JSON.stringify({ mcpServers: servers })}`, 'utf16le'),
  'bom/.mcp.json': `\ufeff${JSON.stringify({ mcpServers: servers })}`,
  'toml/.codex/config.toml': `# ${token} ${password}
notes = """
${token}"""
[mcp_servers.a]
command = "sh"
args = ["-c", """
export TOKEN=${password}
run --password ${password} ${token}
""", '''--token=${password}''']
env.API_KEY = '''${password}'''
env = { }
`,
  'toml-valid/.codex/config.toml': `# ${token}
notes = """
${token}
${password}"""
[mcp_servers.a]
command = "sh"
args = ["-c", """
export TOKEN=${password}
run --password ${password} \\
  ${token}
""", '''--token=${password}''']
http_headers = { "X-Key" = "${password}", Authorization = '''Bearer ${password}''' }
[mcp_servers.a.env]
API_KEY = '''
${password}'''
"${token}" = "x"
[mcp_servers."${token}"]
url = "https://a.example/?key=${password}"
`,
  'yaml/.continue/mcpServers/a.yaml': `# ${token}
x-secret: &secret ${password}
x-token: &token >-
  ${token}
x-defaults: &defaults
  env: &env
    TOKEN: *secret
    OTHER: *token
mcpServers:
  - name: a
    <<: *defaults
    command: sh
    args:
      - -c
      - |
        export TOKEN=${password}
        run ${token}
      - *token
      - --password
      - *secret
  - name: b
    command: x
    env: *env
    extra: { password: *secret, binary: !!binary ${base64(password)} }
  - name: *token
    url: "https://ines:${password}@a.example"
  - ? *token
    : *secret
    name: c
    command: x
`,
  'yaml-broken/.continue/mcpServers/a.yml': `mcpServers:\n  - name: a\n  env: {TOKEN: ${password}\n ${token}: [`,
  [`${token}/.mcp.json`]: '{"mcpServers": {"a": {"url": "http://a.example"}}}',
  [`${random}/.mcp.json`]: '{"mcpServers": 7}',
  'workspace/shop.code-workspace': JSON.stringify({
    settings: { mcp: { servers: { a: { command: 'x', env: { TOKEN: password } } }, inputs: [{ default: password }] } },
    [token]: password,
  }),
  'large/.claude.json': JSON.stringify({
    history: Array.from({ length: 5000 }, (_, at) => `${password} ${token} ${random} ${at}`),
    mcpServers: servers,
    projects: { [`/srv/${token}`]: { mcpServers: { a: servers.option } }, '/srv/none': null },
  }),
};

let cli: ScanCli;
let folder: string;
let cwd: string;
let server: Server;
const bodies: string[] = [];
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'scan-secrets-')));
  cli = ScanCli.bundle(folder);
  cwd = path.join(folder, 'files');
  writeFiles(cwd, files);
  server = createServer((request, response) => {
    let body = JSON.stringify(request.headers);
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json');
      const version = { name: 'countersign', version: '1.0.0', protocol: { oldest: 1, newest: 1 } };
      const confirmation = { added: 1, changed: 0, unchanged: 0, gone: 0, isStale: false, skipped: [] };
      response.end(JSON.stringify(request.url === '/cli' ? version : confirmation));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Parts of a secret that are long enough to be no coincidence, also in other notations. */
const traces = [token, random, password].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  base64(secret).slice(0, 12),
  base64(`ines:${secret}`).slice(8, 20),
  secret.slice(0, 10),
  secret.slice(-10),
]);
const tracesIn = (text: string) => traces.filter((trace) => text.includes(trace));

describe('secrets in unusual places', () => {
  it('are in no output, and never leave the machine', async () => {
    const env = {
      COUNTERSIGN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      COUNTERSIGN_KEY: 'a-key',
      DEVICE_SECRET_FILE: path.join(folder, 'state/device-secret'),
    };
    const sarif = path.join(folder, 'findings.sarif');
    const args = ['--upload', '--yes', '--device', 'd', '--sarif', sarif];
    const [text, json] = [await cli.scan(args, { cwd, env }), await cli.scan([...args, '--json'], { cwd, env })];
    expect([text.code, text.stderr, json.code, json.stderr]).toEqual([0, '', 0, '']);
    const outputs = {
      text: text.stdout,
      json: json.stdout,
      sarif: readFileSync(sarif, 'utf8'),
      sent: bodies.join('\n'),
    };
    for (const [name, output] of Object.entries(outputs)) expect([name, tracesIn(output)]).toEqual([name, []]);

    // everything that could be read was read
    const { files: scanned } = JSON.parse(json.stdout) as ScanDocument;
    const statuses = scanned.map(({ path: file, status, servers: found }) => [
      path.relative(cwd, file).split('/')[0],
      status,
      found.length,
    ]);
    const all = Object.keys(servers).length;
    expect(Object.fromEntries(statuses.map(([name, ...rest]) => [name, rest]))).toEqual({
      '[secret:generic]': ['unreadable', 0],
      '[secret:github_token]': ['read', 1],
      bom: ['read', all],
      broken: ['partly', 2],
      comments: ['read', 1],
      escaped: ['read', 1],
      json: ['read', all],
      large: ['read', all + 1],
      text: ['unreadable', 0],
      toml: ['unreadable', 0],
      'toml-valid': ['read', 2],
      utf16: ['read', all],
      workspace: ['read', 1],
      yaml: ['read', 4],
      'yaml-broken': ['unreadable', 0],
    });
  });
});
