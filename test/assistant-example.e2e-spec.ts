import { afterAll, beforeAll, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import { freePort } from './kit/free-port.js';
import { GateFixture } from './kit/gate-fixture.js';
import { aProduct, followAuthorization } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* `examples/assistant` in practice: the pages that it shows are opened in the person's browser. */

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

/** Runs the example to its end. `open` gets every page that the example shows. */
async function assistant(more: string[], open: (page: string) => Promise<unknown>) {
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  const { configurationId } = fixture;
  const { id } = await aProduct(server, fixture.organization, {
    isNative: true,
    redirectUris: [callback],
    target: 'mcp',
    configurationId,
  });
  const args = ['--countersign', server.url, '--client', id, '--callback', callback, ...more];
  const child = spawn(process.execPath, ['examples/assistant/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const opened = new Set<string>();
  const failures: unknown[] = [];
  const hear = (text: Buffer) => {
    output += text.toString();
    for (const [page] of output.matchAll(/http:\S+(?=\s)/g)) {
      if (opened.has(page)) continue;
      opened.add(page);
      open(page).catch((error: unknown) => failures.push(error));
    }
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const [code] = (await once(child, 'close')) as [number];
  expect(failures).toEqual([]);
  return { code, output };
}

/** Completes the page of the authorization server and returns to the program. */
async function signIn(page: string, decision?: string): Promise<void> {
  const { back } = await followAuthorization(await fixture.organization.browser(user), server.url, page, decision);
  await fetch(back);
}

it('signs in and lists the tools that the person may use', async () => {
  const { code, output } = await assistant([], (page) => signIn(page));
  expect([code, output]).toEqual([0, expect.stringContaining('workplace__list_tickets  List tickets')]);
});

it('shows the page of an approval and continues after the decision', async () => {
  const ticket = ['--call', 'workplace__create_ticket', '--arguments', '{"title":"Asked by an assistant"}'];
  const reviewer = await fixture.organization.browser(fixture.reviewer);
  const { code, output } = await assistant(ticket, (page) =>
    page.includes('/approvals/') ? reviewer.submit(new URL(page).pathname, { decision: 'approve' }) : signIn(page),
  );
  expect([code, output]).toEqual([0, expect.stringMatching(/approvals\/[\s\S]*Asked by an assistant/)]);
});

it('learns that the person declined', async () => {
  const { code, output } = await assistant([], (page) => signIn(page, 'decline'));
  expect([code, output]).toEqual([1, expect.stringContaining('Countersign returned: access_denied')]);
});
