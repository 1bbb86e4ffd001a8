import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import type { Browser } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { aProduct, type OauthTokens } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* Somebody is removed, invited again and becomes an administrator again: nothing they held before works. */

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let owner: Member;
let adminToken: string;
let agentId: string;
let agentKey: string;
let signedIn: Browser;
let tokens: OauthTokens;
beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  const { organization } = fixture;
  owner = await organization.member({ name: 'Olga Owner', roles: ['admin'] });
  const person = await fixture.principalOf(owner);
  const expiresAt = new Date(Date.now() + 60 * 60 * 1000);
  adminToken = (await fixture.get(AdminTokensService).create(person, { name: 'ci', expiresAt })).token;
  agentId = (
    await fixture.get(AgentsService).create(person, { configurationId: fixture.configurationId, name: 'Of Olga' })
  ).id;
  agentKey = (await fixture.get(KeysService).create(person, agentId)).key;
  signedIn = await organization.browser(owner);
  tokens = await (await aProduct(server, organization)).tokens(owner);

  expect(await standing()).toEqual({ adminToken: undefined, agentKey: 200, session: 200, access: 200 });
  await fixture.get(MemberStatusService).remove(await fixture.principalOf(), owner.id);
  expect((await standing()).adminToken).toBe('unauthenticated');
  const { email, name } = owner;
  const back = await fixture.get(MembersService).create(organization.system, { email, name, roles: ['admin'] });
  expect(back.id).toBe(owner.id);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
async function status(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

async function standing() {
  return {
    adminToken: (await fixture.organization.withToken(adminToken)('{ tenant { name } }')).code,
    agentKey: await status(
      fetch(`${server.url}/agents/${fixture.configurationId}/.well-known/agent.json`, bearer(agentKey)),
    ),
    session: (await signedIn.fetch('/account')).status,
    access: await status(fetch(`${server.url}/v1/me`, bearer(tokens.access_token))),
  };
}

describe('a member who was removed and invited again', () => {
  it('has no valid credential from before', async () => {
    const after = await standing();
    expect(after.adminToken).toBe('unauthenticated');
    expect(after.agentKey).not.toBe(200);
    expect(after.session).not.toBe(200);
    expect(after.access).toBe(401);
  });

  it('has revoked tokens and paused agents, with audit events', async () => {
    const ask = await fixture.organization.as();
    const { data } = await ask('{ adminTokens { nodes { name revokedAt } } }');
    expect(data.adminTokens.nodes).toEqual([{ name: 'ci', revokedAt: expect.any(String) as string }]);
    const agent = await fixture.get(AgentsService).get(await fixture.principalOf(), agentId);
    expect(agent.pausedAt).toBeInstanceOf(Date);
    const events = await ask('{ auditEvents(first: 50) { nodes { kind } } }');
    const kinds = (events.data.auditEvents.nodes as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toContain('admin_token.revoked');
    expect(kinds).toContain('agent.paused');
  });

  it('can use the agent key again after a person resumes the agent', async () => {
    await fixture.get(AgentsService).resume(await fixture.principalOf(), agentId);
    expect((await standing()).agentKey).toBe(200);
  });
});
