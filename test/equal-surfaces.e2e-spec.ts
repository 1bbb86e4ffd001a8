import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { ConnectedDevicesService } from '../src/oauth/clients/connected-devices.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { Principal } from '../src/principal/principal.js';
import { aUser } from './kit/api.js';
import {
  everyBindingName,
  listTools,
  sendMemberTask,
  sendThrough,
  sendWire,
  type SurfaceCall,
  SurfaceCaller,
  surfaceNames,
} from './kit/surface-calls.js';
import { exportedSecret, type Incident, type Observed, SurfaceFixture } from './kit/surface-fixture.js';
import { newTaskId, Wire } from './kit/wire.js';

/*
 * One table of calls (tool, arguments, policy, person, incident), each made through every surface: the verdict, the
 * approvals, the executions, the audit events in full, and the reason that the caller reads are the same on all of them.
 */

let at: SurfaceFixture;
let executions = 0;

beforeAll(async () => {
  at = await SurfaceFixture.start();
});
afterAll(() => at.close());

interface Case extends Incident {
  title: string;
  tool: string;
  /** As an object, or as JSON text that only a careless parser accepts. */
  args: object | string;
  caller?: 'first' | 'second';
  /** Also through the other bindings of the open protocol, and an MCP session. */
  isOnEveryBinding?: boolean;
  expected: Partial<Observed>;
  /** Part of what the caller receives. */
  answer: RegExp;
}

let count = 0;
/** Arguments that no other case has: an identical call would receive the earlier outcome. */
const ticket = (more: object = {}) => ({ title: `Conveyor ${++count} stands still`, ...more });
const payment = (more: object = {}) => ({
  account: 'Payroll',
  amount: 100,
  note: `Invoice ${++count}`,
  recipient: { name: 'Larkmoor Ghent', country: 'BE' },
  ...more,
});
const textOf = (args: object | string) => (typeof args === 'string' ? args : JSON.stringify(args));

const ran = { state: 'succeeded', code: null, approvals: [], audit: ['call.started', 'call.succeeded'] };
const denied = { state: 'denied', approvals: [], audit: ['call.denied'], arrivals: [] };
const forbidden = { ...denied, code: 'policy-denied' };
const invalid = { ...denied, code: 'invalid-arguments', policies: [] };
const approved = (...steps: string[]) => ({
  state: 'succeeded',
  steps,
  approvals: steps.map((step) => ({ state: 'approved', step })),
  audit: ['call.requested', 'call.started', 'call.succeeded'],
});
const refused = { state: 'denied', audit: ['call.requested', 'call.denied'], arrivals: [] };

const allow = { by: 'reviewer', decision: 'approve' } as const;
const deny = { by: 'reviewer', decision: 'deny' } as const;
/** Hidden tools get the same response as unknown ones. MCP uses its own error for both. */
const hidden = /(There is no tool|Unknown tool: )[ \\"]*workplace__/;

const groups: { name: string; policy: string; cases: Case[] }[] = [
  {
    name: 'everything is permitted',
    policy: 'permit (principal, action, resource);',
    cases: [
      {
        title: 'read',
        tool: 'get_ticket',
        args: { id: 'LAN-2291' },
        expected: { ...ran, effect: 'read', arrivals: [{ id: 'LAN-2291' }] },
        answer: /LAN-2291/,
      },
      { title: 'write', tool: 'create_ticket', args: ticket(), expected: { ...ran, effect: 'write' }, answer: /done/ },
      {
        title: 'destructive call',
        isOnEveryBinding: true,
        tool: 'close_ticket',
        args: { id: 'LAN-1', resolution: 'Repaired' },
        expected: { ...ran, effect: 'destructive' },
        answer: /close_ticket done/,
      },
      {
        title: 'unconfirmed tool, which counts as one that writes',
        tool: 'search_invoices',
        args: { words: 'conveyor' },
        expected: { ...ran, effect: 'write' },
        answer: /search_invoices done/,
      },
      {
        title: 'write that is repeated by its caller',
        tool: 'create_ticket',
        args: ticket(),
        isRepeated: true,
        expected: { ...ran, arrivals: [expect.anything()] },
        answer: /done/,
      },
      {
        title: 'tool that does not exist',
        tool: 'reopen_ticket',
        args: {},
        expected: { ...denied, code: 'tool-not-found', effect: null },
        answer: hidden,
      },
      {
        title: 'arguments with other whitespace, order and escapes, which are the same value',
        isOnEveryBinding: true,
        tool: 'pay',
        args: '{ "recipient":{"country":"BE","name":"Larkmoor \\u0047hent"},\n "amount": 7.0e2, "account":"Payroll"}',
        expected: {
          ...ran,
          arrivals: [{ account: 'Payroll', amount: 700, recipient: { name: 'Larkmoor Ghent', country: 'BE' } }],
        },
        answer: /pay done/,
      },
      {
        title: 'missing argument',
        tool: 'create_ticket',
        args: { priority: 'low' },
        expected: invalid,
        answer: /title/,
      },
      {
        title: 'additional argument',
        tool: 'create_ticket',
        args: ticket({ isPaid: true }),
        expected: invalid,
        answer: /isPaid/,
      },
      {
        title: 'additional argument in a nested object',
        isOnEveryBinding: true,
        tool: 'pay',
        args: payment({ recipient: { name: 'Larkmoor Ghent', country: 'BE', iban: 'none' } }),
        expected: invalid,
        answer: /iban/,
      },
      {
        title: 'value that is too short',
        tool: 'create_ticket',
        args: { title: 'x' },
        expected: invalid,
        answer: /title/,
      },
      {
        title: 'value that the schema does not list',
        tool: 'create_ticket',
        args: ticket({ priority: 'now' }),
        expected: invalid,
        answer: /priority/,
      },
      {
        title: 'number as text, which is not converted',
        tool: 'pay',
        args: payment({ amount: '100' }),
        expected: invalid,
        answer: /amount/,
      },
      {
        title: 'fraction where the schema requires an integer',
        tool: 'pay',
        args: payment({ amount: 100.5 }),
        expected: invalid,
        answer: /amount/,
      },
      {
        title: 'null where the schema allows it',
        tool: 'pay',
        args: payment({ note: null, amount: 41 }),
        expected: { ...ran, arrivals: [expect.objectContaining({ note: null, amount: 41 })] },
        answer: /pay done/,
      },
      {
        title: 'write that the connected system answers with an error of its proxy',
        tool: 'create_ticket',
        args: ticket(),
        fault: 'error',
        expected: { state: 'unsettled', audit: ['call.started', 'call.unsettled'], arrivals: [] },
        answer: /outcome is unknown/,
      },
      {
        title: 'write whose response is lost',
        isOnEveryBinding: true,
        tool: 'create_ticket',
        args: ticket(),
        fault: 'drop',
        expected: { state: 'unsettled', audit: ['call.started', 'call.unsettled'], arrivals: [expect.anything()] },
        answer: /outcome is unknown/,
      },
      {
        title: 'unknown outcome that its caller requests again',
        tool: 'create_ticket',
        args: ticket(),
        fault: 'drop',
        isRepeated: true,
        expected: { state: 'unsettled', arrivals: [expect.anything()] },
        answer: /outcome is unknown/,
      },
      {
        title: 'result with a secret, which is redacted',
        isOnEveryBinding: true,
        tool: 'export_key',
        args: { name: 'deploy 1' },
        expected: ran,
        answer: /\[redacted: secret\]/,
      },
      {
        title: 'result that the rules of the tool withhold',
        tool: 'export_contacts',
        args: { name: 'customers' },
        expected: ran,
        answer: /withheld/i,
      },
    ],
  },
  {
    name: 'only reads are permitted',
    policy: 'permit (principal, action in Action::"read", resource);',
    cases: [
      {
        title: 'confirmed read',
        tool: 'list_tickets',
        args: {},
        expected: { ...ran, arrivals: [{}] },
        answer: /list_tickets done/,
      },
      { title: 'write', tool: 'create_ticket', args: ticket(), expected: forbidden, answer: hidden },
      {
        title: 'tool that says that it only reads, unconfirmed',
        tool: 'search_invoices',
        args: { words: 'conveyor' },
        expected: { ...forbidden, effect: 'write' },
        answer: hidden,
      },
      {
        title: 'invalid arguments of a hidden tool, whose schema they do not reveal',
        tool: 'create_ticket',
        args: { title: 'x' },
        expected: { ...denied, code: 'invalid-arguments' },
        answer: hidden,
      },
    ],
  },
  {
    name: 'policies read the arguments',
    policy: `
      @id("small payments") permit (principal, action == Action::"workplace__pay", resource)
        when { context.arguments.amount <= 500 };
      @id("larger payments") @approval("review") permit (principal, action == Action::"workplace__pay", resource)
        when { context.arguments.amount > 500 };
      @id("no payments above the limit") forbid (principal, action == Action::"workplace__pay", resource)
        when { context.arguments.amount > 100000 };
      @id("known accounts only") forbid (principal, action == Action::"workplace__pay", resource)
        unless { ["Payroll", "Caf\\u{e9}"].contains(context.arguments.account) };
      @id("known countries only") forbid (principal, action == Action::"workplace__pay", resource)
        unless { ["BE", "DE"].contains(context.arguments.recipient.country) };
      @id("exact rates only") forbid (principal, action == Action::"workplace__pay", resource)
        when { context.arguments has rate && context.arguments.rate.greaterThan(decimal("2.0")) };`,
    cases: [
      {
        title: 'the largest amount that needs no approval',
        tool: 'pay',
        args: payment({ amount: 500 }),
        expected: { ...ran, policies: ['small payments'], arrivals: [expect.objectContaining({ amount: 500 })] },
        answer: /pay done/,
      },
      {
        title: 'the smallest amount that needs one, approved',
        isOnEveryBinding: true,
        tool: 'pay',
        args: payment({ amount: 501 }),
        decisions: [allow],
        expected: { ...approved('review'), arrivals: [expect.objectContaining({ amount: 501 })] },
        answer: /pay done/,
      },
      {
        title: 'the largest amount that can be approved, denied by a person',
        isOnEveryBinding: true,
        tool: 'pay',
        args: payment({ amount: 100_000 }),
        decisions: [deny],
        expected: { ...refused, code: 'approval-denied', approvals: [{ state: 'denied', step: 'review' }] },
        answer: /Not now/,
      },
      {
        title: 'the smallest amount that is forbidden',
        isOnEveryBinding: true,
        tool: 'pay',
        args: payment({ amount: 100_001 }),
        expected: { ...forbidden, policies: ['no payments above the limit'] },
        answer: /no payments above the limit/,
      },
      {
        title: 'the largest exact integer',
        tool: 'pay',
        args: payment({ amount: Number.MAX_SAFE_INTEGER }),
        expected: { ...forbidden, policies: ['no payments above the limit'] },
        answer: /no payments above the limit/,
      },
      {
        title: 'nested argument that a policy forbids',
        tool: 'pay',
        args: payment({ recipient: { name: 'Larkmoor Utrecht', country: 'NL' } }),
        expected: { ...forbidden, policies: ['known countries only'] },
        answer: /known countries only/,
      },
      {
        title: 'two policies that forbid',
        tool: 'pay',
        args: payment({ account: 'Reserve', amount: 100_001 }),
        expected: { ...forbidden, policies: ['no payments above the limit', 'known accounts only'] },
        answer: /known accounts only/,
      },
      ...[
        ['account that looks alike, with a Cyrillic letter', 'P\u0430yroll'],
        ['account that looks alike, with a character without width', 'Payroll\u200b'],
        ['account that looks alike, with a fullwidth letter', '\uff30ayroll'],
        ['account that looks alike, with a combining accent', 'Cafe\u0301'],
        ['account in lower case', 'payroll'],
      ].map(([title, account]): Case => ({
        title,
        tool: 'pay',
        args: payment({ account }),
        expected: { ...forbidden, policies: ['known accounts only'] },
        answer: /known accounts only/,
      })),
      {
        title: 'account with a composed letter, which arrives unchanged',
        tool: 'pay',
        args: payment({ account: 'Caf\u00e9' }),
        expected: { ...ran, arrivals: [expect.objectContaining({ account: 'Caf\u00e9' })] },
        answer: /pay done/,
      },
      {
        title: 'number with four decimal places',
        isOnEveryBinding: true,
        tool: 'pay',
        args: payment({ rate: 1.9999 }),
        expected: { ...ran, arrivals: [expect.objectContaining({ rate: 1.9999 })] },
        answer: /pay done/,
      },
      {
        title: 'number with five, which no policy can compare exactly',
        tool: 'pay',
        args: payment({ rate: 1.99999 }),
        expected: forbidden,
        answer: /rate/,
      },
    ],
  },
  {
    name: 'policies disagree',
    policy: `
      @id("tickets") permit (principal, action == Action::"workplace__create_ticket", resource);
      @id("writes") @approval("review") permit (principal, action in Action::"write", resource);
      @id("no keys") forbid (principal, action == Action::"workplace__export_key", resource);
      @id("no urgent tickets") forbid (principal, action == Action::"workplace__create_ticket", resource)
        when { context.arguments has priority && context.arguments.priority == "urgent" };`,
    cases: [
      {
        title: 'approval is stronger than permission',
        tool: 'create_ticket',
        args: ticket(),
        decisions: [allow],
        expected: { ...approved('review'), policies: ['tickets', 'writes'] },
        answer: /done/,
      },
      {
        title: 'prohibition is stronger than both',
        tool: 'create_ticket',
        args: ticket({ priority: 'urgent' }),
        expected: { ...forbidden, policies: ['no urgent tickets'] },
        answer: /no urgent tickets/,
      },
      {
        title: 'other arguments of the same tool',
        tool: 'create_ticket',
        args: ticket({ priority: 'low' }),
        decisions: [allow],
        expected: approved('review'),
        answer: /done/,
      },
      {
        title: 'forbidden tool: no approval is requested',
        isOnEveryBinding: true,
        tool: 'export_key',
        args: { name: 'deploy 2' },
        expected: { ...forbidden, policies: ['no keys'] },
        answer: hidden,
      },
      {
        title: 'unconfirmed tool, approved',
        tool: 'search_invoices',
        args: { words: 'bearings' },
        decisions: [allow],
        expected: { ...approved('review'), effect: 'write' },
        answer: /search_invoices done/,
      },
      {
        title: 'denied call that its caller requests again',
        tool: 'create_ticket',
        args: ticket(),
        decisions: [deny],
        isRepeated: true,
        expected: { ...refused, code: 'approval-denied' },
        answer: /Not now/,
      },
      {
        title: 'approved call that its caller requests again',
        tool: 'create_ticket',
        args: ticket(),
        decisions: [allow],
        isRepeated: true,
        expected: { ...approved('review'), arrivals: [expect.anything()] },
        answer: /done/,
      },
      {
        title: 'approval that expires',
        tool: 'create_ticket',
        args: ticket(),
        expires: true,
        expected: { ...refused, code: 'approval-expired', approvals: [{ state: 'expired', step: 'review' }] },
        answer: /expired/,
      },
      {
        title: 'approved call whose response is lost',
        tool: 'create_ticket',
        args: ticket(),
        decisions: [allow],
        fault: 'drop',
        expected: { state: 'unsettled', audit: ['call.requested', 'call.started', 'call.unsettled'] },
        answer: /outcome is unknown/,
      },
    ],
  },
  {
    name: 'several people decide',
    policy: `
      @approval("legal") permit (principal, action == Action::"workplace__pay", resource);
      @approval("finance") permit (principal, action == Action::"workplace__pay", resource);
      @approval("board") permit (principal, action in Action::"destructive", resource);
      @approval("nobody") permit (principal, action == Action::"workplace__export_key", resource);`,
    cases: [
      {
        title: 'two steps, both approved',
        tool: 'pay',
        args: payment(),
        decisions: [{ by: 'legal', decision: 'approve' }, allow],
        expected: approved('legal', 'finance'),
        answer: /pay done/,
      },
      {
        title: 'two steps, the second denied',
        tool: 'pay',
        args: payment(),
        decisions: [{ by: 'legal', decision: 'approve' }, deny],
        expected: {
          ...refused,
          code: 'approval-denied',
          approvals: [
            { state: 'void', step: 'legal' },
            { state: 'denied', step: 'finance' },
          ],
        },
        answer: /Not now/,
      },
      {
        title: 'two steps, the first denied',
        tool: 'pay',
        args: payment(),
        decisions: [{ by: 'legal', decision: 'deny' }],
        expected: {
          ...refused,
          code: 'approval-denied',
          approvals: [{ state: 'denied', step: 'legal' }, expect.anything()],
        },
        answer: /Not now/,
      },
      {
        title: 'destructive call that two members of a group approve',
        tool: 'close_ticket',
        args: { id: 'LAN-2', resolution: 'Repaired' },
        decisions: [{ by: 'board', decision: 'approve' }, allow],
        expected: { ...approved('board'), effect: 'destructive' },
        answer: /close_ticket done/,
      },
      {
        title: 'destructive call that one approves and one denies',
        tool: 'close_ticket',
        args: { id: 'LAN-3', resolution: 'Repaired' },
        decisions: [{ by: 'board', decision: 'approve' }, deny],
        expected: { ...refused, code: 'approval-denied', approvals: [{ state: 'denied', step: 'board' }] },
        answer: /Not now/,
      },
      {
        title: 'step that nobody can decide',
        tool: 'export_key',
        args: { name: 'deploy 3' },
        expected: { ...refused, code: 'approval-unreachable', approvals: [] },
        answer: /Too few members can decide/,
      },
    ],
  },
  {
    name: 'policies name the caller',
    policy: `
      permit (principal, action == Action::"workplace__create_ticket", resource)
        when { principal == Member::"$member" || principal == Agent::"$agent" };
      permit (principal in Group::"$group", action == Action::"workplace__pay", resource);`,
    cases: [
      { title: 'named caller', tool: 'create_ticket', args: ticket(), expected: ran, answer: /done/ },
      {
        title: 'another caller',
        tool: 'create_ticket',
        args: ticket(),
        caller: 'second',
        expected: { ...forbidden, policies: [] },
        answer: /No policy permits this/,
      },
      {
        title: 'caller outside of the named group',
        tool: 'pay',
        args: payment(),
        expected: { ...forbidden, policies: [] },
        answer: hidden,
      },
    ],
  },
  {
    name: 'a policy fails',
    policy: `
      permit (principal, action, resource);
      @id("product of the amount") forbid (principal, action == Action::"workplace__pay", resource)
        when { context.arguments.amount * 4611686018427387904 == 7 };`,
    cases: [
      {
        title: 'arguments with which the prohibition is evaluated',
        tool: 'pay',
        args: payment({ amount: 1 }),
        expected: ran,
        answer: /pay done/,
      },
      {
        title: 'arguments with which the prohibition overflows',
        tool: 'pay',
        args: payment({ amount: 2 }),
        expected: forbidden,
        answer: /cannot be evaluated/,
      },
    ],
  },
];

describe.each(groups)('decided alike on every surface, where $name:', ({ policy, cases }) => {
  beforeAll(() => at.publish(policy));

  it('lists the same tools', async () => {
    const { a2a, ...others } = await listTools(at.callers.first);
    expect(a2a).not.toContain('label_ticket'); // pending review
    for (const [surface, tools] of Object.entries(others)) expect(tools, surface).toEqual(a2a);
  });

  it.each(cases)(
    '$title',
    async ({ tool, args, caller = 'first', isOnEveryBinding, expected, answer, ...incident }) => {
      const call = { tool: `workplace__${tool}`, args: textOf(args) };
      const names = isOnEveryBinding ? everyBindingName : surfaceNames;
      const observed: Observed[] = [];
      for (const surface of names) {
        const { answer: received, ...one } = await at.observe(surface, at.callers[caller], call, answer, incident);
        expect(received).not.toContain(exportedSecret);
        executions += one.arrivals.length;
        observed.push(one);
      }
      expect(observed[0]).toMatchObject(expected);
      for (const [nth, surface] of names.entries()) expect(observed[nth], surface).toEqual(observed[0]);
    },
  );
});

it('has executed nothing else', () => {
  expect(at.upstream.calls).toHaveLength(executions);
});

describe('where a tool cannot be used for some time, A2A tasks wait and the others are refused:', () => {
  beforeAll(() => at.publish('permit (principal, action, resource);'));

  async function expectPaused(tool: string, args: object, answer: RegExp): Promise<void> {
    const call = { tool: `workplace__${tool}`, args: textOf(args) };
    for (const surface of surfaceNames) {
      const { state, code, audit, arrivals } = await at.observe(surface, at.callers.first, call, answer);
      expect({ state, code, audit, arrivals }, surface).toEqual({
        state: 'denied',
        code: 'paused',
        audit: ['call.denied'],
        arrivals: [],
      });
    }
  }

  it('paused tool, with which the tasks continue when it is resumed', async () => {
    const resume = await at.pause('create_ticket');
    const args = ticket();
    await expectPaused('create_ticket', args, /An administrator has paused/);
    const before = at.upstream.calls.length;
    await resume();
    await expect.poll(() => at.arrivalsAfter(before)).toEqual([args, args, args, args]);
  });

  it('tool that has changed since an administrator confirmed it', () =>
    expectPaused('label_ticket', { label: 'urgent' }, /has changed|has paused/));
});

describe('a text that parsers read differently is executed nowhere:', () => {
  beforeAll(() => at.publish('permit (principal, action, resource);'));

  const text = textOf(payment()).slice(1, -1);
  it.each([
    ['name that occurs twice', `{${text},"amount":600000}`],
    ['name that occurs twice, once escaped', `{${text},"amo\\u0075nt":600000}`],
    ['integer beyond the exact ones', `{${text.replace('"amount":100', '"amount":9007199254740993')}}`],
    ['number that is not finite', `{${text.replace('"amount":100', '"amount":1e400')}}`],
    ['half of a surrogate pair', `{${text.replace('Payroll', 'Payroll\\ud800')}}`],
    ['NUL character', `{${text.replace('Payroll', 'Payroll\\u0000')}}`],
    ['name that JavaScript treats specially', `{${text},"__proto__":{"amount":600000}}`],
    ['name that Cedar treats specially', `{${text},"__entity":{"type":"Group","id":"admins"}}`],
  ])('%s', async (_, args) => {
    for (const surface of surfaceNames) {
      const [since, before] = [newId(), at.upstream.calls.length];
      const sent = sendThrough(surface, at.callers.first, { tool: 'workplace__pay', args });
      await expect
        .poll(sent.received, { message: surface })
        .toMatch(/invalid|not accepted|-3260|occurs twice|arguments/i);
      // A2A refuses the message before there is a task; a direct call is recorded
      const call = await at.callAfter(since);
      expect([undefined, 'invalid-arguments'], surface).toContain(call?.code);
      expect(at.arrivalsAfter(before), surface).toEqual([]);
    }
  });
});

describe('refused on every surface before the policies decide:', () => {
  let leaving: SurfaceCaller;
  let admin: Principal;

  beforeAll(async () => {
    await at.publish('permit (principal, action, resource);');
    admin = await at.fixture.principalOf();
    leaving = await signedInCaller('Leo Leaving');
  });

  /** Has tokens already. */
  async function signedInCaller(name: string): Promise<SurfaceCaller> {
    const caller = await SurfaceCaller.create(at.server, at.fixture, await aUser(at.fixture, name), at.commandLine);
    await caller.mcp();
    await caller.api();
    await caller.cli();
    return caller;
  }

  async function expectRefused(caller = leaving): Promise<void> {
    for (const surface of surfaceNames) {
      const [since, before] = [newId(), at.upstream.calls.length];
      const sent = sendThrough(surface, caller, { tool: 'workplace__create_ticket', args: textOf(ticket()) });
      const received = await sent.received();
      expect((await sent.status()) >= 400 || received.includes('"isError":true'), `${surface}: ${received}`).toBe(true);
      // a credential that is accepted for something else leaves a record
      expect([undefined, 'not-permitted'], surface).toContain((await at.callAfter(since))?.code);
      expect(at.arrivalsAfter(before), surface).toEqual([]);
    }
  }

  it('suspended member, who is also responsible for the agent', async () => {
    const members = at.fixture.get(MemberStatusService);
    await members.suspend(admin, leaving.member.id);
    await expectRefused().finally(() => members.reactivate(admin, leaving.member.id));
  });

  it('paused organization', async () => {
    const tenants = at.fixture.get(TenantsService);
    await tenants.pause(admin);
    await expectRefused().finally(() => tenants.resume(admin));
  });

  it('member of no group of the configuration, and key of another configuration', async () => {
    const { fixture } = at;
    const elsewhere = await fixture
      .get(ConfigurationsService)
      .create(admin, { name: 'Elsewhere', description: '', connectionIds: [fixture.connectionId], groupIds: [] });
    const agent = await fixture.get(AgentsService).create(admin, { configurationId: elsewhere.id, name: 'Outsider' });
    const { key } = await fixture.get(KeysService).create(admin, agent.id);
    const outsider = await signedInCaller('Otto Outsider');
    const { groups } = await fixture.get(MembersService).get(fixture.organization.system, outsider.member.id);
    for (const { id } of groups) await fixture.get(GroupsService).removeMember(admin, id, outsider.member.id);
    outsider.wire = new Wire(leaving.wire.base, key);
    await expectRefused(outsider);
  });

  it('expired key and tokens', async () => {
    const tokens = [await leaving.api(), await leaving.mcp(), await leaving.cli()].map(({ token }) => token);
    const setExpiry = async (when: string) => {
      const hashed = `select sha256(convert_to(token, 'UTF8')) from unnest($1::text[]) token`;
      await at.asOwner(`update oauth_rows set expires_at = ${when} where id_hash in (${hashed})`, [tokens]);
      await at.asOwner(`update a2a_keys set expires_at = ${when} where id = $1`, [leaving.keyId]);
    };
    await setExpiry(`now() - interval '1 second'`);
    await expectRefused().finally(() => setExpiry(`now() + interval '10 minutes'`));
  });

  it('revoked key, products and terminal', async () => {
    await at.fixture.get(KeysService).revoke(admin, leaving.keyId);
    for (const { id } of leaving.products) await at.fixture.get(ClientsService).revoke(admin, id);
    const devices = at.fixture.get(ConnectedDevicesService);
    const { nodes } = await devices.listPage(admin, leaving.member.id, { first: 10 });
    expect(nodes).toHaveLength(1);
    for (const { id } of nodes) await devices.revoke(admin, id);
    await expectRefused();
  });
});

describe('a task that has read external text', () => {
  /** The error quotes the schema of a tool that no administrator has confirmed. */
  const tainting = { tool: 'workplace__search_invoices', args: '{"words":1}' };
  const send: Record<string, (call: SurfaceCall, id: string) => Promise<{ status: number; body: unknown }>> = {
    a2a: (call, id) => sendWire(at.callers.first, id, call),
    'api task': (call, id) => sendMemberTask('api', at.callers.first, id, call),
    'cli task': (call, id) => sendMemberTask('cli', at.callers.first, id, call),
  };
  const taskState = async () =>
    (await at.rows<{ state: string }>('select state from tasks order by id desc', [])).at(0);

  it('needs the approval that the policies require then, on every surface that has tasks', async () => {
    await at.publish(`
      permit (principal, action, resource) unless { context.tainted };
      @approval("review") permit (principal, action, resource) when { context.tainted };`);
    const observed: unknown[] = [];
    for (const [surface, sendPart] of Object.entries(send)) {
      const id = newTaskId();
      await sendPart(tainting, id);
      await expect.poll(taskState, { message: surface }).toEqual({ state: 'input-required' });
      const [since, before] = [newId(), at.upstream.calls.length];
      await sendPart({ tool: 'workplace__create_ticket', args: textOf(ticket()) }, id);
      await expect.poll(async () => (await at.callAfter(since))?.state, { message: surface }).toBe('awaiting_approval');
      const { id: callId, ...call } = (await at.callAfter(since))!;
      expect(at.arrivalsAfter(before), callId).toEqual([]);
      observed.push(call);
    }
    expect(observed[0]).toMatchObject({ effect: 'write', steps: ['review'] });
    expect(observed.every((one) => isDeepStrictEqual(one, observed[0]))).toBe(true);
  });
});
