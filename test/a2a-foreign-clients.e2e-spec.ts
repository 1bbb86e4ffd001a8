import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';

/* Official SDKs of other languages. Each needs its tool chain: see `test/foreign/`. */

const run = promisify(execFile);
const goFolder = path.resolve('test/foreign/go');
const env = {
  ...process.env,
  PATH: `${process.env.PATH}:/usr/local/go/bin`,
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false',
};
const python = process.env.A2A_PYTHON ?? 'python3';

function can(command: string, args: string[], cwd?: string): boolean {
  try {
    execFileSync(command, args, { cwd, env, stdio: 'ignore', timeout: 300_000 });
    return true;
  } catch {
    return false;
  }
}
const hasGo = can('go', ['mod', 'download'], goFolder);
const hasPython = can(python, ['-c', 'import a2a.types.a2a_pb2, httpx']);

let server: TestServer;
let fixture: SandboxFixture;
beforeAll(async () => {
  server = await testServer();
  fixture = await SandboxFixture.create(server);
});
afterAll(() => server.close());

const reported = async (command: string, args: string[], cwd?: string): Promise<Record<string, unknown>> => {
  const { stdout } = await run(command, [...args, fixture.wire().base, fixture.key], { cwd, env, timeout: 300_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
};

describe.skipIf(!hasGo)('the Go SDK (skipped where Go or its modules are missing)', () => {
  it('reads the card, sends and streams, in both versions', async () => {
    const report = await reported('go', ['run', '.'], goFolder);
    for (const [form, requires] of [
      ['default', undefined],
      ['0.3', ['key']],
    ] as const) {
      const talk = report[form] as { error?: string; requires?: string[] };
      expect(talk).not.toHaveProperty('error');
      expect(talk.requires).toEqual(requires);
      expect(JSON.stringify(talk)).toContain('Hello from Go');
      expect(talk).toMatchObject({
        interface: form === '0.3' ? '0.3.0' : '1.0',
        streamed: expect.any(Array) as unknown,
      });
    }
  });
});

describe.skipIf(!hasPython)(
  'the Python SDK (skipped where a2a-sdk is not installed; A2A_PYTHON names an interpreter)',
  () => {
    it('finds the required security scheme in every form of the card', async () => {
      const report = await reported(python, [path.resolve('test/foreign/a2a_card.py')]);
      const bearer = {
        schemes: { key: { httpAuthSecurityScheme: { scheme: expect.stringMatching(/^bearer$/i) as unknown } } },
      };
      for (const form of ['default', '1.0', '0.3', '0.3 extended'])
        expect([form, report[form]]).toEqual([form, { ...bearer, requirements: [['key']] }]);
    });
  },
);
