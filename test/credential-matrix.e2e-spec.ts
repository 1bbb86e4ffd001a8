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
 * Credential matrix: every credential at every endpoint. A new route fails here until it has a row with the credentials
 * that it accepts. A new kind of credential must be added in test/kit/credentials.ts.
 */

type Kind = Credential['kind'];
interface Access {
  /** The accepted credentials; "everybody": the endpoint is public, and credentials make no difference. */
  accepts: Kind[] | 'everybody';
  /** How it rejects other credentials. */
  rejects?: 'with 401' | 'with the sign-in page';
  /** The URL contains an id of one organization: credentials of other organizations are rejected. */
  isOurs?: boolean;
}

const wellKnown = ['oauth-authorization-server', 'openid-configuration'];
const everybody: Access = { accepts: 'everybody' };
const page: Access = { accepts: ['ses'], rejects: 'with the sign-in page' };
const form: Access = { accepts: ['ses'], rejects: 'with 401' };
const agent: Access = { accepts: ['a2a'], rejects: 'with 401', isOurs: true };
const machine: Access = { accepts: ['ten'], rejects: 'with 401' };
const api: Access = { accepts: ['api'], rejects: 'with 401' };
const terminal: Access = { accepts: ['cli'], rejects: 'with 401' };
const assistant: Access = { accepts: ['mcp'], rejects: 'with 401' };

const pushConfigs = ['', '/:pushConfigId'].map((end) => `tasks/:taskId/pushNotificationConfigs${end}`);
const a2aHttpRoutes = ['a2a{/:tenant}', 'v1'].flatMap((version) =>
  [
    ...['\\:', '%3A'].flatMap((colon) => [
      ...['message', 'tasks/:taskId']
        .map((resource) => [`POST`, `${resource}${colon}`] as const)
        .flatMap(([method, start]) =>
          (start.startsWith('message') ? ['send', 'stream'] : ['cancel', 'subscribe']).map(
            (action) => [method, `${start}${action}`] as const,
          ),
        ),
      ['GET', `tasks/:taskId${colon}subscribe`] as const,
    ]),
    ...['GET', 'POST', 'DELETE'].flatMap((method) => [...pushConfigs, '*path'].map((path) => [method, path] as const)),
    ['GET', 'tasks/:taskId'] as const,
    ...(version === 'v1' ? ['card'] : ['tasks', 'extendedAgentCard']).map((path) => ['GET', path] as const),
  ].map(([method, path]) => `${method} /agents/:configurationId/${version}/${path}`),
);

const rows: [Access, string[]][] = [
  // sign-in, for people without a session
  [everybody, ['GET /setup', 'POST /setup', 'GET /invitation', 'POST /invitation', 'GET /reset', 'POST /reset']],
  [everybody, ['GET /']],
  [everybody, ['GET /sign-in', 'POST /sign-in', 'POST /sign-in/link', 'GET /sign-in/passkey', 'POST /sign-in/passkey']],
  [everybody, ['GET /sign-in/with/:provider', 'GET /sign-in/with/:provider/callback']],
  [everybody, ['GET /assets/passkeys.js', 'GET /assets/paste.js', 'GET /problems', 'GET /problems/:code']],
  // the account of a signed-in person
  [page, ['GET /account', 'GET /account/ways-in', 'GET /connected', 'GET /sign-out', 'GET /confirm']],
  [form, ['POST /sign-out', 'POST /connected', 'POST /confirm', 'POST /confirm/passkey', 'POST /confirm/provider']],
  [form, ['POST /account/ways-in/identities/link', 'POST /account/ways-in/identities/unlink']],
  [form, ['POST /account/ways-in/passkeys', 'POST /account/ways-in/passkeys/remove']],
  [form, ['POST /account/ways-in/password/remove', 'POST /account/ways-in/second-factor']],
  [page, ['GET /approvals/:id', 'GET /graphiql', 'GET /device']],
  [form, ['POST /device', 'POST /device/decision']],
  [form, ['POST /approvals/:id']],
  // tool definitions of connected systems
  [page, ['GET /tools', 'GET /tools/:id']],
  [form, ['POST /tools/:id']],
  // exports of spend
  [page, ['GET /console/exports/usage.csv', 'GET /console/exports/focus.csv', 'GET /console/exports/coverage.csv']],
  [page, ['GET /console/exports/people.csv']],
  [page, ['GET /console/exports/estate.csv']],
  // export of the audit log
  [page, ['GET /console/exports/audit.jsonl', 'GET /console/exports/audit-head.json']],
  // exports of reports
  [page, ['GET /console/exports/reports/:name.csv']],
  // the web console and its event stream
  [page, ['GET /console', 'GET /console/*path']],
  [form, ['GET /console/events']],
  // the set-up of assistants for a configuration
  [page, ['GET /assistants']],
  [{ ...page, isOurs: true }, ['GET /configurations/:id/assistants']],
  [form, ['POST /configurations/:id/assistants']],
  [page, ['GET /connections', 'GET /connections/:id/connect', 'GET /connections/:id/callback']],
  [form, ['POST /connections/:id/connect', 'POST /connections/:id/disconnect']],
  // the client metadata document for external authorization servers
  [everybody, ['GET /connections/:id/client.json']],
  // the authorization server authenticates clients by the request itself, never by a bearer token
  [everybody, ['GET /oauth2/authorize', 'GET /oauth2/authorize/:id', 'GET /oauth2/jwks']],
  [everybody, ['POST /oauth2/token', 'POST /oauth2/revoke', 'POST /oauth2/device_authorization']],
  [everybody, ['OPTIONS /oauth2/token', 'OPTIONS /oauth2/revoke', 'OPTIONS /oauth2/device_authorization']],
  [everybody, ['OPTIONS /oauth2/jwks', 'GET /consent/:id', 'POST /consent/:id']],
  [everybody, ['GET', 'OPTIONS'].flatMap((method) => wellKnown.map((name) => `${method} /.well-known/${name}`))],
  [everybody, ['GET /.well-known/oauth-protected-resource', 'GET /.well-known/oauth-protected-resource/*path']],
  // API for products, on behalf of a person
  [api, ['GET /v1/me', 'GET /v1/search', 'GET /v1/documents/:id', 'GET /v1/calls/:id']],
  [
    api,
    ['GET /v1/tasks', 'POST /v1/tasks', 'GET /v1/tasks/:id', 'GET /v1/tasks/:id/events', 'POST /v1/tasks/:id/cancel'],
  ],
  [api, ['GET /v1/configurations', 'GET /v1/usage']],
  [everybody, ['GET /v1/openapi.json', 'GET /v1/docs', 'GET /v1/docs/:file']],
  [{ ...api, isOurs: true }, ['GET /v1/configurations/:id/tools', 'POST /v1/configurations/:id/tools/:tool/calls']],
  // terminals, on behalf of a person
  [
    terminal,
    ['GET /cli/whoami', 'GET /cli/search', 'GET /cli/documents/:id', 'GET /cli/calls/:id', 'GET /cli/approvals'],
  ],
  [terminal, ['GET /cli/tasks', 'POST /cli/tasks', 'GET /cli/tasks/:id', 'GET /cli/tasks/:id/events']],
  [terminal, ['POST /cli/tasks/:id/cancel', 'GET /cli/configurations']],
  [everybody, ['GET /cli', 'GET /cli/openapi.json']],
  [
    { ...terminal, isOurs: true },
    ['GET /cli/configurations/:id/tools', 'POST /cli/configurations/:id/tools/:tool/calls'],
  ],
  // MCP for assistants, on behalf of a person
  [assistant, ['POST /v1/mcp', 'GET /v1/mcp', 'DELETE /v1/mcp']],
  // sources sign their webhooks
  [everybody, ['POST /webhooks/sources/:connectionId']],
  // Slack signs its requests
  [everybody, ['POST /slack/:tenantId']],
  // agents
  [agent, ['GET /agents/:configurationId/.well-known/agent.json', 'GET /agents/:configurationId/tasks']],
  [agent, ['POST /agents/:configurationId/tasks/send', 'POST /agents/:configurationId/tasks/sendSubscribe']],
  [agent, ['GET /agents/:configurationId/tasks/:taskId', 'GET /agents/:configurationId/tasks/:taskId/events']],
  [agent, ['POST /agents/:configurationId/tasks/:taskId/cancel']],
  // agents over A2A 1.0
  [agent, ['GET /agents/:configurationId/.well-known/agent-card.json', 'POST /agents/:configurationId']],
  [agent, a2aHttpRoutes],
  [machine, ['PUT /ingest/documents/:source/:externalId', 'DELETE /ingest/documents/:source/:externalId']],
  [machine, ['POST /ingest/estate']],
];
const accessByRoute: Record<string, Access> = Object.fromEntries(
  rows.flatMap(([access, routes]) => routes.map((route) => [route, access])),
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
  webhook: '/webhooks/sources/1',
};
/** Middleware in the order of execution. It serves nothing but public files and /graphql. */
const middleware = [
  ['a function at everything', 'Express parses the query string'],
  ['requestId at everything', 'sets the request id'],
  ['a function at everything', 'sets Strict-Transport-Security'],
  ['a function at everything', 'measures the request'],
  ['rejectRepeatedHeaders at everything', 'rejects headers that a proxy could interpret differently'],
  ['a function at everything', 'records rejected credentials'],
  ['a function at /graphql', 'rejects requests of other origins with a cookie'],
  ['a function at /graphql', 'rejects requests without a credential'],
  ['jsonParser at /graphql', 'parses bodies'],
  ['a function at /graphql', 'rejects documents over the limits'],
  ['a function at /graphql', 'converts errors to responses'],
  ['rawParser at /webhooks/sources/1', 'keeps what the source signed'],
  ['rawParser at everything', 'parses bodies'],
  ['a function at everything', 'parses bodies'],
  ['serveStatic at /assets/page.css, /assets/icon.svg, /assets/script.js', 'public files of the web build'],
  ['handler at /assets/page.css', 'public'],
  ['handler at /assets/icon.svg', 'public'],
  [`handler at ${places.agent}`, 'counts requests in flight'],
  ['handler at /v1/me, /v1/mcp', 'limits requests in flight'],
  ['handler at /v1/mcp', 'rejects pages of other origins'],
  ['a function at /graphql', 'administration: see below'],
  ['a function at /graphql', 'administration: see below'],
  ['a function at everything', 'answers unknown addresses'],
  ['a function at everything', 'converts errors to responses'],
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

describe('the credential matrix', () => {
  it('has a row for every route and no others', () => {
    expect(routesOf(server.app).sort()).toEqual(Object.keys(accessByRoute).sort());
  });

  it('contains no route that another one shadows', () => {
    expect(shadowedRoutes(server.app)).toEqual([]);
  });

  it('lists all middleware besides the routes', () => {
    expect(handlersBeside(server.app, Object.values(places))).toEqual(middleware.map(([handler]) => handler));
  });

  it('covers everything, because nothing listens for protocol upgrades', () => {
    expect((server.app.getHttpServer() as { listenerCount(name: string): number }).listenerCount('upgrade')).toBe(0);
  });
});

const addressOf = (path: string): string =>
  path
    .replace(':configurationId', ours.configurationId)
    .replace('/configurations/:id', `/configurations/${ours.configurationId}`)
    .replace(':code', 'not-found')
    .replace('*path', 'v1')
    .replace('{/:tenant}', '')
    .replace('\\:', ':')
    .replace(/:\w+/g, () => newId());

/** Each request comes from another address, because many rejected credentials from one address are throttled. */
let requestCount = 0;
const nextAddress = () => `10.${(requestCount >> 16) & 255}.${(requestCount >> 8) & 255}.${++requestCount & 255}`;

/** Sends a request like the users of the endpoint: browsers request pages and submit forms, programs send JSON. */
async function request(route: string, { headers }: Credential): Promise<Response> {
  const [method, path] = route.split(' ');
  const { accepts, rejects } = accessByRoute[route];
  const isForPeople = accepts === 'everybody' || accepts.includes('ses') || rejects === 'with the sign-in page';
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

async function outcome(route: string, credential: Credential): Promise<string> {
  const response = await request(route, credential);
  await response.body?.cancel();
  if (leadsToSignIn(response)) return 'with the sign-in page';
  return response.status === 401 ? 'with 401' : String(response.status);
}

describe('the endpoint', () => {
  it.each(Object.entries(accessByRoute).filter(([, { accepts }]) => accepts === 'everybody'))(
    '%s responds the same with any credential',
    async (route) => {
      const without = await outcome(
        route,
        credentials.find(({ kind }) => kind === 'none')!,
      );
      for (const credential of credentials)
        expect(`${credentialName(credential)}: ${await outcome(route, credential)}`).toBe(
          `${credentialName(credential)}: ${without}`,
        );
    },
  );

  it.each(Object.entries(accessByRoute).filter(([, { accepts }]) => accepts !== 'everybody'))(
    '%s accepts only its own credentials',
    async (route, access) => {
      for (const credential of credentials) {
        const { kind, status } = credential;
        const isAccepted = access.accepts.includes(kind as never);
        const actual = `${credentialName(credential)}: ${await outcome(route, credential)}`;
        if (isAccepted && status === 'good') expect(actual).not.toMatch(/with/);
        else if (isAccepted && status === 'of another organization')
          expect(actual).toMatch(access.isOurs ? /: (404|with 401)$/ : /: \d+$/);
        else expect(actual).toBe(`${credentialName(credential)}: ${access.rejects}`);
      }
    },
  );
});

describe('the public file', () => {
  it.each([places.stylesheet, places.icon])('%s is served with any credential', async (path) => {
    for (const { headers } of credentials) expect((await fetch(server.url + path, { headers })).status).toBe(200);
  });
});

describe('the unknown address', () => {
  it.each(['/nowhere', '/oauth2', '/agents', '/ingest', '/assets/..%2fpackage.json', '/.env'])(
    '%s is answered with 404 for any credential',
    async (path) => {
      for (const { headers } of credentials)
        expect((await fetch(server.url + path, { headers: { accept: 'application/json', ...headers } })).status).toBe(
          404,
        );
    },
  );
});

/** Sends one operation to /graphql. Returns the code of its first error, or "answered". */
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
const find = (kind: Kind, status: Credential['status'] = 'good') =>
  credentials.find((credential) => credential.kind === kind && credential.status === status)!;

/** One credential of each other kind, valid if possible, and the expired or revoked ones of administrators. */
const withoutAccess = () =>
  credentials.filter(
    (credential, index) =>
      !administers(credential) &&
      (['ses', 'adm'].includes(credential.kind) ||
        credentials.findIndex(({ kind }) => kind === credential.kind) === index),
  );

describe('the administration API', () => {
  it.each(everyOperation(buildSchema(readFileSync('schema.graphql', 'utf8'))))(
    'accepts only a session or an admin token for $field',
    async ({ text }) => {
      for (const credential of withoutAccess())
        expect(`${credentialName(credential)}: ${await operate(text, credential.headers)}`).toBe(
          `${credentialName(credential)}: unauthenticated`,
        );
    },
  );

  it('accepts a session and an admin token', async () => {
    for (const kind of ['ses', 'adm'] as const)
      expect(await operate('{ configurations { totalCount } }', find(kind).headers)).toBe('answered');
  });

  it('hides configurations from other organizations', async () => {
    const text = `{ configuration(id: "${ours.configurationId}") { name } }`;
    for (const kind of ['ses', 'adm'] as const) {
      expect(await operate(text, find(kind).headers)).toBe('answered');
      expect(await operate(text, find(kind, 'of another organization').headers)).toBe('configuration-not-found');
    }
  });

  it('accepts a session only from its own origin', async () => {
    const { headers } = find('ses');
    for (const origin of ['https://elsewhere.example', 'null', ''])
      expect(await operate('{ configurations { totalCount } }', headers, origin)).toBe('forbidden');
  });

  it('accepts no token in the URL', async () => {
    const token = find('adm').headers.authorization.replace('Bearer ', '');
    const response = await fetch(`${server.url}/graphql?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ configurations { totalCount } }' }),
    });
    expect(await response.text()).toContain('unauthenticated');
  });
});

describe('the audit log', () => {
  interface Refusal {
    subject: { type: string };
    detail: { count: number; endpoints: string[] };
  }
  // separate credentials, which no other test has sent
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
  ] as const)('records where a valid %s credential was rejected', async (kind, type, addresses) => {
    const credential = fresh.find((one) => one.kind === kind && one.status === 'good')!;
    for (const route of [
      'POST /account/ways-in/second-factor',
      'GET /v1/me',
      'PUT /ingest/documents/:source/:externalId',
      'GET /agents/:configurationId/tasks',
    ])
      await outcome(route, credential);
    await operate('{ configurations { totalCount } }', credential.headers);
    // the server counts a refusal after the response, and a periodic flush may be running
    await expect
      .poll(async () => {
        const recorded = await refusals(type);
        const endpoints = [...new Set(recorded.flatMap((detail) => detail.endpoints))].sort();
        return { endpoints, count: recorded.reduce((sum, { count }) => sum + count, 0) };
      })
      .toEqual({ endpoints: addresses, count: addresses.length });
  });
});

describe('the internal port', () => {
  const inside = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.internalPort}${path}`, { headers });

  it('serves health and metrics, and nothing else', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await inside(path)).status).toBe(200);
    for (const route of Object.keys(accessByRoute))
      expect((await inside(addressOf(route.split(' ')[1]))).status).toBe(404);
    expect((await inside('/graphql')).status).toBe(404);
  });

  it('ignores credentials', async () => {
    for (const { headers } of credentials) expect((await inside('/healthz', headers)).status).toBe(200);
  });

  it('serves paths that the public port does not serve', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(server.url + path)).status).toBe(404);
  });
});
