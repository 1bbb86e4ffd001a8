import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { apiOf, aUser } from './kit/api.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization, Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { aProduct, type Product, type OauthTokens } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* Revocation takes effect with the next request on every process, because nothing is cached. */

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

/** A person with a product, and an administrator for each process. */
class Scene {
  private constructor(
    readonly organization: Organization,
    readonly product: Product,
    readonly person: Member,
    readonly tokens: OauthTokens,
  ) {}

  static async set(): Promise<Scene> {
    const organization = await anOrganization(server);
    const person = await organization.member();
    const product = await aProduct(server, organization);
    return new Scene(organization, product, person, await product.tokens(person));
  }

  /** The organization, accessed through one process. */
  at(index: number): Organization {
    const { tenant, admin } = this.organization;
    return new Organization({ app: server.app, url: processes[index].url }, tenant, admin);
  }

  /** Runs a mutation of an administrator at one process. */
  async administer(index: number, mutation: string): Promise<void> {
    const ask = await this.at(index).as();
    const { code, errors } = await ask(`mutation { ${mutation} }`);
    if (code) throw new Error(`${code}: ${JSON.stringify(errors)}`);
  }

  /** The status of each process for an access token. */
  access({ access_token } = this.tokens): Promise<number[]> {
    const headers = { authorization: `Bearer ${access_token}` };
    return Promise.all(processes.map(({ url }) => statusOf(fetch(`${url}/v1/me`, { headers }))));
  }

  /** The error of each process for the refresh token. */
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

describe.each([0, 1])('after a change at process %s, the next request on every process', (here) => {
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
      'a client with reduced access',
      () => `updateOauthClient(input: { ${client()}, scopes: [api_read] }) { id }`,
      'invalid_grant',
    ],
  ])('rejects %s', async (_, mutation, error) => {
    scene = await Scene.set();
    const code = await scene.product.code(scene.person);
    expect(await scene.access()).toEqual(works);
    await scene.administer(here, mutation());
    expect(await scene.access()).toEqual(refused);
    expect(await scene.refresh()).toEqual([error, error]);
    expect((await scene.product.at(processes[elsewhere].url).exchange(code)).body.error).toBe(error);
  });

  it('rejects an ended grant and accepts another one', async () => {
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

  it('rejects a product that the person disconnected, and the product has to ask again', async () => {
    scene = await Scene.set();
    const browser = await scene.at(here).browser(scene.person);
    const page = await (await browser.fetch('/connected')).text();
    expect(page).toContain(scene.product.client.name);
    expect((await browser.submit('/connected')).headers.get('location')).toBe('/connected');
    expect(await scene.access()).toEqual(refused);
    expect(await (await browser.fetch('/connected')).text()).toContain('No connected products');
    const { asked } = await scene.product.authorize(await scene.organization.browser(scene.person));
    expect(asked).toBe(true);
  });

  it('rejects a paused organization and accepts it after it is resumed', async () => {
    scene = await Scene.set();
    await scene.administer(here, 'pauseTenant { id }');
    expect(await scene.access()).toEqual([403, 403]);
    await scene.administer(elsewhere, 'resumeTenant { id }');
    expect(await scene.access()).toEqual(works);
  });

  it('rejects a disabled client and accepts its existing tokens after it is enabled', async () => {
    scene = await Scene.set();
    await scene.administer(here, `disableOauthClient(input: { ${client()} }) { id }`);
    expect(await scene.access()).toEqual(refused);
    await scene.administer(elsewhere, `enableOauthClient(input: { ${client()} }) { id }`);
    expect(await scene.access()).toEqual(works);
    expect((await scene.product.at(processes[here].url).refresh(scene.tokens.refresh_token)).status).toBe(200);
  });

  it('rejects the earlier grants and consents of a removed member who comes back', async () => {
    scene = await Scene.set();
    const { email } = scene.person;
    await scene.administer(here, `removeMember(input: { ${member()} }) { id }`);
    const back = await server.app.get(MembersService).create(scene.organization.system, { email, name: 'Back again' });
    expect(back.id).toBe(scene.person.id);
    expect(await scene.access()).toEqual(refused);
    expect(await scene.refresh()).toEqual(['invalid_grant', 'invalid_grant']);
    const { asked } = await scene.product.authorize(await scene.organization.browser(back));
    expect(asked).toBe(true);
  });

  it('rejects an ended session but accepts the tokens that were granted in it', async () => {
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

describe('a pending call of a product that lost access', () => {
  let workplace: Workplace;
  let fixture: GateFixture;
  beforeAll(async () => {
    workplace = await Workplace.start();
    fixture = await GateFixture.create(server, workplace);
  });
  afterAll(() => workplace.stop());

  const arrived = async (title: string) =>
    (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);

  /** A ticket that a product requests for a person and that waits for a reviewer. */
  async function waiting(title: string) {
    const person = await aUser(fixture, title);
    const product = await aProduct(server, fixture.organization);
    const api = await apiOf(server, fixture, person, { product });
    const path = `/configurations/${fixture.configurationId}/tools/workplace__create_ticket/calls`;
    const again = () => api.post(path, { arguments: { title } });
    const { body } = await again();
    expect(body).toMatchObject({ state: 'awaiting_approval' });
    const approve = async () =>
      fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), body.approval.id, 'approve');
    const succeeded = () => api.until<{ state: string }>(`/calls/${body.id}`, ({ state }) => state === 'succeeded');
    return { person, product, approve, again, succeeded };
  }

  it.each([
    ['the person has disconnected it', 'revokeOauthGrants(input: { CLIENT, MEMBER })'],
    ['an administrator has revoked it', 'revokeOauthClient(input: { CLIENT }) { id }'],
    ['the person was suspended', 'suspendMember(input: { MEMBER }) { id }'],
  ])('does not run after %s, approved or not', async (title, mutation) => {
    const { person, product, approve } = await waiting(title);
    const ask = await fixture.organization.as();
    const text = mutation.replace('CLIENT', `clientId: "${product.id}"`).replace('MEMBER', `memberId: "${person.id}"`);
    expect((await ask(`mutation { ${text} }`)).code).toBeUndefined();
    expect(await approve()).toMatchObject({ state: 'void' });
    expect(await arrived(title)).toEqual([]);
  });

  it('waits while the product is disabled and runs afterwards', async () => {
    const title = 'disabled for a while';
    const { product, approve, again, succeeded } = await waiting(title);
    const ask = await fixture.organization.as();
    const input = `input: { clientId: "${product.id}" }`;
    await ask(`mutation { disableOauthClient(${input}) { id } }`);
    expect(await approve()).toMatchObject({ state: 'approved' });
    expect((await again()).status).toBe(401);
    expect(await arrived(title)).toEqual([]);
    await ask(`mutation { enableOauthClient(${input}) { id } }`);
    expect([200, 202]).toContain((await again()).status);
    await succeeded();
    expect(await arrived(title)).toHaveLength(1);
  });
});
