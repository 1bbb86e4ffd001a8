import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocket } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine } from './kit/command-line.js';
import { writeFiles } from './kit/scan-home.js';

/* `estate scan` at a terminal and in pipes, with disks, servers and files that fail. */

const ctrlC = '\u0003';
const secret = ['ghp', '_', 'Tq71Lw0vTn5YxB2cRk7Hs4Md9Pj3Fa6GeUoI'].join('');
const configuration = '{"mcpServers": {"[a](https://evil.example)": {"url": "http://a.example"}}}';
const version = { name: 'countersign', version: '1.0.0', protocol: { oldest: 1, newest: 1 } };
const confirmation = { added: 1, changed: 0, unchanged: 0, gone: 0, isStale: false, skipped: [] };

let cli: CommandLine;
let folder: string;
let http: Server;
let requests = 0;
let uploads = 0;
let body: string;
let answerVersion: (response: ServerResponse) => void;
let answer: (response: ServerResponse) => void;
const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

beforeAll(async () => {
  http = createServer((request, response) => {
    requests++;
    if (request.url === '/cli') return answerVersion(response);
    uploads++;
    body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const built = await CommandLine.build();
  folder = path.join(built.folder, 'project');
  writeFiles(folder, { '.mcp.json': configuration });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const DEVICE_SECRET_FILE = path.join(built.folder, 'state/device-secret');
  cli = built.with({ env: { COUNTERSIGN_URL: url, COUNTERSIGN_KEY: 'a-key', DEVICE_SECRET_FILE } });
});
afterAll(() => http.close());
beforeEach(() => {
  requests = uploads = 0;
  answerVersion = (response) => json(response, 200, version);
  answer = (response) => json(response, 200, confirmation);
});

/** Through a shell, in the folder of the project. */
const shell = (script: string): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...cli.env, HOME: cli.home };
    execFile('sh', ['-c', script], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
const scanCommand = () => `'${process.execPath}' '${cli.program}' estate scan`;

describe('the confirmation of an upload in a terminal', () => {
  const asked = async () => {
    const command = cli.startInTerminal(['estate', 'scan', folder, '--upload']);
    await command.waitFor(/◆[^\n]*Send 1 file to http/);
    return command;
  };

  it('sends nothing after Ctrl-C or "no"', async () => {
    for (const [key, exitCode] of [[ctrlC, 130] as const, ['n', 1] as const]) {
      const command = await asked();
      command.write(key);
      const { code, stdout } = await command.ended;
      expect([code, stdout]).toEqual([exitCode, expect.stringContaining('Nothing was sent.')]);
      expect(stdout).not.toMatch(/^\s+at /m);
      expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l')); // the cursor is back
    }
    expect(requests).toBe(0);
  });

  it('sends after "yes"', async () => {
    const command = await asked();
    command.write('y');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Sent: 1 added') });
    expect(uploads).toBe(1);
  });
});

describe('an upload to a server that does not understand it', () => {
  const upload = () => cli.run(['estate', 'scan', folder, '--upload', '--yes']);

  const wrongAnswers: [string, (response: ServerResponse) => void][] = [
    ['a web page', (response) => response.end('<html>')],
    ['another document', (response) => json(response, 200, { ok: true })],
    ['null', (response) => json(response, 200, null)],
    ['not found', (response) => response.writeHead(404).end('nothing here')],
    ['a redirect', (response) => response.writeHead(302, { location: 'https://evil.example/' }).end()],
    [
      'half of an answer',
      (response) => void response.writeHead(200, { 'content-length': '99' }).write('{"add', () => response.destroy()),
    ],
    ['no answer', (response) => response.destroy()],
  ];

  it.each(wrongAnswers)('explains it: %s', async (_, answered) => {
    answer = answered;
    const { code, stderr } = await upload();
    expect([code, stderr]).toEqual([69, expect.stringMatching(/^Error: http:\/\/127\.0\.0\.1:\d+ /)]);
  });

  it.each(wrongAnswers)('sends it neither the files nor the key, if its version is %s', async (_, answered) => {
    answerVersion = answered;
    const { code, stderr } = await upload();
    expect([code, stderr]).toEqual([69, expect.stringMatching(/^Error: http:\/\/127\.0\.0\.1:\d+ /)]);
    expect([requests, uploads]).toEqual([1, 0]);
  });

  it.each<[string, object, RegExp]>([
    ['older', { version: '0.0.9', protocol: { oldest: 0, newest: 0 } }, /version 0\.0\.9, .*Update the server/],
    ['newer', { version: '9.0.0', protocol: { oldest: 8, newest: 9 } }, /version 9\.0\.0, .*Update countersign/],
    ['another product', { name: 'other' }, /is not a Countersign server/],
  ])('sends nothing to a server that is %s, and prints the reason', async (_, change, message) => {
    answerVersion = (response) => json(response, 200, { ...version, ...change });
    const { code, stderr } = await upload();
    expect([code, stderr, uploads]).toEqual([69, expect.stringMatching(message), 0]);
  });

  it('says that the key was refused, and not that a sign-in has ended', async () => {
    answer = (response) => json(response, 401, { code: 'unauthenticated', title: 'Unauthenticated' });
    const { code, stderr } = await upload();
    expect([code, stderr]).toEqual([77, expect.stringContaining('COUNTERSIGN_KEY')]);
    expect(stderr).not.toContain('countersign login');
  });

  it('shows hostile answers without their effect', async () => {
    const skipped = [0, 99].map((index) => ({ index, reason: 'x\u001b[2J\u202Ey' }));
    answer = (response) => json(response, 200, { ...confirmation, skipped });
    const { code, stdout } = await upload();
    expect(code).toBe(0);
    expect(stdout).toContain('.mcp.json x\\u001B[2J\\u202Ey\n');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('SARIF', () => {
  it('is the only text on stdout, also with an upload', async () => {
    const { code, stdout, stderr } = await shell(`${scanCommand()} --sarif - --upload --yes`);
    expect(code).toBe(0);
    const [{ results }] = (JSON.parse(stdout) as { runs: { results: { message: { text: string } }[] }[] }).runs;
    expect(stderr).toContain('Upload to http');
    expect(stderr).toContain('Sent: 1 added');
    // the name of a server cannot become a link
    expect(results[0].message.text).toContain('[a] (https://evil.example)');
    expect(await shell(`${scanCommand()} --sarif - --json`)).toMatchObject({ code: 2, stdout: '' });
  });

  it('replaces the previous file only as a whole', async () => {
    writeFileSync(path.join(folder, 'findings.sarif'), 'previous');
    // files of more than 512 bytes cannot be written, as on a full disk
    const { code, stdout, stderr } = await shell(`trap '' XFSZ; ulimit -f 1; ${scanCommand()} --sarif findings.sarif`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('"findings.sarif" could not be written')]);
    expect(stdout).toContain('1 finding (1 high).');
    expect(readFileSync(path.join(folder, 'findings.sarif'), 'utf8')).toBe('previous');
    expect(readdirSync(folder).sort()).toEqual(['.mcp.json', 'findings.sarif']);
    symlinkSync('findings.sarif', path.join(folder, 'link.sarif'));
    expect(await shell(`${scanCommand()} --sarif link.sarif`)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path.join(folder, 'findings.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect((await shell(`${scanCommand()} --sarif /dev/full`)).code).toBe(1);
    expect((await shell(`${scanCommand()} --sarif /dev/stdout | cat`)).stdout).toContain('"2.1.0"');
  });

  it('and texts have paths below the current folder, whatever its name is', async () => {
    const random = path.join(folder, 'aB3dEf9GhIjKlMn2pQ7r');
    writeFiles(random, { 'a b/.mcp.json': configuration });
    const scan = (args: string) => shell(`cd '${random}' && ${scanCommand()} ${args}`);
    expect((await scan('')).stdout).toContain('\n  a b/.mcp.json:1  ');
    const { stdout } = await scan('--sarif -');
    expect(stdout).toContain('"uri": "a%20b/.mcp.json",');
    expect(stdout).not.toContain('aB3dEf9GhIjKlMn2pQ7r');
    rmSync(random, { recursive: true });
  });
});

describe('what is sent', () => {
  it('is accepted, whatever sizes and times the file system reports', async () => {
    // not every file system can store such times
    const odd = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : cli.folder, 'odd-'));
    writeFiles(odd, { 'large/.mcp.json': '', 'late/.mcp.json': configuration, 'never/.mcp.json': configuration });
    truncateSync(path.join(odd, 'large/.mcp.json'), 3 * 2 ** 30); // sparse
    execFileSync('touch', ['-d', '@999999999999', path.join(odd, 'late/.mcp.json')]);
    execFileSync('touch', ['-d', '@9999999999999999', path.join(odd, 'never/.mcp.json')]);
    expect(await cli.run(['estate', 'scan', odd, '--upload', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    rmSync(odd, { recursive: true });
    const { files } = JSON.parse(body) as { files: { path: string; size: number; modifiedAt?: string }[] };
    expect(Math.max(...files.map(({ size }) => size))).toBe(2 ** 31 - 1);
    for (const { modifiedAt = '2026-01-01T00:00:00.000Z' } of files) expect(modifiedAt).toMatch(/^\d{4}-/);
  });

  it('is nothing with a key that no request can contain, and the key is not printed', async () => {
    for (const key of ['a-secret\nkey', 'a-secret-këy', 'a-secret key']) {
      const { code, stderr } = await cli.run(['estate', 'scan', folder, '--upload', '--yes'], {
        env: { COUNTERSIGN_KEY: key },
      });
      expect([code, stderr]).toEqual([2, 'Error: The tenant key must be one line without spaces.\n']);
    }
    expect(requests).toBe(0);
  });
});

describe('the secret of the device', () => {
  it('is written as a whole or not at all', async () => {
    const state = path.dirname(cli.env.DEVICE_SECRET_FILE);
    const upload = (before = '') => shell(`${before} ${scanCommand()} --upload --yes`);
    rmSync(state, { recursive: true, force: true });
    expect(await upload("trap '' XFSZ; ulimit -f 0;")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be used: EFBIG'),
    });
    expect(readdirSync(state)).toEqual([]);
    // two first uploads at once
    const both = await Promise.all([upload(), upload()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(readdirSync(state).sort()).toEqual(['device-secret', 'fingerprint-key']);
  });
});

describe('special files', () => {
  it('are reported and not opened', async () => {
    const home = path.join(cli.folder, 'special');
    for (const name of ['.cursor', '.gemini', '.codex']) mkdirSync(path.join(home, name), { recursive: true });
    execFileSync('mkfifo', [path.join(home, '.gemini/settings.json')]);
    symlinkSync('/dev/zero', path.join(home, '.codex/config.toml'));
    const socket = createSocket().listen(path.join(home, '.cursor/mcp.json'));
    const { files, skipped } = JSON.parse(
      (await shell(`HOME='${home}' ${scanCommand()} --user --json`)).stdout,
    ) as Record<string, { path: string; reason: string; problems: object[] }[]>;
    socket.close();
    expect(files.map(({ path: file, problems }) => [path.relative(home, file), problems])).toEqual([
      ['.cursor/mcp.json', [{ place: '', reason: 'is not a regular file' }]],
      ['.gemini/settings.json', [{ place: '', reason: 'is not a regular file' }]],
    ]);
    expect(skipped).toMatchObject([{ reason: 'is a link to a target outside of the folder' }]);
  });

  it('have no secret in the reason why they cannot be read', async () => {
    const deep = path.join(cli.folder, 'deep');
    mkdirSync(deep);
    const name = `${secret}-${'x'.repeat(200)}`;
    const nest = `for (let depth = 0; depth < 20; depth++) { fs.mkdirSync('${name}'); process.chdir('${name}'); }`;
    execFileSync(process.execPath, ['-e', nest], { cwd: deep });
    const { code, stdout, stderr } = await shell(`cd '${deep}' && ${scanCommand()}`);
    const complete = await shell(`cd '${deep}' && ${scanCommand()} --upload --yes --complete`);
    execFileSync('rm', ['-rf', deep]);
    expect([code, stderr, existsSync(deep)]).toEqual([0, '', false]);
    expect(stdout).toContain('could not be read: name too long\n');
    // its files are not gone only because nobody could look
    expect([complete.code, complete.stderr, requests]).toEqual([1, expect.stringContaining('Nothing was sent'), 0]);
    expect(stdout).not.toContain(secret);
  });
});
