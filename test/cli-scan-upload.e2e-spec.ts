import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FindingEvaluationService } from '../src/estate/findings/evaluation/finding-evaluation.service.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { ScanCli, type ScanDocument } from './kit/scan-cli.js';
import { homeFiles, projectFiles, scanSecrets, writeFiles } from './kit/scan-home.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let cli: ScanCli;
let folder: string;
let home: string;
let proxy: RecordingProxy;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'scan-upload-')));
  cli = ScanCli.bundle(folder);
  home = path.join(folder, 'home/ines');
  writeFiles(home, homeFiles);
  writeFiles(home, projectFiles);
  proxy = await RecordingProxy.start(server.url);
});
afterAll(async () => {
  proxy.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Passes requests to the server, and stores the bytes of uploads. */
class RecordingProxy {
  readonly paths: string[] = [];
  readonly uploads: { headers: Record<string, string>; body: Buffer }[] = [];
  private constructor(
    private readonly http: Server,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<RecordingProxy> {
    const http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers)
            .filter(([name]) => ['authorization', 'content-type', 'countersign-device-secret'].includes(name))
            .map(([name, value]) => [name, String(value)]),
        );
        const body = Buffer.concat(chunks);
        self.paths.push(request.url!);
        const isUpload = request.method === 'POST';
        if (isUpload) self.uploads.push({ headers, body });
        const init = { method: request.method, headers, body: isUpload ? body : undefined };
        void fetch(`${target}${request.url}`, init).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          response.end(await answer.text());
        });
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const self = new RecordingProxy(http, `http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    return self;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }
}

const secretFile = () => path.join(folder, 'state/device-secret');
const environment = (more: Record<string, string> = {}) => ({
  HOME: home,
  COUNTERSIGN_URL: proxy.url,
  COUNTERSIGN_KEY: estate.key,
  DEVICE_SECRET_FILE: secretFile(),
  ...more,
});
const upload = (args: string[], more?: Record<string, string>) =>
  cli.scan(['--user', '.', '--upload', '--device', 'lap-cli', ...args], { cwd: home, env: environment(more) });

interface StoredFinding {
  rule: string;
  severity: string;
  path: string | null;
  serverName: string | null;
  reason: string;
  fix: string;
  evidence: Record<string, unknown>;
}
/** All findings that need one machine only. */
async function storedFindings(): Promise<StoredFinding[]> {
  await server.app.get(FindingEvaluationService).evaluate(lark.system);
  const ask = await lark.as();
  const { data, errors } = await ask(
    '{ estateFindings(first: 200, state: open) { nodes { rule severity path serverName reason fix evidence } } }',
  );
  expect(errors).toBeUndefined();
  const { nodes } = Object.values(data as object)[0] as { nodes: StoredFinding[] };
  return nodes.filter(({ rule }) => rule !== 'not_approved');
}
/** Fingerprints differ: in the output they only number the secrets. */
const comparable = <T extends Pick<StoredFinding, 'rule' | 'path' | 'reason'>>(findings: T[]): T[] =>
  (JSON.parse(JSON.stringify(findings, (key, value: unknown) => (key === 'fingerprint' ? '' : value))) as T[]).sort(
    (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1),
  );
const keyOf = ({ rule, path: file, reason }: Pick<StoredFinding, 'rule' | 'path' | 'reason'>) =>
  `${rule} ${file} ${reason}`;

describe('the upload of a scan', () => {
  it('asks for confirmation and shows what it would send', async () => {
    const { code, stdout, stderr } = await upload([]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'Error: Nothing was sent. Add --yes to upload without a terminal.\n',
    });
    expect(stdout).toContain(`Upload to ${proxy.url}`);
    expect(stdout).toMatch(/ {2}\.cursor\/mcp\.json {2}\d+ bytes, 2 values replaced\n/);
    expect(proxy.paths).toEqual([]);
  });

  it('contains no secret, and gives the findings that the scan has shown', async () => {
    const { code, stdout, stderr } = await upload(['--json', '--yes', '--complete', '--owner', 'ines@example.com']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const scanned = JSON.parse(stdout) as ScanDocument;
    expect(scanned.upload).toMatchObject({ device: 'lap-cli', added: 45, gone: 0, skipped: [], isStale: false });
    expect(proxy.paths).toEqual(['/cli', '/ingest/estate']);
    const sent = proxy.uploads[0].body.toString('latin1');
    for (const secret of Object.values(scanSecrets)) {
      expect(sent + stdout).not.toContain(secret);
      expect(sent).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
    }
    const shown = scanned.findings.map(({ server: serverName, rule, severity, path: file, reason, fix, evidence }) => ({
      ...{ rule, severity, path: file, serverName, reason, fix, evidence },
    }));
    expect(comparable(await storedFindings())).toEqual(comparable(shown));
    const servers = await estate.rows<{ path: string; name: string; hash: string }>(
      `select f.path, e.name, e.definition_hash as hash from estate_entries e
       join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id where e.tenant_id = $1`,
    );
    expect(servers.map(({ path: file, name, hash }) => [file, name, hash]).sort()).toEqual(
      scanned.files
        .flatMap((file) => file.servers.map(({ name, definitionHash }) => [file.path, name, definitionHash]))
        .sort(),
    );
    const files = await estate.rows<{ path: string; size: number; scope: string; owner: string }>(
      `select path, size, scope, owner_email as owner from estate_files where tenant_id = $1`,
    );
    expect(files.find((file) => file.path.endsWith('ines/.cursor/mcp.json'))).toMatchObject({
      size: homeFiles['.cursor/mcp.json'].length,
      scope: 'user',
      owner: 'ines@example.com',
    });
  });

  it('gives equal secrets of a device equal fingerprints', async () => {
    const secrets = await estate.rows<{ path: string; type: string; fingerprint: string }>(
      `select f.path, s ->> 'type' as type, s ->> 'fingerprint' as fingerprint
       from estate_entries e join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id,
            jsonb_array_elements(e.secrets) s
       where e.tenant_id = $1`,
    );
    const of = (type: string) => new Set(secrets.filter((one) => one.type === type).map((one) => one.fingerprint));
    expect(secrets.filter((one) => one.type === 'openai_key')).toHaveLength(2);
    expect([of('openai_key').size, of('github_token').size]).toEqual([1, 1]);
    expect([...of('openai_key')][0]).toMatch(/^[0-9a-f]{32}$/);
    // neither the sent fingerprint nor the key of the device is stored
    expect(proxy.uploads[0].body.toString()).not.toContain([...of('openai_key')][0]);
    expect(proxy.uploads[0].body.toString()).not.toContain(
      readFileSync(path.join(folder, 'state/fingerprint-key'), 'utf8'),
    );
  });

  it('changes nothing when it is repeated, and versions a changed file', async () => {
    expect(JSON.parse((await upload(['--json', '--yes'])).stdout).upload).toMatchObject({ unchanged: 45, changed: 0 });
    writeFileSync(
      path.join(home, '.warp/.mcp.json'),
      '{"mcpServers": {"warp": {"command": "warp", "env": {"TOKEN": "first-value-1"}}}}',
    );
    expect(JSON.parse((await upload(['--json', '--yes'])).stdout).upload).toMatchObject({ unchanged: 44, changed: 1 });
    writeFileSync(
      path.join(home, '.warp/.mcp.json'),
      '{"mcpServers": {"warp": {"command": "warp", "env": {"TOKEN": "other-value-2"}}}}',
    );
    const { stdout } = await upload(['--yes']);
    expect(stdout).toContain('Sent: 0 added, 1 changed, 44 unchanged, 0 gone.');
  });

  it('keeps its secrets in files of its user', () => {
    for (const name of ['device-secret', 'fingerprint-key']) {
      const file = path.join(folder, 'state', name);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('is refused when it is replayed, or forged without the secret of the device', async () => {
    const [{ headers, body }] = proxy.uploads.slice(-1);
    const post = (change: object, otherHeaders: Record<string, string | undefined> = {}) => {
      const changed = Object.entries({ ...headers, ...otherHeaders }).filter(([, value]) => value !== undefined);
      return fetch(`${server.url}/ingest/estate`, {
        method: 'POST',
        headers: Object.fromEntries(changed) as Record<string, string>,
        body: JSON.stringify({ ...(JSON.parse(body.toString()) as object), ...change }),
      });
    };
    const [old] = proxy.uploads;
    const replayed = await fetch(`${server.url}/ingest/estate`, {
      method: 'POST',
      headers: old.headers,
      body: old.body,
    });
    expect(await replayed.json()).toMatchObject({ isStale: true, changed: 0, gone: 0 });
    const forged = await post({ files: [], isComplete: true }, { 'countersign-device-secret': 'x'.repeat(64) });
    expect([forged.status, await forged.json()]).toMatchObject([409, { code: 'device-secret-mismatch' }]);
    const missing = await post({ files: [], isComplete: true }, { 'countersign-device-secret': undefined });
    expect(missing.status).toBe(409);
    const other = await EstateFixture.create(server, lark);
    const otherKey = await post({ files: [] }, { authorization: `Bearer ${other.key}` });
    expect([otherKey.status, await otherKey.json()]).toMatchObject([409, { code: 'device-belongs-to-another-key' }]);
    // another installation with the same name: the command line says what to do
    const { code, stderr } = await upload(['--yes'], { DEVICE_SECRET_FILE: path.join(folder, 'other/device-secret') });
    expect(code).toBe(1);
    expect(stderr).toContain('The secret does not match this device.');
  });

  it('is refused with a wrong key, address or secret file', async () => {
    const fails = async (more: Record<string, string>) => {
      const cwd = path.join(home, 'shop');
      const { code, stderr } = await cli.scan(['--upload', '--yes'], { cwd, env: environment(more) });
      return [code, stderr];
    };
    expect(await fails({ COUNTERSIGN_KEY: 'csk_wrong' })).toEqual([77, expect.stringContaining('refused the key')]);
    expect(await fails({ COUNTERSIGN_KEY: '' })).toEqual([2, expect.stringContaining('COUNTERSIGN_KEY')]);
    expect(await fails({ COUNTERSIGN_KEY: '', COUNTERSIGN_KEY_FILE: path.join(folder, 'nowhere') })).toEqual([
      2,
      expect.stringContaining('cannot be read'),
    ]);
    expect(await fails({ COUNTERSIGN_URL: 'http://countersign.example.com' })).toEqual([
      2,
      expect.stringContaining('http://countersign.example.com is not encrypted'),
    ]);
    expect(await fails({ COUNTERSIGN_URL: '' })).toEqual([2, expect.stringContaining('--server')]);
    expect(await fails({ COUNTERSIGN_URL: 'http://127.0.0.1:1' })).toEqual([
      69,
      expect.stringContaining('cannot be reached'),
    ]);
    writeFileSync(path.join(folder, 'short'), 'short');
    expect(await fails({ DEVICE_SECRET_FILE: path.join(folder, 'short') })).toEqual([
      1,
      expect.stringContaining('cannot be used'),
    ]);
  });

  it('reads its key from a file, and sends files that were not found as gone', async () => {
    writeFileSync(path.join(folder, 'key'), `${estate.key}\n`);
    rmSync(path.join(home, '.kiro/settings/mcp.json'));
    const more = { COUNTERSIGN_KEY: '', COUNTERSIGN_KEY_FILE: path.join(folder, 'key') };
    const { stdout } = await upload(['--yes', '--complete'], more);
    expect(stdout).toContain('Sent: 0 added, 0 changed, 44 unchanged, 1 gone.');
  });

  it('includes folders that environment variables name, and the inventory recognizes them', async () => {
    const elsewhere = path.join(folder, 'work settings');
    writeFiles(elsewhere, { 'config.toml': '[mcp_servers.moved]\ncommand = "moved"\n' });
    const { stdout } = await upload(['--yes', '--json'], { CODEX_HOME: elsewhere });
    expect(JSON.parse(stdout).upload).toMatchObject({ added: 1, skipped: [] });
    const moved = await estate.rows<{ client: string; scope: string; name: string }>(
      `select f.client, f.scope, e.name from estate_files f
       join estate_entries e on e.tenant_id = f.tenant_id and e.file_id = f.id
       where f.tenant_id = $1 and f.path like '%/work settings/config.toml'`,
    );
    expect(moved).toEqual([{ client: 'codex', scope: 'user', name: 'moved' }]);
  });

  it('never stores a secret that a device did not replace', async () => {
    const { github } = scanSecrets;
    const content = JSON.stringify({
      form: 1,
      status: 'read',
      problems: [],
      oddities: [],
      entries: [{ name: 'x', definition: { command: 'x', env: { A: `[secret:generic] ${github}` } } }],
    });
    const answer = await estate.post({
      device: 'lap-forged',
      files: [{ path: '/home/a/.cursor/mcp.json', content, isRedacted: true }],
    });
    expect(await answer.json()).toMatchObject({ added: 1 });
    const [{ definition, secrets }] = await estate.rows<{ definition: object; secrets: object[] }>(
      `select definition, secrets from estate_entries where tenant_id = $1 and name = 'x'`,
    );
    expect(definition).toEqual({ command: 'x', env: { A: '[secret:generic] [secret:github_token]' } });
    expect(secrets).toMatchObject([{ type: 'github_token', place: '/env/A' }]);
  });
});
