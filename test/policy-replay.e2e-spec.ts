import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { delegatedPrincipal } from '../src/gate/caller.js';
import { GateService } from '../src/gate/gate.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { DelegationFixture } from './kit/delegation-fixture.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { DatabaseService } from '../src/platform/database/database.service.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: GraphqlRequest;

const current = `
@id("reads") permit (principal, action in Action::"read", resource);
@id("writes") @approval("review") permit (principal, action == Action::"workplace__post_message", resource);`;
const stricter = `
@id("few reads") permit (principal, action == Action::"workplace__list_channels", resource);
@id("general") permit (principal, action == Action::"workplace__post_message", resource)
  when { context.arguments.channel == "general" };`;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await fixture.organization.as(fixture.organization.admin);
  await fixture.publish(current);
});
afterAll(async () => {
  await workplace?.stop();
  await server?.close();
});

const query = `query ($configurationId: ID!, $text: String!, $first: Int, $after: String, $since: DateTime) {
  replayPolicy(configurationId: $configurationId, text: $text, first: $first, after: $after, since: $since) {
    calls total revision endCursor
    changes { callId tool caller before { verdict steps } after { verdict steps } policyIds reason }
    notEvaluated { callId tool gap }
  }
}`;
const replay = async (text: string, more: object = {}, ask = ada) =>
  ask(query, { configurationId: fixture.configurationId, text, ...more });

interface ReplayPage {
  calls: number;
  total: number | null;
  endCursor: string | null;
  changes: object[];
  notEvaluated: object[];
}
const pageOf = async (text: string, more: object = {}): Promise<ReplayPage> =>
  (await replay(text, more)).data.replayPolicy as ReplayPage;

it('replays every recorded call page by page and names the calls whose verdict changes', async () => {
  await fixture.call('list_channels', {});
  await fixture.call('list_tickets', {});
  await fixture.call('post_message', { channel: 'general', text: 'hello' });
  await fixture.call('post_message', { channel: 'secret', text: 'hello' });
  await fixture.call('no_such_tool', {});
  await fixture.call('get_ticket', { number: 'not a number' });

  const pages: ReplayPage[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after; isFirst = false) {
    const page = await pageOf(stricter, { first: 2, after });
    pages.push(page);
    after = page.endCursor;
  }
  expect(pages.map(({ calls, total }) => [calls, total])).toEqual([
    [2, 6],
    [2, null],
    [2, null],
    [0, null],
  ]);
  const changes = pages.flatMap((page) => page.changes);
  expect(changes).toMatchObject([
    { tool: 'workplace__post_message', before: { verdict: 'approval' }, after: { verdict: 'deny' }, policyIds: [] },
    {
      tool: 'workplace__post_message',
      caller: 'Helper',
      before: { verdict: 'approval', steps: ['review'] },
      after: { verdict: 'allow', steps: [] },
      policyIds: ['general'],
    },
    { tool: 'workplace__list_tickets', before: { verdict: 'allow' }, after: { verdict: 'deny' } },
  ]);
  expect(pages.flatMap((page) => page.notEvaluated)).toMatchObject([
    { tool: 'workplace__get_ticket', gap: 'arguments_missing' },
    { tool: 'workplace__no_such_tool', gap: 'tool_missing' },
  ]);

  const unchanged = await pageOf(current);
  expect(unchanged).toMatchObject({ calls: 6, changes: [], total: 6 });
  const none = await pageOf(stricter, { since: new Date(Date.now() + 60_000).toISOString() });
  expect(none).toMatchObject({ calls: 0, total: 0, endCursor: null });
});

it('names calls whose arguments were changed in the database, and evaluates the others', async () => {
  const { tenant, system } = fixture.organization;
  await server.app
    .get(DatabaseService)
    .tenant(system, (tx) =>
      runSql(
        tx,
        `update tool_calls set arguments_sealed = '\\x00' where tenant_id = $1 and tool = 'workplace__list_tickets'`,
        [tenant.id],
      ),
    );
  const page = await pageOf(stricter);
  expect(page.notEvaluated).toContainEqual(
    expect.objectContaining({ tool: 'workplace__list_tickets', gap: 'arguments_unreadable' }),
  );
  expect(page.changes).toHaveLength(2);
});

it('gives a delegated agent only the groups that its delegator has, too, as the gate does', async () => {
  const admin = await fixture.principalOf();
  const configurations = fixture.get(ConfigurationsService);
  const specialist = await (await DelegationFixture.create(fixture)).addConfiguration('Specialist');
  const group = await fixture.get(GroupsService).create(admin, 'Support');
  await configurations.update(admin, { configurationId: specialist, groupIds: [group.id] });
  const text = `@id("all") permit (principal, action, resource);
    @id("support only") forbid (principal, action == Action::"workplace__list_channels", resource)
      unless { principal in Group::"${group.id}" };`;
  await fixture.get(PoliciesService).publish(admin, specialist, text);
  const delegator = { id: fixture.configurationId, name: 'Desk' };
  const delegated = delegatedPrincipal(fixture.agent, delegator, specialist);
  const call = () =>
    fixture.get(GateService).call(delegated, {
      configurationId: specialist,
      tool: 'workplace__list_channels',
      arguments: '{}',
    });
  const changes = async () =>
    (await ada(query, { configurationId: specialist, text: '@id("all") permit (principal, action, resource);' })).data
      .replayPolicy.changes;
  expect(await call()).toMatchObject({ state: 'denied' });
  expect(await changes()).toMatchObject([{ before: { verdict: 'deny' }, after: { verdict: 'allow' } }]);
  await configurations.update(admin, { configurationId: fixture.configurationId, groupIds: [group.id] });
  expect(await call()).toMatchObject({ state: 'succeeded' });
  expect(await changes()).toEqual([]);
});

it('refuses a text that cannot be published, a foreign cursor, and everyone who cannot read arguments', async () => {
  expect((await replay('permit (principal')).code).toBe('policy-invalid');
  expect((await replay(stricter, { after: 'x' })).code).toBe('invalid-request');
  const member = await fixture.organization.as(await fixture.organization.member());
  expect((await replay(stricter, {}, member)).code).toBe('forbidden');
  const { token } = await fixture.get(AdminTokensService).create(await fixture.principalOf(), {
    name: 'ci',
    expiresAt: new Date(Date.now() + 60_000),
  });
  expect((await replay(stricter, {}, fixture.organization.withToken(token))).code).toBe('unauthenticated');
});
