import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import { cloneDatabase } from './kit/database.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization, Organization } from './kit/organization.js';
import { testConfig, type TestServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* A server that is started with the files of an organization. */

let workplace: Workplace;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let folder: string;
beforeAll(async () => {
  workplace = await Workplace.start();
});
afterAll(() => workplace.stop());
beforeEach(async () => {
  database = await cloneDatabase();
  folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'config-'));
});

function write(texts: Record<string, string>): void {
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

const deskFiles = (): Record<string, string> => ({
  'groups.yaml': 'kind: group\nname: Support\n',
  'connections/workplace.yaml': `kind: connection
name: workplace
connector: mcp
settings:
  url: ${workplace.url}
secrets:
  token: { fromEnvironment: SECRET_WORKPLACE_TOKEN }
`,
  'configurations/desk.yaml': `kind: configuration
name: Desk
connections: [workplace]
groups: [Support]
---
kind: policy
configuration: Desk
text: { fromFile: desk.cedar }
`,
  'configurations/desk.cedar':
    'permit (principal in Group::"Support", action == Action::"workplace__list_tickets", resource);\n',
});

async function withServer<T>(settings: Record<string, string>, run: (server: TestServer) => Promise<T>): Promise<T> {
  const data = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'server-'));
  const server: RunningServer = await startServer(testConfig(database.url, data, { HOST: 'localhost', ...settings }));
  try {
    return await run({ ...server, url: server.config.baseUrl, databaseUrl: database.url, folder: data });
  } finally {
    await server.close();
  }
}

const withFiles = <T>(run: (server: TestServer) => Promise<T>, more: Record<string, string> = {}): Promise<T> =>
  withServer({ CONFIG_DIR: folder, SECRET_WORKPLACE_TOKEN: 'sesame-1234567', ...more }, run);

const at = (server: TestServer, { tenant, admin }: Organization) => new Organization(server, tenant, admin);

async function objectsOf(server: TestServer, organization: Organization): Promise<string[]> {
  const { data } = await (await at(server, organization).as())('{ organizationDocuments }');
  return data.organizationDocuments.map(({ kind }: { kind: string }) => kind);
}

async function eventCount(): Promise<number> {
  const owner = new Client(database.url);
  await owner.connect();
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from audit_events where kind <> 'organization.exported'`,
  );
  await owner.end();
  return rows[0].count;
}

it('applies them once, also to an organization that is created later', async () => {
  write(deskFiles());
  const organization = await withFiles((server) => anOrganization(server));
  const events = await eventCount();
  await withFiles(async (server) => {
    expect(await objectsOf(server, organization)).toEqual(['group', 'connection', 'configuration', 'policy']);
    const { data } = await (await at(server, organization).as())('{ connections { nodes { credentials status } } }');
    expect(data.connections.nodes).toEqual([{ credentials: ['token'], status: 'connected' }]);
  });
  expect(await eventCount()).toBe(events);
  write({ 'groups.yaml': 'kind: group\nname: Support\n---\nkind: group\nname: Finance\n' });
  await withFiles(async (server) => {
    expect(await objectsOf(server, organization)).toEqual(['group', 'group', 'connection', 'configuration', 'policy']);
  });
});

it.each<[string, Record<string, string>, RegExp]>([
  [
    'an unknown field',
    { 'groups.yaml': 'kind: group\nname: A\ncolor: red\n' },
    /CONFIG_DIR: .*\ngroups\.yaml:3:1 color: is not a known field/,
  ],
  [
    'a reference to nothing',
    { 'a.yaml': 'kind: configuration\nname: A\ngroups: [B]\n' },
    /a\.yaml:3:\d+ groups\.0: there is no group "B"/,
  ],
  [
    'a policy that is not valid',
    {
      'a.yaml':
        'kind: group\nname: B\n---\nkind: configuration\nname: A\n---\nkind: policy\nconfiguration: A\ntext: permit (who);\n',
    },
    /a\.yaml:8:1 text: line 1, column \d+: /,
  ],
  [
    'a credential that is not set',
    {
      'a.yaml':
        'kind: group\nname: B\n---\nkind: connection\nname: x\nconnector: mcp\nsettings: { url: "https://x.example" }\nsecrets:\n  token: { fromEnvironment: SECRET_X }\n',
    },
    /a\.yaml:8:3 secrets\.token: SECRET_X is not set/,
  ],
])('does not start with %s, and changes nothing', async (_, texts, message) => {
  const organization = await withServer({}, (server) => anOrganization(server));
  const events = await eventCount();
  write(texts);
  await expect(withFiles(async () => undefined)).rejects.toThrow(message);
  expect(await eventCount()).toBe(events);
  await withServer({}, async (server) => expect(await objectsOf(server, organization)).toEqual([]));
});

it('does not start if it is not clear which organization is meant', async () => {
  write({ 'groups.yaml': 'kind: group\nname: A\n' });
  const [first] = await withServer({}, async (server) => [await anOrganization(server), await anOrganization(server)]);
  await expect(withFiles(async () => undefined)).rejects.toThrow('name one with CONFIG_ORGANIZATION');
  await withFiles(async (server) => expect(await objectsOf(server, first)).toEqual(['group']), {
    CONFIG_ORGANIZATION: first.tenant.slug,
  });
});

it('leaves to administrators what needs two of them', async () => {
  const organization = await withServer({}, async (server) => {
    const created = await anOrganization(server);
    const admin = await sessionPrincipal(server, created, created.admin);
    await server.app.get(TwoPersonAdministrationService).set(admin, 'policies', true);
    return created;
  });
  write(deskFiles());
  await withFiles(async (server) => expect(await objectsOf(server, organization)).toEqual([]));
});
