import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { RefusedCredentialsService } from '../src/access/refused-credentials.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { type Credential, createEveryCredential, credentialName } from './kit/credentials.js';
import type { GateFixture } from './kit/gate-fixture.js';
import { everyOperation } from './kit/graphql-fields.js';
import { handlersBeside, routesOf, shadowedRoutes } from './kit/routes.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/*
 * Every credential at every door. A new route fails here until its row says what opens it; a new kind of credential gets its
 * rows in test/kit/credentials.ts.
 */

type Kind = Credential['kind'];
interface Door {
  /** What opens it; "everybody": no credential makes a difference. */
  opens: Kind[] | 'everybody';
  /** How it refuses. */
  refuses?: 'with 401' | 'with the sign-in page';
  /** Its address names something of one organization: another one's credential is refused. */
  isOurs?: boolean;
}

const wellKnown = ['oauth-authorization-server', 'openid-configuration'];
const everybody: Door = { opens: 'everybody' };
const page: Door = { opens: ['ses'], refuses: 'with the sign-in page' };
const form: Door = { opens: ['ses'], refuses: 'with 401' };
const agent: Door = { opens: ['a2a'], refuses: 'with 401', isOurs: true };
const machine: Door = { opens: ['ten'], refuses: 'with 401' };
const api: Door = { opens: ['api'], refuses: 'with 401' };
const assistant: Door = { opens: ['mcp'], refuses: 'with 401' };

const rows: [Door, string[]][] = [
  // ways in, which are there for those who have nothing yet
  [everybody, ['GET /setup', 'POST /setup', 'GET /invitation', 'POST /invitation', 'GET /reset', 'POST /reset']],
  [everybody, ['GET /']],
  [everybody, ['GET /sign-in', 'POST /sign-in', 'POST /sign-in/link', 'GET /sign-in/passkey', 'POST /sign-in/passkey']],
  [everybody, ['GET /sign-in/with/:provider', 'GET /sign-in/with/:provider/callback']],
  [everybody, ['GET /assets/passkeys.js', 'GET /assets/paste.js', 'GET /problems', 'GET /problems/:code']],
  // a signed-in person's own
  [page, ['GET /account', 'GET /account/ways-in', 'GET /connected', 'GET /sign-out', 'GET /confirm']],
  [form, ['POST /sign-out', 'POST /connected', 'POST /confirm', 'POST /confirm/passkey', 'POST /confirm/provider']],
  [form, ['POST /account/ways-in/identities/link', 'POST /account/ways-in/identities/unlink']],
  [form, ['POST /account/ways-in/passkeys', 'POST /account/ways-in/passkeys/remove']],
  [form, ['POST /account/ways-in/password/remove', 'POST /account/ways-in/second-factor']],
  [page, ['GET /approvals/:id', 'GET /graphiql', 'GET /device']],
  [form, ['POST /device', 'POST /device/decision']],
  [form, ['POST /approvals/:id']],
  // what connected systems say about their tools
  [page, ['GET /tools', 'GET /tools/:id']],
  [form, ['POST /tools/:id']],
  // what assistants cost, as files
  [page, ['GET /console/exports/usage.csv', 'GET /console/exports/focus.csv', 'GET /console/exports/coverage.csv']],
  [page, ['GET /console/exports/people.csv']],
  // and the audit log
  [page, ['GET /console/exports/audit.jsonl']],
  // the web console, and what it is told of while it is open
  [page, ['GET /console', 'GET /console/*path']],
  [form, ['GET /console/events']],
  // which assistants reach a configuration, and how
  [page, ['GET /assistants']],
  [{ ...page, isOurs: true }, ['GET /configurations/:id/assistants']],
  [form, ['POST /configurations/:id/assistants']],
  [page, ['GET /connections', 'GET /connections/:id/connect', 'GET /connections/:id/callback']],
  [form, ['POST /connections/:id/connect', 'POST /connections/:id/disconnect']],
  // what an authorization server elsewhere reads about us
  [everybody, ['GET /connections/:id/client.json']],
  // the authorization server judges by itself what it is shown: by the request, never by a bearer token
  [everybody, ['GET /oauth2/authorize', 'GET /oauth2/authorize/:id', 'GET /oauth2/jwks']],
  [everybody, ['POST /oauth2/token', 'POST /oauth2/revoke', 'POST /oauth2/device_authorization']],
  [everybody, ['OPTIONS /oauth2/token', 'OPTIONS /oauth2/revoke', 'OPTIONS /oauth2/device_authorization']],
  [everybody, ['OPTIONS /oauth2/jwks', 'GET /consent/:id', 'POST /consent/:id']],
  [everybody, ['GET', 'OPTIONS'].flatMap((method) => wellKnown.map((name) => `${method} /.well-known/${name}`))],
  [everybody, ['GET /.well-known/oauth-protected-resource', 'GET /.well-known/oauth-protected-resource/*path']],
  // products, for a person
  [api, ['GET /v1/me', 'GET /v1/search', 'GET /v1/documents/:id', 'GET /v1/calls/:id']],
  [
    api,
    ['GET /v1/tasks', 'POST /v1/tasks', 'GET /v1/tasks/:id', 'GET /v1/tasks/:id/events', 'POST /v1/tasks/:id/cancel'],
  ],
  [api, ['GET /v1/configurations', 'GET /v1/usage']],
  [everybody, ['GET /v1/openapi.json', 'GET /v1/docs', 'GET /v1/docs/:file']],
  [{ ...api, isOurs: true }, ['GET /v1/configurations/:id/tools', 'POST /v1/configurations/:id/tools/:tool/calls']],
  // assistants, for a person
  [assistant, ['POST /v1/mcp', 'GET /v1/mcp', 'DELETE /v1/mcp']],
  // agents, and the organization's machines
  [agent, ['GET /agents/:configurationId/.well-known/agent.json', 'GET /agents/:configurationId/tasks']],
  [agent, ['POST /agents/:configurationId/tasks/send', 'POST /agents/:configurationId/tasks/sendSubscribe']],
  [agent, ['GET /agents/:configurationId/tasks/:taskId', 'GET /agents/:configurationId/tasks/:taskId/events']],
  [agent, ['POST /agents/:configurationId/tasks/:taskId/cancel']],
  // and of the open protocol
  [agent, ['GET /agents/:configurationId/.well-known/agent-card.json', 'POST /agents/:configurationId']],
  [agent, ['GET /agents/:configurationId/a2a/*path', 'GET /agents/:configurationId/v1/*path']],
  [agent, ['POST /agents/:configurationId/a2a/*path', 'POST /agents/:configurationId/v1/*path']],
  [agent, ['DELETE /agents/:configurationId/a2a/*path', 'DELETE /agents/:configurationId/v1/*path']],
  [machine, ['PUT /ingest/documents/:source/:externalId', 'DELETE /ingest/documents/:source/:externalId']],
  [machine, ['POST /ingest/estate']],
];
const doors: Record<string, Door> = Object.fromEntries(
  rows.flatMap(([door, routes]) => routes.map((route) => [route, door])),
);

const places = {
  root: '/',
  graphql: '/graphql',
  stylesheet: '/assets/page.css',
  icon: '/assets/icon.svg',
  script: '/assets/script.js',
  agent: `/agents/${newId()}/tasks/send`,
  token: '/oauth2/token',
  api: '/v1/me',
  mcp: '/v1/mcp',
};
/** In the order in which they see a request. None of them opens anything but files that everybody may have, and /graphql. */
const beside = [
  ['a function at everything', 'the framework reads the query'],
  ['requestId at everything', 'gives the request its name'],
  ['a function at everything', 'promises https'],
  ['a function at everything', 'measures it'],
  ['rejectRepeatedHeaders at everything', 'refuses what a proxy could read differently'],
  ['a function at everything', 'notes refused credentials'],
  ['a function at /graphql', 'refuses what other origins send with a cookie'],
  ['a function at /graphql', 'refuses requests without a credential'],
  ['jsonParser at /graphql', 'reads bodies'],
  ['a function at /graphql', 'refuses documents over the limits'],
  ['a function at /graphql', 'turns refusals into answers'],
  ['rawParser at everything', 'reads bodies'],
  ['a function at everything', 'reads bodies'],
  ['serveStatic at /assets/page.css, /assets/icon.svg, /assets/script.js', 'files of the web build, for everybody'],
  ['handler at /assets/page.css', 'for everybody'],
  ['handler at /assets/icon.svg', 'for everybody'],
  [`handler at ${places.agent}`, 'counts what is under way'],
  ['handler at /v1/me, /v1/mcp', 'bounds what is under way'],
  ['handler at /v1/mcp', 'refuses pages of other origins'],
  ['a function at /graphql', 'administration: see below'],
  ['a function at /graphql', 'administration: see below'],
  ['a function at everything', 'says that there is no such address'],
  ['a function at everything', 'turns errors into answers'],
] as const;

let server: TestServer;
let workplace: Workplace;
let ours: GateFixture;
let credentials: Credential[];
beforeAll(async () => {
  server = await testServer({ TRUSTED_PROXIES: '127.0.0.1', LIMIT_REFUSALS_PER_MINUTE: '1000000' });
  workplace = await Workplace.start();
  ({ ours, credentials } = await createEveryCredential(server, workplace));
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

describe('the table', () => {
  it('has a row for every route, and no other', () => {
    expect(routesOf(server.app).sort()).toEqual(Object.keys(doors).sort());
  });

  it('leads to each of them', () => {
    expect(shadowedRoutes(server.app)).toEqual([]);
  });

  it('knows everything that is mounted beside the routes', () => {
    expect(handlersBeside(server.app, Object.values(places))).toEqual(beside.map(([handler]) => handler));
  });

  it('knows that nothing listens for upgrades to other protocols', () => {
    expect((server.app.getHttpServer() as { listenerCount(name: string): number }).listenerCount('upgrade')).toBe(0);
  });
});

const addressOf = (path: string): string =>
  path
    .replace(':configurationId', ours.configurationId)
    .replace('/configurations/:id', `/configurations/${ours.configurationId}`)
    .replace(':code', 'not-found')
    .replace('*path', 'v1')
    .replace(/:\w+/g, () => newId());

/** Each knock from an address of its own: whoever tries many credentials from one is slowed down, which is another wall. */
let knocks = 0;
const nextAddress = () => `10.${(knocks >> 16) & 255}.${(knocks >> 8) & 255}.${++knocks & 255}`;

/** As the door's own users would: browsers ask for pages and send forms, programs send JSON. */
async function knock(route: string, { headers }: Credential): Promise<Response> {
  const [method, path] = route.split(' ');
  const { opens, refuses } = doors[route];
  const isForPeople = opens === 'everybody' || opens.includes('ses') || refuses === 'with the sign-in page';
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return fetch(server.url + addressOf(path), {
    method,
    redirect: 'manual',
    headers: {
      accept: isForPeople ? 'text/html' : 'application/json',
      'x-forwarded-for': nextAddress(),
      ...(hasBody ? { 'content-type': isForPeople ? 'application/x-www-form-urlencoded' : 'application/json' } : {}),
      ...headers,
    },
    ...(hasBody ? { body: isForPeople ? 'a=b' : '{"arguments":{}}' } : {}),
  });
}

const leadsToSignIn = (response: Response) => /^\/sign-in\?/.test(response.headers.get('location') ?? '');

async function verdict(route: string, credential: Credential): Promise<string> {
  const response = await knock(route, credential);
  await response.body?.cancel();
  if (leadsToSignIn(response)) return 'with the sign-in page';
  return response.status === 401 ? 'with 401' : String(response.status);
}

describe('at', () => {
  it.each(Object.entries(doors).filter(([, { opens }]) => opens === 'everybody'))(
    '%s no credential makes a difference',
    async (route) => {
      const without = await verdict(
        route,
        credentials.find(({ kind }) => kind === 'none')!,
      );
      for (const credential of credentials)
        expect(`${credentialName(credential)}: ${await verdict(route, credential)}`).toBe(
          `${credentialName(credential)}: ${without}`,
        );
    },
  );

  it.each(Object.entries(doors).filter(([, { opens }]) => opens !== 'everybody'))('%s', async (route, door) => {
    for (const credential of credentials) {
      const { kind, status } = credential;
      const isRight = door.opens.includes(kind as never);
      const is = `${credentialName(credential)}: ${await verdict(route, credential)}`;
      if (isRight && status === 'good') expect(is).not.toMatch(/with/);
      else if (isRight && status === 'of another organization')
        expect(is).toMatch(door.isOurs ? /: (404|with 401)$/ : /: \d+$/);
      else expect(is).toBe(`${credentialName(credential)}: ${door.refuses}`);
    }
  });
});

describe('a file that everybody may have', () => {
  it.each([places.stylesheet, places.icon])('%s is the same with any credential', async (path) => {
    for (const { headers } of credentials) expect((await fetch(server.url + path, { headers })).status).toBe(200);
  });
});

describe('an address that does not exist', () => {
  it.each(['/nowhere', '/oauth2', '/agents', '/ingest', '/assets/..%2fpackage.json', '/.env'])(
    '%s does not exist for any credential',
    async (path) => {
      for (const { headers } of credentials)
        expect((await fetch(server.url + path, { headers: { accept: 'application/json', ...headers } })).status).toBe(
          404,
        );
    },
  );
});

/** One operation at /graphql: the code of its first error, or "answered". */
async function operate(text: string, headers: Record<string, string>, origin = server.url): Promise<string> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(origin ? { origin } : {}), ...headers },
    body: JSON.stringify({ query: text }),
  });
  const { code, errors } = (await response.json()) as {
    code?: string;
    errors?: { extensions: { code: string } }[];
  };
  return code ?? errors?.[0].extensions.code ?? 'answered';
}

const administers = ({ kind, status }: Credential) =>
  ['ses', 'adm'].includes(kind) && ['good', 'of another organization'].includes(status);
const find = (kind: Kind, standing: Credential['status'] = 'good') =>
  credentials.find((credential) => credential.kind === kind && credential.status === standing)!;

/** One of each other kind, a good one where there is one, and those that administer no more. */
const strangers = () =>
  credentials.filter(
    (credential, index) =>
      !administers(credential) &&
      (['ses', 'adm'].includes(credential.kind) ||
        credentials.findIndex(({ kind }) => kind === credential.kind) === index),
  );

describe('administration', () => {
  it.each(everyOperation(buildSchema(readFileSync('schema.graphql', 'utf8'))))(
    'opens $field to nothing but a session or an admin token',
    async ({ text }) => {
      for (const credential of strangers())
        expect(`${credentialName(credential)}: ${await operate(text, credential.headers)}`).toBe(
          `${credentialName(credential)}: unauthenticated`,
        );
    },
  );

  it('opens to a session and an admin token', async () => {
    for (const kind of ['ses', 'adm'] as const)
      expect(await operate('{ configurations { totalCount } }', find(kind).headers)).toBe('answered');
  });

  it('shows another organization nothing of ours', async () => {
    const text = `{ configuration(id: "${ours.configurationId}") { name } }`;
    for (const kind of ['ses', 'adm'] as const) {
      expect(await operate(text, find(kind).headers)).toBe('answered');
      expect(await operate(text, find(kind, 'of another organization').headers)).toBe('configuration-not-found');
    }
  });

  it('takes a session from its own pages alone', async () => {
    const { headers } = find('ses');
    for (const origin of ['https://elsewhere.example', 'null', ''])
      expect(await operate('{ configurations { totalCount } }', headers, origin)).toBe('forbidden');
  });

  it('takes a token from no address', async () => {
    const token = find('adm').headers.authorization.replace('Bearer ', '');
    const response = await fetch(`${server.url}/graphql?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ configurations { totalCount } }' }),
    });
    expect(await response.text()).toContain('unauthenticated');
  });
});

describe('the records', () => {
  interface Refusal {
    subject: { type: string };
    detail: { count: number; doors: string[] };
  }
  // of their own, so that nothing else has refused them
  let fixture: GateFixture;
  let fresh: Credential[];
  beforeAll(async () => {
    ({ ours: fixture, credentials: fresh } = await createEveryCredential(server, workplace));
  });

  const refusals = async (type: string) => {
    await server.app.get(RefusedCredentialsService).flush();
    const { nodes } = await server.app
      .get(AuditLogService)
      .list(fixture.organization.system, { first: 200 }, { kind: 'credential.refused' });
    const ofType = (nodes as unknown as Refusal[]).filter(({ subject }) => subject.type === type);
    return ofType.map(({ detail }) => detail);
  };

  it.each([
    ['api', 'api_token', ['/account', '/agents', '/graphql', '/ingest']],
    ['mcp', 'mcp_token', ['/account', '/agents', '/graphql', '/ingest', '/v1']],
    ['ref', 'refresh_token', ['/account', '/agents', '/graphql', '/ingest', '/v1']],
    ['sec', 'client_secret', ['/account', '/agents', '/graphql', '/ingest', '/v1']],
    ['cli', 'cli_token', ['/account', '/agents', '/graphql', '/ingest', '/v1']],
    ['ten', 'tenant_key', ['/account', '/agents', '/graphql', '/v1']],
    ['a2a', 'a2a_key', ['/account', '/graphql', '/ingest', '/v1']],
  ] as const)('tell where a good %s was refused', async (kind, type, doors) => {
    const credential = fresh.find((one) => one.kind === kind && one.status === 'good')!;
    for (const route of [
      'POST /account/ways-in/second-factor',
      'GET /v1/me',
      'PUT /ingest/documents/:source/:externalId',
      'GET /agents/:configurationId/tasks',
    ])
      await verdict(route, credential);
    await operate('{ configurations { totalCount } }', credential.headers);
    const told = await refusals(type);
    expect([...new Set(told.flatMap((detail) => detail.doors))].sort()).toEqual(doors);
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(doors.length);
  });
});

describe('the internal port', () => {
  const inside = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.internalPort}${path}`, { headers });

  it('tells whoever reaches it how the process is, and nothing else', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await inside(path)).status).toBe(200);
    for (const route of Object.keys(doors)) expect((await inside(addressOf(route.split(' ')[1]))).status).toBe(404);
    expect((await inside('/graphql')).status).toBe(404);
  });

  it('asks for no credential, and heeds none', async () => {
    for (const { headers } of credentials) expect((await inside('/healthz', headers)).status).toBe(200);
  });

  it('is not reached through the other one', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(server.url + path)).status).toBe(404);
  });
});
