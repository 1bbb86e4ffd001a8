import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliNode, ScanCli } from './kit/scan-cli.js';
import { homeFiles, projectFiles, scanSecrets, writeFiles } from './kit/scan-home.js';

let cli: ScanCli;
let folder: string;
let home: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'scan-')));
  chmodSync(folder, 0o755); // another user runs the command line, too
  cli = ScanCli.bundle(folder);
  home = path.join(folder, 'home/ines');
  writeFiles(home, homeFiles);
  writeFiles(home, projectFiles);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A new folder with these files. */
function aFolder(name: string, files: Record<string, string | Buffer>): string {
  const root = path.join(folder, name);
  mkdirSync(root);
  writeFiles(root, files);
  return root;
}
const withoutSecrets = (text: string) => {
  for (const secret of Object.values(scanSecrets)) expect(text).not.toContain(secret);
  return text;
};

describe('estate scan', () => {
  it('reads the files of every client in a home folder', async () => {
    const { files, findings, skipped } = await cli.json(['--user'], { cwd: home });
    expect(files.map((file) => path.relative(home, file.path)).sort()).toEqual(Object.keys(homeFiles).sort());
    expect(files.filter(({ scope, status }) => scope !== 'user' || status !== 'read')).toEqual([]);
    const servers = files.flatMap((file) => file.servers.map(({ name }) => `${file.client}: ${name}`));
    await expect(`${servers.sort().join('\n')}\n`).toMatchFileSnapshot('golden/cli-scan-servers.txt');
    expect(skipped).toEqual([]);
    withoutSecrets(JSON.stringify(findings));
  });

  it('prints findings by severity, with lines and without secrets', async () => {
    const { code, stdout, stderr } = await cli.scan(['--user', '.'], { cwd: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(withoutSecrets(stdout).replaceAll(home, '<home>')).toMatchFileSnapshot('golden/cli-scan.txt');
  });

  it('scans the current folder by default, and exits with 3 for severe findings', async () => {
    const cwd = aFolder('fail', { '.cursor/mcp.json': homeFiles['.cursor/mcp.json'] });
    expect(await cli.scan([], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await cli.scan(['--fail-on', 'high'], { cwd });
    expect({ code, stderr }).toEqual({ code: 3, stderr: 'Error: 1 finding of severity high or worse.\n' });
    expect(stdout).toContain('.cursor/mcp.json:10');
    expect(await cli.scan(['--fail-on', 'huge'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  });

  it('follows links inside a folder only, and survives loops', async () => {
    const notes = JSON.stringify({ mcpServers: { notes: { command: 'notes' } } });
    const outside = aFolder('outside', { '.cursor/mcp.json': notes });
    const cwd = aFolder('links', { 'dotfiles/cursor/mcp.json': notes, 'loop/.cursor/mcp.json': notes });
    const link = (name: string, target: string) => {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
      symlinkSync(target, path.join(cwd, name));
    };
    link('inside/.cursor', '../dotfiles/cursor');
    link('file/.cursor/mcp.json', '../../dotfiles/cursor/mcp.json');
    link('folder/.cursor', path.join(outside, '.cursor'));
    link('out/.cursor/mcp.json', path.join(outside, '.cursor/mcp.json'));
    link('all', outside);
    link('loop/again', '..');
    link('loop/.vscode', '.vscode');
    link('self/.mcp.json', '.mcp.json');
    link('broken/.mcp.json', 'nowhere');
    const { files, skipped } = await cli.json([], { cwd });
    const relative = (name: string) => path.relative(cwd, name);
    expect(files.map((file) => relative(file.path)).sort()).toEqual([
      'file/.cursor/mcp.json',
      'inside/.cursor/mcp.json',
      'loop/.cursor/mcp.json',
    ]);
    expect(skipped.map((one) => [relative(one.path), one.reason]).sort()).toEqual([
      ['broken/.mcp.json', 'is a broken link'],
      ['folder/.cursor', 'is a link to a target outside of the folder'],
      ['loop/.vscode', 'is a link to itself'],
      ['out/.cursor/mcp.json', 'is a link to a target outside of the folder'],
      ['self/.mcp.json', 'is a link to itself'],
    ]);
    // in a home folder, too
    expect((await cli.json(['--user'], { cwd, env: { HOME: path.join(cwd, 'folder') } })).skipped).toMatchObject([
      { reason: 'is a link to a target outside of the folder' },
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'reports folders and files that it may not read, and scans the others',
    async () => {
      const notes = JSON.stringify({ mcpServers: { notes: { command: 'notes' } } });
      const cwd = aFolder('closed', { 'a/.mcp.json': notes, 'b/c/.mcp.json': notes, 'd/.mcp.json': notes });
      chmodSync(path.join(cwd, 'b'), 0);
      chmodSync(path.join(cwd, 'd/.mcp.json'), 0);
      const { files, skipped } = await cli.json([], { cwd, uid: 65_534 });
      expect(files.map(({ path: name, status, problems }) => [path.relative(cwd, name), status, problems])).toEqual([
        ['a/.mcp.json', 'read', []],
        ['d/.mcp.json', 'unreadable', [{ place: '', reason: 'cannot be read: permission denied' }]],
      ]);
      expect(skipped).toEqual([{ path: path.join(cwd, 'b'), reason: 'cannot be read: permission denied' }]);
      const { code, stdout } = await cli.scan([], { cwd, uid: 65_534 });
      expect(code).toBe(0);
      expect(stdout).toContain('  b cannot be read: permission denied\n');
    },
  );

  it('shows hostile names without their effect', async () => {
    const evil = 'a\n\u001b[2Kb\u202Etxt\u200B';
    const cwd = aFolder('hostile', {
      [`${evil}/.cursor/mcp.json`]: JSON.stringify({ mcpServers: { [evil]: { command: 'npx', args: [evil] } } }),
      [`${scanSecrets.github}/.cursor/mcp.json`]: '{"mcpServers": {"\u2028": 7}}',
    });
    const { stdout, code } = await cli.scan([], { cwd });
    expect(code).toBe(0);
    expect(withoutSecrets(stdout).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(stdout).toContain('  a\\u000A\\u001B[2Kb\\u202Etxt\\u200B/.cursor/mcp.json:1  Hidden characters\n');
    expect(stdout).toContain('[secret:github_token]/.cursor/mcp.json');
    // a hook may pass such a name
    expect((await cli.scan(['x\nError: y'], { cwd })).stderr).toBe('Error: "x\\u000AError: y" does not exist.\n');
    const { files } = await cli.json([], { cwd });
    expect(files.map(({ path: name }) => path.relative(cwd, name)).sort()).toEqual([
      '[secret:github_token]/.cursor/mcp.json',
      `${evil}/.cursor/mcp.json`,
    ]);
  });

  it('reports files that are too large or no text, and does not wait for a pipe', async () => {
    const cwd = aFolder('odd', {
      'big/.mcp.json': Buffer.alloc(300_000, ' '),
      'binary/.mcp.json': Buffer.from([0, 1, 2]),
      'deep/.mcp.json': '['.repeat(100_000),
      'empty/.mcp.json': '',
      'pipe/x': '',
      'folder/.mcp.json/x': '',
    });
    execFileSync('mkfifo', [path.join(cwd, 'pipe/.mcp.json')]);
    const { files } = await cli.json([], { cwd });
    expect(
      files.map(({ path: name, status, problems }) => [path.relative(cwd, name), status, problems[0]?.reason]).sort(),
    ).toEqual([
      ['big/.mcp.json', 'unreadable', 'is too large: 0.3 MiB, the limit is 0.3 MiB'],
      ['binary/.mcp.json', 'unreadable', 'is not text'],
      ['deep/.mcp.json', 'unreadable', 'is nested too deeply'],
      ['empty/.mcp.json', 'read', 'is empty'],
    ]);
  });

  it('scans nothing in dependencies and repositories, but hidden and ignored folders of clients', async () => {
    const notes = JSON.stringify({ mcpServers: { notes: { command: 'notes' } } });
    const cwd = aFolder('places', {
      '.gitignore': '*',
      'node_modules/x/.mcp.json': notes,
      '.git/.mcp.json': notes,
      'bare.git/HEAD': '',
      'bare.git/objects/.mcp.json': notes,
      'bare.git/refs/x': '',
      'hidden/HEAD': '',
      'hidden/objects/x': '',
      'hidden/refs/x': '',
      'hidden/.mcp.json': notes,
      '.cache/x/.mcp.json': notes,
      'x/.vscode/mcp.json': notes,
      'x/mcp.json': notes,
    });
    const { files } = await cli.json([], { cwd });
    expect(files.map((file) => path.relative(cwd, file.path)).sort()).toEqual([
      'hidden/.mcp.json',
      'x/.vscode/mcp.json',
    ]);
  });

  it('scans single files, as a pre-commit hook names them', async () => {
    const cwd = aFolder('single', { 'a/.mcp.json': '{"mcpServers": {"x": {"url": "http://x.example"}}}', 'b.txt': '' });
    const { code, stdout } = await cli.scan(['--fail-on', 'high', 'a/.mcp.json', 'b.txt'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain('a/.mcp.json:1');
    expect(stdout).toContain('b.txt is not a configuration file of a supported AI client');
    const missing = await cli.scan(['nowhere'], { cwd });
    expect(missing).toEqual({ code: 2, stdout: '', stderr: 'Error: "nowhere" does not exist.\n' });
  });

  it('writes valid SARIF', async () => {
    const { code } = await cli.scan(['--user', '.', '--sarif', path.join(folder, 'findings.sarif')], { cwd: home });
    expect(code).toBe(0);
    const sarif = readFileSync(path.join(folder, 'findings.sarif'), 'utf8');
    const log = JSON.parse(withoutSecrets(sarif)) as SarifLog;
    // the schema of draft 4 uses no keyword that has changed since
    const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync('test/schemas/sarif-2.1.0.json', 'utf8'));
    const isValid = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
    expect([isValid(log), isValid.errors]).toEqual([true, null]);
    const { results, tool } = log.runs[0];
    expect(results).toHaveLength(11);
    expect(results.every(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex].id === ruleId)).toBe(true);
    expect(results.find(({ ruleId }) => ruleId === 'shadowed_server')!.locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: 'shop/.cursor/mcp.json', uriBaseId: 'SRCROOT' },
          region: { startLine: 3, startColumn: 5 },
        },
      },
    ]);
    const again = await cli.scan(['--user', '.', '--sarif', '-'], { cwd: home });
    expect(JSON.parse(again.stdout)).toEqual(log);
    const nowhere = await cli.scan(['--sarif', path.join(folder, 'nowhere/x.sarif')], { cwd: aFolder('no-sarif', {}) });
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be written') });
  });

  it('reads the servers of Claude Code in a file that is large because of its histories', async () => {
    const claude = JSON.parse(homeFiles['.claude.json']) as object;
    const history = Array.from({ length: 20_000 }, (_, index) => `${scanSecrets.note} ${index}`);
    const cwd = aFolder('large-home', { '.claude.json': JSON.stringify({ history, ...claude }) });
    const { files, findings } = await cli.json(['--user'], { cwd });
    expect(files[0].servers.map(({ name }) => name)).toEqual(['claude-code', 'tickets (~/shop)']);
    expect(findings.map(({ rule, line }) => [rule, line])).toEqual([
      ['plain_http', null],
      ['plaintext_secret', null],
    ]);
    writeFileSync(path.join(cwd, '.claude.json'), '{'.repeat(300_000));
    expect((await cli.json(['--user'], { cwd })).files).toMatchObject([
      { status: 'unreadable', problems: [{ reason: 'is larger than 256 KiB' }] },
    ]);
  });

  it('reads a file that is replaced again and again', async () => {
    const content = JSON.stringify({ mcpServers: { notes: { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'] } } });
    const cwd = aFolder('replaced', { '.mcp.json': content });
    const file = path.join(cwd, '.mcp.json');
    let isDone = false;
    const replace = async () => {
      while (!isDone) {
        writeFileSync(file, content.slice(0, Math.floor(Math.random() * content.length)));
        await setImmediate();
        writeFileSync(file, content);
        await setImmediate();
      }
    };
    const [[{ files }]] = await Promise.all([
      Promise.all([1, 2, 3].map(() => cli.json([], { cwd }))).finally(() => (isDone = true)),
      replace(),
    ]);
    expect(files).toHaveLength(1);
    expect(['read', 'partly', 'unreadable']).toContain(files[0].status);
  });

  it.skipIf(!existsSync('/usr/bin/strace'))('starts no program and opens no connection', async () => {
    const cwd = aFolder('started', {});
    const { stdout } = await promisify(execFile)(
      'strace',
      ['-f', '-qq', '-e', 'trace=execve,connect,openat', cliNode, cli.file, 'estate', 'scan', '--user', home],
      { cwd, env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 2 ** 28 },
    ).then(({ stderr }) => ({ stdout: stderr }));
    expect(stdout.match(/execve\(/g)).toHaveLength(1);
    expect(stdout).not.toContain('connect(');
  });
});

interface SarifLog {
  runs: {
    tool: { driver: { rules: { id: string }[] } };
    results: { ruleId: string; ruleIndex: number; locations: object[] }[];
  }[];
}
