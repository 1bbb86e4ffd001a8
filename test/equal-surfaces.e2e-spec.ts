import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { type Api, apiOf, aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { Rpc } from './kit/rpc.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { anotherAgentIdentity, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/*
 * One table of calls (tool, arguments, policy, caller, decision), each made through A2A, MCP and the API: the decision,
 * the approval, the audit events, the effect and the reason that the caller reads are the same on all three.
 */

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
/** Fills in the ids of the callers in a policy. */
let policyOf: (text: string) => string;
let callers: Record<'first' | 'second', Caller>;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ MCP_HOLD_SECONDS: '1' }), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  const product = await anAssistantProduct(server, fixture);
  const through = async (member: Member, wire: Wire): Promise<Caller> => {
    const { access_token } = await product.tokens(member, { scope: 'api:write' });
    return { a2a: wire, mcp: new Rpc(server.url, access_token), api: await apiOf(server, fixture, member) };
  };
  const [first, second] = [await aUser(fixture, 'Fay First'), await aUser(fixture, 'Sam Second')];
  callers = {
    first: await through(first, wireOf(fixture, server.url)),
    second: await through(second, (await anotherAgentIdentity(fixture, server.url)).wire),
  };
  policyOf = (text) => text.replace('$member', first.id).replace('$agent', fixture.agentId);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

interface Caller {
  a2a: Wire;
  mcp: Rpc;
  api: Api;
}
const surfaces = ['a2a', 'mcp', 'api'] as const;
type Surface = (typeof surfaces)[number];

interface Observed {
  state: string;
  code: string | null;
  reason: string | null;
  effect: string | null;
  steps: string[];
  policies: string[];
  approvals: { state: string; step: string }[];
  audit: string[];
  /** How often the call arrived at the connected system. */
  arrivals: number;
}

interface Case {
  title: string;
  tool: string;
  args: Record<string, unknown>;
  policy: string;
  caller?: keyof typeof callers;
  decision?: 'approve' | 'deny';
  fault?: 'drop' | 'error';
  expected: Partial<Observed>;
  /** Part of what the caller receives. */
  answer: RegExp;
}

const rows = <T extends object>(sql: string, parameters: unknown[]) =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) => runSql<T>(tx, sql, parameters));

/** Makes the call. `received` returns everything that the caller receives of its outcome, as JSON. */
function start(surface: Surface, { caller = 'first', tool, args }: Case): { received: () => Promise<string> } {
  const { a2a, mcp, api } = callers[caller];
  const name = `workplace__${tool}`;
  if (surface === 'a2a') {
    const id = newTaskId();
    const sent = a2a.send(id, { tool: name, arguments: args });
    return { received: async () => (await sent, JSON.stringify(await a2a.get(id))) };
  }
  const path = `/configurations/${fixture.configurationId}/tools/${name}/calls`;
  const call = async () => {
    const { body } =
      surface === 'mcp'
        ? await mcp.call('tools/call', { name, arguments: args })
        : await api.post(path, { arguments: args });
    return JSON.stringify(body);
  };
  const first = call();
  // while the call was pending, its outcome is received by the same call again
  return { received: async () => ((await first).match(/pending|awaiting_approval/i) ? call() : first) };
}

async function observe(surface: Surface, one: Case): Promise<Observed> {
  const before = (await workplace.arrivals()).length;
  const since = newId();
  const { received } = start(surface, one);
  const call = async () =>
    (
      await rows<Observed & { id: string }>(
        `select id, state, code, reason, effect, steps, policy_ids as policies from tool_calls
         where caller ->> 'surface' = $1 and id > $2`,
        [surface, since],
      )
    ).at(0);
  const approvals = async () =>
    rows<{ id: string; state: string; step: string }>(
      'select id, state, step_name as step from approvals where call_id = $1 order by id',
      [(await call())!.id],
    );
  if (one.decision) {
    await expect.poll(async () => (await call())?.state).toBe('awaiting_approval');
    const reviewer = await fixture.principalOf(fixture.reviewer);
    await fixture.get(ApprovalsService).decide(reviewer, (await approvals())[0].id, one.decision, 'Not now.');
  }
  await expect.poll(received).toMatch(one.answer);
  await expect.poll(async () => (await call())?.state).toMatch(/succeeded|denied|failed|unsettled/);
  const { id, ...decided } = (await call())!;
  const events = await rows<{ kind: string }>(
    `select kind from audit_events where subject ->> 'id' = $1 and kind <> 'call.replayed' order by id`,
    [id],
  );
  return {
    ...decided,
    approvals: (await approvals()).map(({ state, step }) => ({ state, step })),
    audit: events.map(({ kind }) => kind),
    arrivals: (await workplace.arrivals()).length - before,
  };
}

const permit = 'permit (principal, action, resource);';
const review = '@approval("review")\npermit (principal, action in Action::"write", resource);';
const forbidUrgent = `@id("no urgent tickets")
forbid (principal, action == Action::"workplace__create_ticket", resource)
  when { context.arguments has priority && context.arguments.priority == "urgent" };`;
const permitFirst =
  'permit (principal, action, resource) when { principal == Member::"$member" || principal == Agent::"$agent" };';
/** Hidden tools get the same response as unknown ones. MCP uses its own error for both. */
const hidden = /(There is no tool|Unknown tool: )[ \\"]*workplace__/;
let count = 0;
/** A call that no other case makes: an identical one would receive the earlier outcome. */
const createTicket = (more: object = {}) => ({
  tool: 'create_ticket',
  args: { title: `Conveyor ${++count} stands still`, ...more },
});

const runs = { state: 'succeeded', approvals: [], audit: ['call.started', 'call.succeeded'], arrivals: 1 };
const denied = { state: 'denied', approvals: [], audit: ['call.denied'], arrivals: 0 };
const cases: Case[] = [
  {
    title: 'permitted read',
    tool: 'get_ticket',
    args: { id: 'LAN-2291' },
    policy: permit,
    expected: { ...runs, effect: 'read' },
    answer: /LAN-2291/,
  },
  {
    title: 'permitted write',
    ...createTicket(),
    policy: permit,
    expected: { ...runs, effect: 'write' },
    answer: /stands still/,
  },
  {
    title: 'call that no policy permits',
    ...createTicket(),
    policy: '',
    expected: { ...denied, code: 'policy-denied', policies: [] },
    answer: hidden,
  },
  {
    title: 'call with arguments that a policy forbids',
    ...createTicket({ priority: 'urgent' }),
    policy: `${permit}\n${forbidUrgent}`,
    expected: { ...denied, code: 'policy-denied', policies: ['no urgent tickets'] },
    answer: /no urgent tickets/,
  },
  {
    title: 'call with other arguments under the same policy',
    ...createTicket({ priority: 'low' }),
    policy: `${permit}\n${forbidUrgent}`,
    expected: runs,
    answer: /stands still/,
  },
  {
    title: 'call of the caller whom the policy names',
    ...createTicket(),
    policy: permitFirst,
    expected: runs,
    answer: /stands still/,
  },
  {
    title: 'call of another caller',
    ...createTicket(),
    caller: 'second',
    policy: permitFirst,
    expected: { ...denied, code: 'policy-denied', policies: [] },
    answer: /No policy permits this/,
  },
  {
    title: 'call of a tool that does not exist',
    tool: 'reopen_ticket',
    args: {},
    policy: permit,
    expected: { ...denied, code: 'tool-not-found', effect: null },
    answer: hidden,
  },
  {
    title: 'call with invalid arguments',
    tool: 'create_ticket',
    args: { title: 'x' },
    policy: permit,
    expected: { ...denied, code: 'invalid-arguments' },
    answer: /title/,
  },
  {
    title: 'approved call',
    ...createTicket(),
    policy: review,
    decision: 'approve',
    expected: {
      state: 'succeeded',
      steps: ['review'],
      approvals: [{ state: 'approved', step: 'review' }],
      audit: ['call.requested', 'call.started', 'call.succeeded'],
      arrivals: 1,
    },
    answer: /stands still/,
  },
  {
    title: 'call that a person denies',
    ...createTicket(),
    policy: review,
    decision: 'deny',
    expected: {
      state: 'denied',
      code: 'approval-denied',
      approvals: [{ state: 'denied', step: 'review' }],
      audit: ['call.requested', 'call.denied'],
      arrivals: 0,
    },
    answer: /Not now/,
  },
  {
    title: 'write that the connected system answers with an error of its proxy',
    ...createTicket(),
    policy: permit,
    fault: 'error',
    expected: { state: 'unsettled', audit: ['call.started', 'call.unsettled'], arrivals: 0 },
    answer: /outcome is unknown/,
  },
  {
    title: 'write whose response is lost',
    ...createTicket(),
    policy: permit,
    fault: 'drop',
    expected: { state: 'unsettled', audit: ['call.started', 'call.unsettled'], arrivals: 1 },
    answer: /outcome is unknown/,
  },
];

describe('decided alike on every surface:', () => {
  it.each(cases)('$title', async (one) => {
    await fixture.publish(policyOf(one.policy));
    const observed: Observed[] = [];
    for (const surface of surfaces) {
      if (one.fault) await workplace.fail({ fault: one.fault, times: 1 });
      observed.push(await observe(surface, one));
    }
    await workplace.clearFaults();
    expect(observed[0]).toMatchObject(one.expected);
    expect(observed).toEqual(surfaces.map(() => observed[0]));
  });

  it('call of a paused tool: A2A tasks wait until it is resumed, the others are refused', async () => {
    await fixture.publish(permit);
    const admin = await fixture.principalOf();
    const tools = fixture.get(ToolsService);
    const { id } = (await tools.listOf(admin, fixture.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'create_ticket',
    )!;
    await tools.pause(admin, id);
    const paused: Case = {
      title: 'paused',
      ...createTicket(),
      policy: permit,
      expected: {},
      answer: /An administrator has paused/,
    };
    for (const surface of surfaces)
      await expect(observe(surface, paused)).resolves.toMatchObject({ ...denied, code: 'paused' });
    await tools.resume(admin, id);
  });
});
