import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine } from './kit/command-line.js';
import { FakeCliServer, problem } from './kit/fake-cli-server.js';

/* What a server of the kit does not send: faults, other versions, hostile texts. */

let server: FakeCliServer;
let cli: CommandLine;
const configuration = { id: 'c-1', name: 'Desk', description: 'Tickets', isPaused: false, createdAt: '2026-11-20' };

beforeAll(async () => {
  [server, cli] = await Promise.all([FakeCliServer.start(), CommandLine.build()]);
  cli = cli.with({ env: { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: 'cs_cli_for_the_test' } });
});
afterAll(() => server.close());
beforeEach(() => {
  server.replies.clear();
  server.replies.set('/cli/configurations', { configurations: [configuration], nextCursor: null });
});

const folder = () => mkdtempSync(path.join(process.env.TEST_FOLDER!, 'out-'));

describe('the server', () => {
  it('cannot be reached: 69, with the address', async () => {
    const env = { COUNTERSIGN_URL: 'http://127.0.0.1:1' };
    expect(await cli.run(['whoami'], { env })).toMatchObject({
      code: 69,
      stdout: '',
      stderr: expect.stringMatching(/^Error: http:\/\/127\.0\.0\.1:1 cannot be reached/),
    });
  });

  it.each([
    [
      'is older',
      { name: 'countersign', version: '0.0.9', protocol: { oldest: 0, newest: 0 } },
      /0\.0\.9.*Update the server/s,
    ],
    [
      'is newer',
      { name: 'countersign', version: '9.0.0', protocol: { oldest: 8, newest: 9 } },
      /9\.0\.0.*Update countersign/s,
    ],
    ['is older than the command line', {}, /is not a Countersign server, or it is older/],
  ])('%s: 69, and which of them to update', async (_, version, message) => {
    server.replies.set('/cli', version);
    expect(await cli.run(['login', server.url])).toMatchObject({ code: 69, stderr: expect.stringMatching(message) });
  });

  it.each([
    ['/cli', ['login']],
    ['/oauth2/device_authorization', ['login']],
    ['/cli/whoami', ['whoami']],
  ])('breaks the connection while it answers %s: 69, as a server that cannot be reached', async (path, args) => {
    server.replies.set('/cli', { name: 'countersign', version: '1.0.0', protocol: { oldest: 1, newest: 1 } });
    server.replies.set(path, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"name":', () => response.destroy());
    });
    const options = args[0] === 'login' ? [...args, server.url] : args;
    expect(await cli.run(options)).toMatchObject({ code: 69, stderr: expect.stringMatching(/cannot be reached/) });
  });

  it('refuses the protocol: 69', async () => {
    server.replies.set('/cli/whoami', problem(400, 'unsupported-command-line'));
    expect(await cli.run(['whoami'])).toMatchObject({ code: 69 });
    expect(server.requests.at(-1)!.headers).toMatchObject({
      'countersign-protocol': '1',
      authorization: 'Bearer cs_cli_for_the_test',
      'user-agent': expect.stringMatching(/^countersign\/\d+\.\d+\.\d+ \(/),
    });
  });

  it('is a proxy that answers with a page: 69', async () => {
    server.replies.set('/cli/whoami', (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
    expect(await cli.run(['whoami'])).toMatchObject({ code: 69, stderr: expect.stringContaining('status 502') });
  });

  it('redirects, which would hand the token to another server: 69', async () => {
    server.replies.set('/cli/whoami', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await cli.run(['whoami'])).toMatchObject({ code: 69 });
    expect(server.requests.map(({ path: asked }) => asked)).not.toContain('/elsewhere');
  });

  it.each([
    ['unauthenticated', 401, 77],
    ['insufficient_scope', 403, 77],
    ['policy-denied', 403, 4],
    ['approval-expired', 403, 4],
    ['paused', 409, 4],
    ['upstream-failed', 502, 5],
    ['outcome-unsettled', 502, 5],
    ['invalid-request', 400, 2],
    ['overloaded', 503, 69],
    ['rate-limited', 429, 1],
  ])('answers with %s: a stable exit code', async (code, status, exitCode) => {
    server.replies.set('/cli/whoami', problem(status, code));
    const { code: ended, stdout, stderr } = await cli.run(['whoami', '--json']);
    expect([ended, stdout]).toEqual([exitCode, '']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
  });

  it('reports invalid arguments once', async () => {
    const [pointer, fault] = ['/arguments/urgent', 'is not a property of this tool'];
    const more = { detail: `/urgent: ${fault}`, errors: [{ pointer, detail: fault }] };
    server.replies.set('/cli/whoami', problem(400, 'invalid-request', more));
    expect(await cli.run(['whoami'])).toMatchObject({ code: 2, stderr: `Error: /urgent: ${fault}\n` });
    server.replies.set('/cli/whoami', problem(400, 'invalid-request', { ...more, detail: 'The body is invalid.' }));
    expect(await cli.run(['whoami'])).toMatchObject({
      stderr: `Error: The body is invalid.\n  arguments/urgent ${fault}\n`,
    });
  });

  it('answers with something else than JSON: 69', async () => {
    server.replies.set('/cli/whoami', (_, response) => response.writeHead(200).end('<h1>Welcome</h1>'));
    expect(await cli.run(['whoami'])).toMatchObject({ code: 69, stdout: '' });
  });

  it('answers with JSON of another form: an error without a stack trace', async () => {
    server.replies.set('/cli/whoami', { member: null });
    const { code, stdout, stderr } = await cli.run(['whoami']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^Error: Unexpected: .*\n$/)]);
  });

  it('restarts while a call waits: the command goes on', async () => {
    const call = {
      id: 'k',
      tool: 'notes__add',
      state: 'awaiting_approval',
      approval: { id: 'a', expiresAt: '2026-11-20' },
    };
    let count = 0;
    server.replies.set('/cli/calls/k', (_, response) => {
      if (++count === 2) return response.destroy();
      if (count === 3) return problem(503, 'overloaded')(_, response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(count === 1 ? call : { ...call, state: 'succeeded', approval: null, result: { content: [] } }),
      );
    });
    expect(await cli.run(['call', '--resume', 'k'])).toMatchObject({ code: 0 });
    expect(count).toBe(4);
  });

  it('drops the connection of a call: it is sent again with the same key', async () => {
    let count = 0;
    const keys = () => server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    server.replies.set('/cli/configurations/c-1/tools/notes__add/calls', (_, response) => {
      if (++count === 1) return response.destroy();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'k',
          tool: 'notes__add',
          state: 'succeeded',
          result: { content: [{ type: 'text', text: 'added' }] },
        }),
      );
    });
    expect(await cli.run(['call', 'notes__add'])).toMatchObject({ code: 0, stdout: 'added\n' });
    expect(keys()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
  });
});

describe('an application of files', () => {
  const version = { name: 'countersign', version: '1.0.0', protocol: { oldest: 1, newest: 1 } };
  const change = { action: 'create', kind: 'group', name: 'A', fields: [], secrets: [], needsSession: true };
  const organizationPlan = { hash: 'a'.repeat(64), changes: [change], unchanged: 0, unmanaged: [] };
  let files: string;
  let applications = 0;
  beforeEach(() => {
    files = folder();
    writeFileSync(path.join(files, 'a.yaml'), 'kind: group\nname: A\n');
    applications = 0;
    server.replies.set('/cli', version);
  });

  /** The first request plans, the others apply. */
  function answerApplication(answer: (response: ServerResponse) => void): void {
    let isPlanned = false;
    server.replies.set('/graphql', (_, response) => {
      if (isPlanned) {
        applications++;
        return answer(response);
      }
      isPlanned = true;
      response.end(JSON.stringify({ data: { organizationPlan } }));
    });
  }

  it('reports that changes may have been applied if the response is lost', async () => {
    answerApplication((response) => response.destroy());
    const { code, stdout, stderr } = await cli.run(['apply', files, '--yes']);
    expect([code, stderr]).toEqual([
      69,
      expect.stringMatching(/cannot be reached.*\nThe changes may have been applied/),
    ]);
    expect([applications, stdout]).toEqual([1, expect.not.stringContaining('Applied')]);
  });

  it.each([
    ['Ctrl-C', '\u0003', 130, /Nothing was changed/, 0],
    ['no', 'n', 1, /Nothing was changed/, 0],
    ['yes', 'y', 0, /Applied\./, 1],
  ])('asks in a terminal: %s', async (_, key, exitCode, text, count) => {
    answerApplication((response) => response.end(JSON.stringify({ data: { applyOrganization: { hash: '' } } })));
    const command = cli.startInTerminal(['apply', files]);
    await command.waitFor(/◆[^\n]*Apply 1 change\?/);
    command.write(key);
    const { code, stdout } = await command.ended;
    expect([code, stdout, applications]).toEqual([exitCode, expect.stringMatching(text), count]);
    expect(stdout).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['older', { version: '0.0.9', protocol: { oldest: 0, newest: 0 } }, /0\.0\.9.*Update the server/],
    ['newer', { version: '9.0.0', protocol: { oldest: 8, newest: 9 } }, /9\.0\.0.*Update countersign/],
    ['another product', { name: 'other' }, /is not a Countersign server/],
  ])('is not sent to a server that is %s', async (_, more, message) => {
    server.replies.set('/cli', { ...version, ...more });
    const before = server.requests.length;
    for (const args of [['plan', files], ['apply', files, '--yes'], ['export']])
      expect(await cli.run(args)).toMatchObject({ code: 69, stdout: '', stderr: expect.stringMatching(message) });
    expect(server.requests.slice(before).map(({ path: asked }) => asked)).toEqual(['/cli', '/cli', '/cli']);
  });
});

/** Moves the cursor, hides a text, turns the direction, imitates a line. */
const hostile = 'a\u001b[2Kb\rc\nd\u202eevil\u200b\u2066x\u0007\u{e0041}';

describe('hostile texts', () => {
  const invisible = /[^\P{C}\n]/u;

  it('cannot control the terminal', async () => {
    server.replies.set('/cli/configurations', {
      configurations: [{ ...configuration, name: hostile, description: hostile }],
      nextCursor: null,
    });
    server.replies.set('/cli/configurations/c-1/tools', {
      tools: [
        {
          name: 'notes__add',
          title: hostile,
          description: hostile,
          effect: 'read',
          inputSchema: { properties: { [hostile]: { type: hostile, description: hostile } } },
        },
      ],
      nextCursor: null,
    });
    for (const args of [['configurations'], ['tools'], ['tools', 'notes__add']]) {
      const { code, stdout } = await cli.run(args);
      expect([code, stdout]).toEqual([0, expect.stringContaining('\\u202E')]);
      expect(stdout).not.toMatch(invisible);
    }
  });

  it('keep their value in JSON, in which nothing is invisible', async () => {
    server.replies.set('/cli/configurations', {
      configurations: [{ ...configuration, name: hostile }],
      nextCursor: null,
    });
    const { stdout } = await cli.run(['configurations', '--json']);
    expect(stdout).not.toMatch(invisible);
    expect(JSON.parse(stdout).configurations[0].name).toBe(hostile);
  });

  it('in errors are escaped too', async () => {
    server.replies.set('/cli/whoami', problem(403, 'policy-denied', { detail: hostile }));
    const { stderr } = await cli.run(['whoami']);
    expect(stderr).toContain('\\u001B[2K');
    expect(stderr).not.toMatch(invisible);
  });
});

describe('artifacts', () => {
  const artifacts = (names: string[]) =>
    names.map((name, index) => ({ artifactId: `a-${index}`, name, parts: [{ text: `content ${index}` }] }));
  const completed = (names: string[], parts?: object[]) => {
    const task = {
      id: 't-1',
      configuration: 'c-1',
      status: { state: 'completed', timestamp: '2026-11-20T10:00:00.000Z' },
      artifacts: parts ? [{ artifactId: 'a-0', name: 'file', parts }] : artifacts(names),
    };
    server.replies.set('/cli/tasks/t-1', task);
    server.replies.set('/cli/tasks/t-1/events', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`id: 1\nevent: task_update\ndata: ${JSON.stringify({ ...task, final: true })}\n\n`);
    });
  };
  const watch = (out: string, ...more: string[]) => cli.run(['task', 'watch', 't-1', '--output', out, ...more]);

  it('never leave the folder', async () => {
    completed([
      '../../outside',
      '/etc/passwd',
      '..',
      'C:\\Windows\\x',
      '.profile',
      'con',
      `${'ä'.repeat(200)}`,
      'a\u202eb',
      '',
    ]);
    const out = path.join(folder(), 'new', 'result');
    expect(await watch(out)).toMatchObject({ code: 0 });
    const names = readdirSync(out);
    expect(names).toHaveLength(9);
    expect(names.filter((name) => /^[.\s-]|[/\\:\u202e]|^con/.test(name))).toEqual([]);
    expect(readdirSync(path.dirname(out))).toEqual(['result']);
  });

  it('have different files if their names are equal', async () => {
    completed(['Report', 'report', 'REPORT']);
    const out = folder();
    await watch(out);
    expect(
      readdirSync(out)
        .map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(['report-2.md', 'report-3.md', 'report.md']);
  });

  it('replace no existing file, and write nothing then', async () => {
    completed(['first', 'second']);
    const out = folder();
    writeFileSync(path.join(out, 'second.md'), 'mine');
    expect(await watch(out)).toMatchObject({ code: 1, stderr: expect.stringContaining('second.md exists') });
    expect(readdirSync(out)).toEqual(['second.md']);
    expect(readFileSync(path.join(out, 'second.md'), 'utf8')).toBe('mine');
    expect(await watch(out, '--overwrite')).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(out, 'second.md'), 'utf8')).toBe('content 1');
  });

  it('follow no link, even to overwrite', async () => {
    completed(['link']);
    const [out, elsewhere] = [folder(), path.join(folder(), 'target')];
    symlinkSync(elsewhere, path.join(out, 'link.md'));
    expect(await watch(out)).toMatchObject({ code: 1 });
    expect(await watch(out, '--overwrite')).toMatchObject({ code: 1 });
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('become files of their kind', async () => {
    completed(
      [],
      [{ text: 'text' }, { data: { n: 1 } }, { raw: 'AAEC', filename: 'bytes.bin' }, { url: 'https://a.example/x' }],
    );
    const out = folder();
    const { files } = await cli.json(['task', 'watch', 't-1', '--output', out]);
    expect(files.map((file: string) => path.basename(file))).toEqual(['file.md', 'file.json', 'bytes.bin', 'file.url']);
    expect([...readFileSync(path.join(out, 'bytes.bin'))]).toEqual([0, 1, 2]);
  });

  it('that cannot be written are an error, which says how to get them', async () => {
    completed(['file']);
    const out = path.join(folder(), 'file');
    writeFileSync(out, '');
    const { code, stderr } = await watch(out);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be written.*\n.*countersign task watch t-1/)]);
  });

  it('that are citations are shown as a list', async () => {
    const one = { n: 1, title: 'Buying\nthings', source: 'handbook', position: 'line 3', url: null };
    completed([], [{ text: 'Eight days. [1]' }, { data: { kind: 'citations', citations: [one] } }]);
    const { stdout } = await cli.run(['task', 'watch', 't-1']);
    expect(stdout).toBe('file\nEight days. [1]\n[1] Buying\\u000Athings  handbook · line 3\n');
    completed([], [{ data: { kind: 'citations', citations: [null] } }]);
    expect(await cli.run(['task', 'watch', 't-1'])).toMatchObject({ code: 0 });
  });

  it('arrive although the stream breaks off', async () => {
    completed(['file']);
    const task = server.replies.get('/cli/tasks/t-1') as object;
    const working = { id: 't-1', configuration: 'c-1', status: { state: 'working' }, artifacts: null };
    const whole = server.replies.get('/cli/tasks/t-1/events') as (request: unknown, response: unknown) => void;
    let count = 0;
    server.replies.set('/cli/tasks/t-1', (_, response) => response.end(JSON.stringify(count > 1 ? task : working)));
    server.replies.set('/cli/tasks/t-1/events', (request, response) => {
      if (count++) return whole(request, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const update = JSON.stringify({ ...working, final: false });
      response.write(`id: 7\nevent: task_update\ndata: ${update}\n\n`, () => response.destroy());
    });
    const { code, stdout } = await cli.run(['task', 'watch', 't-1']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('content 0')]);
    expect(server.requests.findLast(({ path: asked }) => asked.endsWith('/events'))!.headers['last-event-id']).toBe(
      '7',
    );
  });
});

describe('the output', () => {
  const shell = (command: string) =>
    promisify(execFile)('bash', ['-c', command], { env: { ...cli.env, PATH: process.env.PATH, HOME: cli.home } }).catch(
      (error: { code: number; stderr: string; stdout: string }) => error,
    );

  it('may be closed early by its reader', async () => {
    server.replies.set('/cli/configurations', {
      configurations: Array.from({ length: 5000 }, (_, n) => ({ ...configuration, name: `Desk ${n}` })),
      nextCursor: null,
    });
    const result = await shell(`set -o pipefail; ${process.execPath} ${cli.program} configurations | head -1`);
    expect(result).toMatchObject({ stdout: expect.stringMatching(/^Desk 0 /), stderr: '' });
    expect(result).not.toHaveProperty('code');
  });

  it('that does not fit on the disk is an error', async () => {
    expect(await shell(`${process.execPath} ${cli.program} configurations > /dev/full`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The output cannot be written (ENOSPC)'),
    });
  });
});

describe('arguments of a call', () => {
  const sentArguments = async (args: string[], input?: string) => {
    let body = '';
    server.replies.set('/cli/configurations/c-1/tools/pay/calls', (request, response) => {
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => problem(403, 'policy-denied')(request, response));
    });
    server.replies.set('/cli/configurations/c-1/tools', {
      tools: [
        {
          name: 'pay',
          title: 'Pay',
          inputSchema: { properties: { amount: { type: 'integer' }, to: { type: 'string' } } },
        },
      ],
      nextCursor: null,
    });
    const { code, stderr } = await cli.run(['call', 'pay', ...args], { input });
    return body || `${code} ${stderr}`;
  };

  it.each([
    [
      ['-a', 'amount=7', '-a', 'to=7', '-a', 'more:={"a":[1.0]}'],
      '{"arguments":{"amount":7,"to":"7","more":{"a":[1.0]}}}',
    ],
    [['-a', 'to=a=b:=c\n"'], '{"arguments":{"to":"a=b:=c\\n\\""}}'],
    [[], '{"arguments":{}}'],
  ])('%j', async (args, body) => {
    expect(await sentArguments(args)).toBe(body);
  });

  it('from stdin arrive byte for byte', async () => {
    const input = ' {"amount": 7.0e0, "a":"\\u0041", "amount":8}\n';
    expect(await sentArguments(['--input', '-'], input)).toBe(`{"arguments":${input}}`);
  });

  it.each([
    [['-a', 'amount=seven'], /"amount" has to be JSON: the tool requires integer there/],
    [['-a', 'to:=seven'], /"to" is not JSON. For a text, use to=value/],
    [['-a', 'amount'], /not of the form name=value/],
    [['-a', 'to=1', '-a', 'to=2'], /"to" occurs twice/],
    [['--input', '/nowhere/x.json'], /cannot be read/],
    [['--input', '-'], /not JSON/],
    [['--input', '-', '-a', 'to=1'], /either with --arg or with --input/],
    [['--resume', 'x'], /--resume takes no tool/],
  ])('%j is refused before anything is sent', async (args, message) => {
    expect(await sentArguments(args, 'no json')).toMatch(new RegExp(`^2 Error: .*${message.source}`, 's'));
  });
});

describe('a token of the environment', () => {
  it('may end with a line break, as in files', async () => {
    const env = { COUNTERSIGN_TOKEN: 'cs_cli_for_the_test\n' };
    expect(await cli.run(['configurations'], { env })).toMatchObject({ code: 0 });
    expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer cs_cli_for_the_test');
  });
});

describe('the address of a server', () => {
  it('on this machine needs no scheme', async () => {
    const address = server.url.replace('http://', '');
    expect(await cli.run(['configurations', '--server', address])).toMatchObject({ code: 0 });
  });
});

describe('the stored login', () => {
  it('is damaged, or cannot be read or written: an error that names the file', async () => {
    const own = cli.with({ env: { COUNTERSIGN_TOKEN: '' } });
    const config = path.join(own.home, '.config/countersign');
    mkdirSync(path.join(config, 'logins.json'), { recursive: true });
    expect(await own.run(['whoami'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('logins.json cannot be read'),
    });
    const other = cli.with({ env: { COUNTERSIGN_TOKEN: '' } });
    mkdirSync(path.join(other.home, '.config/countersign'), { recursive: true });
    writeFileSync(path.join(other.home, '.config/countersign/logins.json'), '{"logins":');
    expect(await other.run(['whoami'])).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') });
  });

  it('on a full disk is an error, and leaves no lock for which other commands would wait', async () => {
    const node = path.join(mkdtempSync(path.join(process.env.TEST_FOLDER!, 'full-')), 'node');
    // writes to files fail, to pipes they do not
    writeFileSync(node, `#!/bin/bash\ntrap '' XFSZ; ulimit -f 0; exec '${process.execPath}' "$@"`, { mode: 0o755 });
    const own = cli.with({ node, env: { COUNTERSIGN_TOKEN: '' } });
    const { code, stderr } = await own.run(['logout']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Error: .*logins\.lock cannot be written \(EFBIG\)\.\n$/),
    ]);
    expect(readdirSync(path.join(own.home, '.config/countersign'))).toEqual([]);
  });

  it.each(['http://countersign.example', 'ftp://127.0.0.1', 'https://user:word@countersign.example', 'https://a b'])(
    'is refused for the address %s',
    async (address) => {
      expect(await cli.run(['login', address])).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('wrong usage', () => {
  it.each([[['nothing']], [['tools', '--no-such-option']], [['search']], [['task']], [['completion', 'tcsh']]])(
    '%j exits with 2 and explains',
    async (args) => {
      const { code, stdout, stderr } = await cli.run(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^Error: [A-Z].*/m);
      const inJson = await cli.run([...args, '--json']);
      expect([inJson.code, inJson.stdout]).toEqual([2, '']);
      expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { code: 'invalid-usage' } });
    },
  );
});
