import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
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
  const { data, errors } = await (await at(server, organization).as())('{ organizationDocuments }');
  expect(errors).toBeUndefined();
  return data.organizationDocuments.map(({ kind }: { kind: string }) => kind);
}

const connected = [{ credentials: ['token'], status: 'connected' }];

async function connectionsOf(server: TestServer, organization: Organization): Promise<unknown> {
  const { data } = await (await at(server, organization).as())('{ connections { nodes { credentials status } } }');
  return data.connections.nodes;
}

/** Kinds of the events of changes. */
async function changeEvents(): Promise<string[]> {
  const owner = new Client(database.url);
  await owner.connect();
  const { rows } = await owner.query<{ kind: string }>(
    `select kind from audit_events where kind not in ('organization.exported', 'session.opened', 'source.synchronized') order by id`,
  );
  await owner.end();
  return rows.map(({ kind }) => kind);
}

it('applies them once, also to an organization that is created later', async () => {
  write(deskFiles());
  const organization = await withFiles(async (server) => {
    const created = await anOrganization(server);
    // on a busy machine, the verification of the connection continues in the background
    await expect.poll(() => connectionsOf(server, created)).toEqual(connected);
    return created;
  });
  const events = await changeEvents();
  await withFiles(async (server) => {
    expect(await objectsOf(server, organization)).toEqual(['group', 'connection', 'configuration', 'policy']);
    expect(await connectionsOf(server, organization)).toEqual(connected);
  });
  expect(await changeEvents()).toEqual(events);
  write({ 'groups.yaml': 'kind: group\nname: Support\n---\nkind: group\nname: Finance\n' });
  await withFiles(async (server) => {
    expect(await objectsOf(server, organization)).toEqual(['group', 'group', 'connection', 'configuration', 'policy']);
  });
});

it('takes credentials although another object has the name of their connection', async () => {
  const files = deskFiles();
  const rest = {
    ...files,
    'configurations/desk.yaml': files['configurations/desk.yaml'].replaceAll('Desk', 'workplace'),
  };
  write(rest);
  const organization = await withServer({}, (server) => anOrganization(server));
  await withFiles(async (server) => {
    const { data } = await (await at(server, organization).as())('{ connections { nodes { credentials } } }');
    expect(data.connections.nodes).toEqual([{ credentials: ['token'] }]);
  });
});

it('reads a folder that Kubernetes mounts from a ConfigMap', async () => {
  write({ '..data/groups.yaml': 'kind: group\nname: Support\n' });
  symlinkSync('..data/groups.yaml', path.join(folder, 'groups.yaml'));
  const organization = await withServer({}, (server) => anOrganization(server));
  await withFiles(async (server) => expect(await objectsOf(server, organization)).toEqual(['group']));
});

it('is applied once by several servers that start at the same time', async () => {
  const organization = await withServer({}, (server) => anOrganization(server));
  write(deskFiles());
  await Promise.all(
    Array.from({ length: 3 }, () =>
      withFiles(async (server) =>
        expect(await objectsOf(server, organization)).toEqual(['group', 'connection', 'configuration', 'policy']),
      ),
    ),
  );
  const owner = new Client(database.url);
  await owner.connect();
  const { rowCount } = await owner.query(`select from audit_events where kind = 'organization.applied'`);
  await owner.end();
  expect(rowCount).toBe(1);
});

it.each<[string, () => string, RegExp]>([
  ['does not exist', () => path.join(folder, 'nothing'), /^CONFIG_DIR: ENOENT: .*nothing/],
  [
    'is a file',
    () => path.join(folder, 'a.yaml'),
    /^CONFIG_DIR: the files are not valid:\n\.:1:1 cannot be read \(ENOTDIR\)/,
  ],
])('does not start with a folder that %s', async (_, dir, message) => {
  write({ 'a.yaml': 'kind: group\nname: A\n' });
  await expect(withServer({ CONFIG_DIR: dir() }, async () => undefined)).rejects.toThrow(message);
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
    /a\.yaml:9:1 text: line 1, column \d+: /,
  ],
  [
    'a credential that is not set',
    {
      'a.yaml':
        'kind: group\nname: B\n---\nkind: connection\nname: x\nconnector: mcp\nsettings: { url: "https://x.example" }\nsecrets:\n  token: { fromEnvironment: SECRET_X }\n',
    },
    /a\.yaml:9:3 secrets\.token: SECRET_X is not set/,
  ],
])('does not start with %s, and changes nothing', async (_, texts, message) => {
  const organization = await withServer({}, (server) => anOrganization(server));
  const events = await changeEvents();
  write(texts);
  await expect(withFiles(async () => undefined)).rejects.toThrow(message);
  expect(await changeEvents()).toEqual(events);
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
