import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Member } from '../src/access/member.entity.js';
import { anOrganization, Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { aProduct, type Product, type Tokens } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

/* What an administrator or a person ends is refused on the very next request, on every process: nothing is remembered. */

let server: TestServer;
let processes: ServerProcess[];
beforeAll(async () => {
  server = await testServer();
  const settings = { BASE_URL: server.url };
  processes = await Promise.all([
    serverProcess(server.databaseUrl, settings),
    serverProcess(server.databaseUrl, settings),
  ]);
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill('SIGTERM')));
  await server.close();
});

/** A person with a product, and an administrator at each process. */
class Scene {
  private constructor(
    readonly organization: Organization,
    readonly product: Product,
    readonly person: Member,
    readonly tokens: Tokens,
  ) {}

  static async set(): Promise<Scene> {
    const organization = await anOrganization(server);
    const person = await organization.member();
    const product = await aProduct(server, organization);
    return new Scene(organization, product, person, await product.tokens(person));
  }

  /** The organization as it is seen from one process. */
  at(index: number): Organization {
    const { tenant, admin } = this.organization;
    return new Organization({ app: server.app, url: processes[index].url }, tenant, admin);
  }

  /** What an administrator does at one process. */
  async administer(index: number, mutation: string): Promise<void> {
    const ask = await this.at(index).as();
    const { code, errors } = await ask(`mutation { ${mutation} }`);
    if (code) throw new Error(`${code}: ${JSON.stringify(errors)}`);
  }

  /** What each process answers to an access token. */
  access({ access_token } = this.tokens): Promise<number[]> {
    const headers = { authorization: `Bearer ${access_token}` };
    return Promise.all(processes.map(({ url }) => statusOf(fetch(`${url}/v1/me`, { headers }))));
  }

  /** The error that each process answers to the refresh token. */
  refresh({ refresh_token } = this.tokens): Promise<(string | undefined)[]> {
    return Promise.all(
      processes.map(async ({ url }) => (await this.product.at(url).refresh(refresh_token)).body.error),
    );
  }
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

const works = [200, 200];
const refused = [401, 401];

describe.each([0, 1])('on the next request, on every process, when it is done at process %s,', (here) => {
  let scene: Scene;
  const elsewhere = 1 - here;
  const client = () => `clientId: "${scene.product.id}"`;
  const member = () => `memberId: "${scene.person.id}"`;

  it.each([
    ['a suspended member', () => `suspendMember(input: { ${member()} }) { id }`, 'invalid_grant'],
    ['a removed member', () => `removeMember(input: { ${member()} }) { id }`, 'invalid_grant'],
    ['a revoked client', () => `revokeOauthClient(input: { ${client()} }) { id }`, 'invalid_client'],
    ['a disabled client', () => `disableOauthClient(input: { ${client()} }) { id }`, 'invalid_client'],
    ['an ended grant', () => `revokeOauthGrants(input: { ${client()}, ${member()} })`, 'invalid_grant'],
    [
      'a client that may do less than before',
      () => `updateOauthClient(input: { ${client()}, scopes: [api_read] }) { id }`,
      'invalid_grant',
    ],
  ])('%s is refused', async (_, mutation, error) => {
    scene = await Scene.set();
    expect(await scene.access()).toEqual(works);
    await scene.administer(here, mutation());
    expect(await scene.access()).toEqual(refused);
    expect(await scene.refresh()).toEqual([error, error]);
  });

  it('one grant is refused, and the other goes on', async () => {
    scene = await Scene.set();
    const other = await scene.product.tokens(scene.person);
    const ask = await scene.at(here).as();
    const { data } = await ask(`{ oauthGrants(${member()}) { totalCount nodes { id memberName scopes } } }`);
    expect(data.oauthGrants).toMatchObject({
      totalCount: 2,
      nodes: [
        { memberName: scene.person.name, scopes: ['api_read'] },
        { memberName: scene.person.name, scopes: ['api_read'] },
      ],
    });
    await scene.administer(here, `revokeOauthGrant(input: { grantId: "${data.oauthGrants.nodes[1].id}" })`);
    expect(await scene.access()).toEqual(refused);
    expect(await scene.access(other)).toEqual(works);
  });

  it('a product that the person has disconnected is refused, and asks again', async () => {
    scene = await Scene.set();
    const browser = await scene.at(here).browser(scene.person);
    const page = await (await browser.fetch('/connected')).text();
    expect(page).toContain(scene.product.client.name);
    expect((await browser.submit('/connected')).headers.get('location')).toBe('/connected');
    expect(await scene.access()).toEqual(refused);
    expect(await (await browser.fetch('/connected')).text()).toContain('No product is connected');
    const { asked } = await scene.product.authorize(await scene.organization.browser(scene.person));
    expect(asked).toBe(true);
  });

  it('an organization that is paused is refused, and goes on afterwards', async () => {
    scene = await Scene.set();
    await scene.administer(here, 'pauseTenant { id }');
    expect(await scene.access()).toEqual([403, 403]);
    await scene.administer(elsewhere, 'resumeTenant { id }');
    expect(await scene.access()).toEqual(works);
  });

  it('a client that is disabled goes on with what it holds when it is enabled', async () => {
    scene = await Scene.set();
    await scene.administer(here, `disableOauthClient(input: { ${client()} }) { id }`);
    expect(await scene.access()).toEqual(refused);
    await scene.administer(elsewhere, `enableOauthClient(input: { ${client()} }) { id }`);
    expect(await scene.access()).toEqual(works);
    expect((await scene.product.at(processes[here].url).refresh(scene.tokens.refresh_token)).status).toBe(200);
  });

  it('a session that is ended opens no page, and what it allowed goes on', async () => {
    scene = await Scene.set();
    const browser = await scene.at(here).browser(scene.person);
    const headers = { cookie: `countersign=${browser.cookie('countersign')}`, accept: 'text/html' };
    const open = () =>
      Promise.all(processes.map(({ url }) => statusOf(fetch(`${url}/connected`, { headers, redirect: 'manual' }))));
    expect(await open()).toEqual(works);
    await browser.submit('/sign-out');
    expect(await open()).toEqual([303, 303]);
    expect(await scene.access()).toEqual(works);
  });
});
