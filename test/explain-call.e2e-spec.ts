import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: GraphqlRequest;
/** The group that may use the configuration. */
let groupId: string;

const published = `
@id("reads") permit (principal, action in Action::"read", resource);
@id("general") permit (principal, action == Action::"workplace__post_message", resource)
  when { context.arguments.channel == "general" };
@id("messages") @approval("review") permit (principal is Agent, action == Action::"workplace__post_message", resource);
@id("no secrets") forbid (principal, action == Action::"workplace__post_message", resource)
  when { context.arguments.text like "*secret*" };`;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await fixture.organization.as(fixture.organization.admin);
  const admin = await fixture.principalOf();
  groupId = (await fixture.get(GroupsService).create(admin, 'Support')).id;
  await fixture
    .get(ConfigurationsService)
    .update(admin, { configurationId: fixture.configurationId, groupIds: [groupId] });
  await fixture.publish(published);
});
afterAll(async () => {
  await workplace?.stop();
  await server?.close();
});

const query = `query ($configurationId: ID!, $callerKind: CallerKind!, $callerId: ID!, $tool: String!,
    $arguments: String!, $surface: CallSurface, $tainted: Boolean, $text: String) {
  explainCall(configurationId: $configurationId, callerKind: $callerKind, callerId: $callerId, tool: $tool,
      arguments: $arguments, surface: $surface, tainted: $tainted, text: $text) {
    verdict steps code reason faults { pointer detail } isHidden revision
    policies { id effect step text }
    approvalSteps { name step { tier quorum } isReachable candidates { name mayDecide reason } }
  }
}`;
const request = (tool: string, args: object | string, more: object = {}, ask = ada) =>
  ask(query, {
    configurationId: fixture.configurationId,
    callerKind: 'agent',
    callerId: fixture.agentId,
    tool: `workplace__${tool}`,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    ...more,
  });
const explain = async (...call: Parameters<typeof request>) => (await request(...call)).data?.explainCall;
const recorded = () =>
  fixture
    .get(DatabaseService)
    .tenant(fixture.organization.system, (tx) => tx.countBy(ToolCall, { tenantId: fixture.organization.tenant.id }));

describe('an explanation', () => {
  it('names the policies that permit, forbid, or require an approval, and who could decide', async () => {
    const allowed = await explain('list_channels', {});
    expect(allowed).toMatchObject({ verdict: 'allow', code: null, revision: 2, isHidden: false, approvalSteps: [] });
    expect(allowed.policies).toEqual([
      {
        id: 'reads',
        effect: 'permit',
        step: null,
        text: '@id("reads") permit (principal, action in Action::"read", resource);',
      },
    ]);

    const held = await explain('post_message', { channel: 'general', text: 'hello' });
    expect(held).toMatchObject({
      verdict: 'approval',
      steps: ['review'],
      policies: [
        { id: 'general', effect: 'permit', step: null },
        { id: 'messages', effect: 'permit', step: 'review' },
      ],
    });
    expect(held.approvalSteps).toHaveLength(1);
    expect(held.approvalSteps[0]).toMatchObject({ name: 'review', step: { tier: 'review', quorum: 1 } });
    expect(held.approvalSteps[0].candidates).toContainEqual(
      expect.objectContaining({ name: 'Ada Admin', mayDecide: false, reason: expect.stringContaining('responsible') }),
    );

    const denied = await explain('post_message', { channel: 'general', text: 'a secret' });
    expect(denied).toMatchObject({
      verdict: 'deny',
      reason: 'The policy "no secrets" forbids this.',
      policies: [{ id: 'no secrets', effect: 'forbid' }],
    });
  });

  it('says that no policy permits a call, and whether the caller can see the tool', async () => {
    const member = { callerKind: 'member', callerId: fixture.reviewer.id };
    expect(await explain('create_ticket', { title: 'Printer' })).toMatchObject({
      verdict: 'deny',
      code: null,
      reason: 'No policy permits this.',
      policies: [],
      isHidden: true,
    });
    const call = { channel: 'random', text: 'hi' };
    expect(await explain('post_message', call, member)).toMatchObject({
      verdict: 'deny',
      code: 'not-permitted',
      reason: 'The member is in no group that may use this configuration.',
    });
    const admin = await fixture.principalOf();
    await fixture.get(GroupsService).addMember(admin, groupId, fixture.reviewer.id);
    expect(await explain('post_message', call, member)).toMatchObject({
      verdict: 'deny',
      code: null,
      policies: [],
      isHidden: false,
    });
  });

  it('decides like the gate: verdict, policies and reason of a call that is made are the same', async () => {
    const calls = [
      { tool: 'list_channels', args: {} },
      { tool: 'post_message', args: { channel: 'x', text: 'top secret' } },
      { tool: 'post_message', args: { channel: 'x', text: 'equal' } },
      { tool: 'create_ticket', args: { title: 'x' } },
      { tool: 'get_ticket', args: { number: 'x' } },
      { tool: 'no_such_tool', args: {} },
    ];
    for (const { tool, args } of calls) {
      const explained = await explain(tool, args);
      const made = await fixture.call(tool, args);
      const row = await fixture
        .get(DatabaseService)
        .tenant(fixture.organization.system, (tx) =>
          tx.findOneByOrFail(ToolCall, { tenantId: fixture.organization.tenant.id, id: made.callId }),
        );
      expect(row.policyIds.toSorted(), tool).toEqual(
        explained.policies.map((one: { id: string }) => one.id).toSorted(),
      );
      expect(row.state === 'denied', tool).toBe(
        explained.verdict === 'deny' ||
          explained.approvalSteps.some((one: { isReachable: boolean }) => !one.isReachable),
      );
      if (row.state === 'denied' && explained.verdict === 'deny') expect(row.reason, tool).toBe(explained.reason);
    }
  });

  it('refuses arguments as precisely as the gate', async () => {
    const duplicate = '{"channel": "a", "channel": "b", "text": "x"}';
    for (const args of [duplicate, '[1]', '{"channel": ', { channel: 7, text: 'x' }, { channel: 'x', more: true }]) {
      const explained = await explain('post_message', args);
      const made = await fixture.call('post_message', args);
      expect(explained, JSON.stringify(args)).toMatchObject({
        verdict: 'deny',
        code: 'invalid-arguments',
        isHidden: false,
        policies: [],
      });
      expect(explained.faults.length).toBeGreaterThan(0);
      expect(explained.faults).toEqual('faults' in made ? made.faults : null);
      expect(explained.reason).toMatch(/^The arguments have/);
    }
    expect((await explain('post_message', { channel: 7, text: 'x' })).faults[0].pointer).toBe('/channel');
  });

  it('says that the gate conceals a hidden tool, and the reason that it conceals', async () => {
    const admin = await fixture.principalOf();
    const tools = fixture.get(ToolsService);
    const hidden = (await tools.listOf(admin, fixture.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'create_ticket',
    )!;
    const concealed = { verdict: 'deny', code: 'tool-not-found', isHidden: true };
    const seen = {
      state: 'denied',
      code: 'tool-not-found',
      reason: 'There is no tool "workplace__create_ticket" here.',
    };
    expect(await fixture.call('create_ticket', { title: 7 })).toMatchObject(seen);
    expect(await explain('create_ticket', { title: 7 })).toMatchObject({
      ...concealed,
      reason: 'The arguments have a fault.',
      faults: [{ pointer: '/title' }],
    });
    await tools.pause(admin, hidden.id);
    expect(await fixture.call('create_ticket', { title: 'Printer' })).toMatchObject(seen);
    const reason = 'An administrator has paused "workplace__create_ticket" or its connection.';
    expect(await explain('create_ticket', { title: 'Printer' })).toMatchObject({ ...concealed, reason });
    const text = '@id("all") permit (principal, action, resource);';
    expect(await explain('create_ticket', { title: 'Printer' }, { text })).toMatchObject({
      code: 'paused',
      isHidden: false,
      reason,
    });
    await tools.resume(admin, hidden.id);
    const nothing = '@id("nothing") forbid (principal, action, resource);';
    expect(await explain('post_message', { channel: 7 }, { text: nothing })).toMatchObject(concealed);
  });

  it('decides by a draft without publishing it, and refuses a draft with errors', async () => {
    const text = '@id("nothing") forbid (principal, action, resource);';
    expect(await explain('list_channels', {}, { text })).toMatchObject({
      verdict: 'deny',
      revision: null,
      isHidden: true,
      reason: 'The policy "nothing" forbids this.',
      policies: [{ id: 'nothing', effect: 'forbid', step: null, text }],
    });
    const held = '@id("ask") @approval("review") permit (principal, action, resource);';
    expect(await explain('list_channels', {}, { text: held })).toMatchObject({
      verdict: 'approval',
      approvalSteps: [{ name: 'review' }],
    });
    expect(await explain('list_channels', {})).toMatchObject({ verdict: 'allow', revision: 2 });
    expect((await request('list_channels', {}, { text: 'permit (principal' })).code).toBe('policy-invalid');
  });

  it('considers surface and taint', async () => {
    const text = `@id("inside") permit (principal, action, resource)
      when { context.surface == "console" && !context.tainted };`;
    expect(await explain('list_channels', {}, { text, surface: 'console' })).toMatchObject({ verdict: 'allow' });
    expect(await explain('list_channels', {}, { text, surface: 'console', tainted: true })).toMatchObject({
      verdict: 'deny',
    });
    expect(await explain('list_channels', {}, { text })).toMatchObject({ verdict: 'deny' });
  });

  it('runs nothing, records nothing and counts nothing', async () => {
    const before = await recorded();
    const sent = (await workplace.arrivals()).length;
    await explain('post_message', { channel: 'general', text: 'x' });
    await explain('list_channels', {});
    await explain('no_such_tool', {});
    expect(await recorded()).toBe(before);
    expect(await workplace.arrivals()).toHaveLength(sent);
  });

  it('names a paused agent, an agent without a key, and a suspended member', async () => {
    const admin = await fixture.principalOf();
    const { id } = await fixture.get(AgentsService).create(admin, {
      configurationId: fixture.configurationId,
      name: 'Keyless',
    });
    expect(await explain('list_channels', {}, { callerId: id })).toMatchObject({
      verdict: 'deny',
      code: 'not-permitted',
      reason: 'The agent has no key, so it cannot call tools.',
    });
    await fixture.get(AgentsService).pause(admin, fixture.agentId);
    expect(await explain('list_channels', {})).toMatchObject({ verdict: 'deny', code: 'paused' });
    await fixture.get(AgentsService).resume(admin, fixture.agentId);
    const member = await fixture.organization.member({ name: 'Sam Suspended' });
    await fixture.get(GroupsService).addMember(admin, groupId, member.id);
    await fixture.suspend(member);
    expect(await explain('list_channels', {}, { callerKind: 'member', callerId: member.id })).toMatchObject({
      verdict: 'deny',
      code: 'not-permitted',
      reason: expect.stringContaining('no longer active'),
    });
  });

  it('refuses unknown callers, agents of other configurations, and unknown configurations', async () => {
    const unknown = '0199f3c2-1111-7000-8000-000000000001';
    expect((await request('list_channels', {}, { callerId: unknown })).code).toBe('agent-not-found');
    expect((await request('list_channels', {}, { callerKind: 'member', callerId: unknown })).code).toBe('not-found');
    expect((await request('list_channels', {}, { configurationId: unknown })).code).toBe('configuration-not-found');
    const other = await fixture.get(ConfigurationsService).create(await fixture.principalOf(), {
      name: 'Other',
      description: '',
      connectionIds: [fixture.connectionId],
      groupIds: [],
    });
    expect((await request('list_channels', {}, { configurationId: other.id })).code).toBe('invalid-request');
  });

  it('is for administrators, auditors and admin tokens', async () => {
    const auditor = await fixture.organization.as(await fixture.organization.member({ roles: ['auditor'] }));
    expect(await explain('list_channels', {}, {}, auditor)).toMatchObject({ verdict: 'allow' });
    const member = await fixture.organization.as(await fixture.organization.member());
    expect((await request('list_channels', {}, {}, member)).code).toBe('forbidden');
    const { token } = await fixture.get(AdminTokensService).create(await fixture.principalOf(), {
      name: 'ci',
      expiresAt: new Date(Date.now() + 60_000),
    });
    expect(await explain('list_channels', {}, {}, fixture.organization.withToken(token))).toMatchObject({
      verdict: 'allow',
    });
  });
});
