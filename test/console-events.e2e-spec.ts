import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { SessionsService, sessionCookie } from '../src/access/sessions.service.js';
import { WakeupChannel } from '../src/platform/events/wakeup-channel.service.js';
import { aUser, apiOf } from './kit/api.js';
import { Browser } from './kit/browser.js';
import { ConsoleEventStream } from './kit/console-event-stream.js';
import { mutate } from './kit/workplace-fixture.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let elsewhere: ServerProcess;
let workplace: Workplace;
let fixture: GateFixture;
let lark: Organization;
let ada: GraphqlRequest;
let open: ConsoleEventStream[] = [];

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  elsewhere = await serverProcess(server.databaseUrl);
  fixture = await GateFixture.create(server, workplace);
  lark = fixture.organization;
  ada = await lark.as();
});
afterEach(() => {
  open.forEach((news) => news.close());
  open = [];
});
afterAll(async () => {
  await elsewhere.kill();
  await server.close();
  await workplace.stop();
});

const sessionOf = (member: Member, organization = lark) =>
  server.app.get(SessionsService).open(organization.system, { memberId: member.id, isFresh: true });

/** A console connected to one of the processes. */
async function listening(
  member = lark.admin,
  { organization = lark, url = server.url } = {},
): Promise<ConsoleEventStream> {
  const { token } = await sessionOf(member, organization);
  const news = await ConsoleEventStream.open(new Browser(url, { name: sessionCookie, token }));
  open.push(news);
  return news;
}
const bothProcesses = () => Promise.all([listening(), listening(lark.admin, { url: elsewhere.url })]);

const rename = (name: string) => mutate(ada, 'renameTenant', 'RenameTenantInput', { name });
const aGroup = async (name: string) => (await mutate(ada, 'createGroup', 'CreateGroupInput', { name })).it.id as string;

describe('every process publishes', () => {
  it('changes of the organization', async () => {
    const consoles = await bothProcesses();
    const id = await aGroup('Sales');
    await Promise.all(consoles.map((news) => news.waitFor(`organization ${id}`)));
  });

  it('that a connection was paused and resumed', async () => {
    const consoles = await bothProcesses();
    await mutate(ada, 'pauseConnection', 'ConnectionIdInput', { id: fixture.connectionId });
    await Promise.all(consoles.map((news) => news.waitFor(`connection ${fixture.connectionId}`)));
    await mutate(ada, 'resumeConnection', 'ConnectionIdInput', { id: fixture.connectionId });
  });

  it('that a policy was published, and a call denied by it', async () => {
    const consoles = await bothProcesses();
    await fixture.publish('forbid (principal, action, resource);');
    await Promise.all(consoles.map((news) => news.waitFor(`policy ${fixture.configurationId}`)));
    const { callId } = await fixture.call('list_tickets', {});
    await Promise.all(consoles.map((news) => news.waitFor(`call ${callId}`)));
  });
});

it('members receive events of the tasks that they submitted, and of no others', async () => {
  // sequentially, because each adds a member to the groups of the configuration
  const uma = await aUser(fixture);
  const una = await aUser(fixture);
  const [hers, others, admins] = await Promise.all([listening(uma), listening(una), listening()]);
  const api = await apiOf(server, fixture, uma);
  const sent = { message: { role: 'user', parts: [{ data: { tool: 'none', arguments: {} } }] } };
  expect(await api.post('/tasks', sent)).toMatchObject({ status: 201 });
  const { data } = await ada('{ tasks(first: 1) { nodes { id } } }');
  const line = `task ${data.tasks.nodes[0].id}`;
  await Promise.all([hers.waitFor(line), admins.waitFor(line)]);
  const later = await aGroup('Afterwards');
  await Promise.all([admins.waitFor(`organization ${later}`), others.waitFor('organization null')]);
  expect(others.received.join()).not.toContain('task');
});

it('administrators receive an event when a connection becomes a source', async () => {
  const news = await ConsoleEventStream.open(await fixture.organization.browser(fixture.organization.admin));
  const connection = { kind: 'documents', name: 'Notes', slug: 'notes', settings: {}, secrets: {} };
  const { id } = await fixture.get(ConnectionsService).create(await fixture.principalOf(), connection);
  await news.waitFor(`source ${id}`);
  news.close();
});

it('administrators receive the progress of a sync at every process', async () => {
  const consoles = await bothProcesses();
  const news = await listening(await lark.member());
  server.app.get(WakeupChannel).publish('source', fixture.connectionId);
  await Promise.all(consoles.map((one) => one.waitFor(`source ${fixture.connectionId}`)));
  const later = await aGroup('Progress');
  await Promise.all([consoles[0].waitFor(`organization ${later}`), news.waitFor('organization null')]);
  expect(news.received.join()).not.toContain('source');
});

describe('a stream', () => {
  it('contains no events that its member may not see', async () => {
    const max = await listening(await lark.member());
    const admin = await listening();
    await mutate(ada, 'pauseConnection', 'ConnectionIdInput', { id: fixture.connectionId });
    await mutate(ada, 'resumeConnection', 'ConnectionIdInput', { id: fixture.connectionId });
    const id = await aGroup('Support');
    await Promise.all([admin.waitFor(`organization ${id}`), max.waitFor('organization null')]);
    expect(admin.received).toContain(`connection ${fixture.connectionId}`);
    expect(new Set(max.received)).toEqual(new Set(['open undefined', 'organization null']));
  });

  it('contains no events of another organization', async () => {
    const moor = await anOrganization(server);
    const stranger = await listening(moor.admin, { organization: moor });
    const admin = await listening();
    const id = await aGroup('Legal');
    await admin.waitFor(`organization ${id}`);
    const own = await mutate(await moor.as(), 'createGroup', 'CreateGroupInput', { name: 'Own' });
    await stranger.waitFor(`organization ${own.it.id}`);
    expect(stranger.received.join()).not.toContain(id);
  });

  it('requires a session', async () => {
    const response = await fetch(`${server.url}/console/events`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('contains no events of audited reads, which would cause a reload loop', async () => {
    const news = await listening();
    const { code } = await mutate(ada, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: fixture.agent.keyId }, 'key');
    expect(code).toBeUndefined();
    const id = await aGroup('Later');
    await news.waitFor(`organization ${id}`);
    expect(news.received.filter((line) => line.startsWith('configuration'))).toEqual([]);
  });
});

describe('a stream ends', () => {
  it('with its session', async () => {
    const { session, token } = await sessionOf(lark.admin);
    const news = await ConsoleEventStream.open(new Browser(elsewhere.url, { name: sessionCookie, token }));
    const ending = await ada('mutation ($input: EndSessionInput!) { endSession(input: $input) }', {
      input: { sessionId: session.id },
    });
    expect(ending.code).toBeUndefined();
    await news.waitForEnd();
  });

  it('when the permissions of its member change, and reconnects with the new ones', async () => {
    const max = await lark.member();
    const news = await listening(max);
    await mutate(ada, 'setMemberRoles', 'SetMemberRolesInput', { memberId: max.id, roles: ['auditor'] });
    await news.waitForEnd();
  });

  it('when its session has too many streams', async () => {
    const { token } = await sessionOf(lark.admin);
    const browser = new Browser(server.url, { name: sessionCookie, token });
    for (let count = 0; count < 24; count++) open.push(await ConsoleEventStream.open(browser));
    const response = await browser.fetch('/console/events', { headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: 'rate-limited' });
  });
});

it('runs the same number of statements for any number of streams', async () => {
  const database = new pg.Client(server.databaseUrl);
  await database.connect();
  await database.query('create extension if not exists pg_stat_statements');
  const asked = async () => {
    const { rows } = await database.query<{ calls: number }>(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and (query like '%from audit_events e where e.tenant_id = asked.%' or query like '%from outbox o%')`,
    );
    return rows[0].calls;
  };
  const consoles: ConsoleEventStream[] = [];
  for (let count = 0; count < 20; count++) consoles.push(await listening());
  const before = await asked();
  await rename('Larkmoor');
  await Promise.all(consoles.map((news) => news.waitFor(`organization ${lark.tenant.id}`)));
  expect((await asked()) - before).toBeLessThan(consoles.length);
  await database.end();
});
