import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { Principal } from '../src/principal/principal.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { CallReviewsService } from '../src/gate/call-reviews.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { type Credential, createEveryCredential, credentialName } from './kit/credentials.js';
import { runSql } from './kit/run-sql.js';

/* Every way to decide that is not one decision, in time, by an eligible person in a session, on the call as shown. */

let at: ApprovalsFixture;
let credentials: Credential[];

beforeAll(async () => {
  at = await ApprovalsFixture.start(async (server, workplace) => {
    const every = await createEveryCredential(server, workplace);
    ({ credentials } = every);
    return every.ours;
  });
  await at.publish('review');
});
afterAll(() => at.close());

type Call = Awaited<ReturnType<ApprovalsFixture['request']>>;
const reviewer = () => at.fixture.reviewer;
const approve = (by: Principal, id: string) => at.fixture.get(ApprovalsService).decide(by, id, 'approve');
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );
const callOf = ({ callId }: Call) =>
  at.inTenant((tx) => tx.findOneByOrFail(ToolCall, { tenantId: at.fixture.organization.tenant.id, id: callId }));

async function expectNothingRan(call: Call): Promise<void> {
  expect(['awaiting_approval', 'denied', 'failed']).toContain((await callOf(call)).state);
  expect((await callOf(call)).attempts).toBe(0);
  expect(await at.ticketCount(call.title)).toBe(0);
}

describe('nothing runs that was approved', () => {
  const attempts: [string, string, (call: Call) => Promise<unknown>][] = [
    [
      'after it was denied',
      'approval-decided',
      async ({ id }) => {
        await at.decide(id, reviewer(), 'deny');
        return at.decide(id, reviewer());
      },
    ],
    [
      'after it expired, before anything noticed',
      'approval-decided',
      async ({ id }) => {
        await at.letExpire(id);
        return at.decide(id, reviewer());
      },
    ],
    [
      'after it was found to be expired',
      'approval-decided',
      async ({ id }) => {
        await at.letExpireNow(id);
        return at.decide(id, reviewer());
      },
    ],
    [
      'after a policy that requires other steps',
      'approval-decided',
      async ({ id }) => {
        await at.publish('confirm');
        return at.decide(id, reviewer()).finally(() => at.publish('review'));
      },
    ],
    ['by a requester', 'not-yours-to-decide', ({ id }) => at.decide(id, at.fixture.organization.admin)],
    [
      'by a member who was suspended since, in the session of before',
      'not-yours-to-decide',
      async ({ id }) => {
        const leaving = await at.fixture.organization.member({ name: 'Lea Leaving', roles: ['admin'] });
        const { id: own } = await at.request();
        const session = await at.fixture.principalOf(leaving);
        expect(await codeOf(approve(session, id))).toBe('not-yours-to-decide'); // joined after the request
        await at.suspend(leaving);
        return approve(session, own);
      },
    ],
    [
      'by the agent itself',
      'session-required',
      async ({ id }) => approve({ ...at.fixture.agent, permissions: new Set(['approvals:decide']) }, id),
    ],
    ['by the system', 'session-required', async ({ id }) => approve(at.fixture.organization.system, id)],
    [
      'with the arguments of another call',
      'not-as-shown',
      async ({ id }) => {
        const by = await at.fixture.principalOf(reviewer());
        const reviews = at.fixture.getInternal(CallReviewsService);
        const { argumentsHash, definitionHash } = await reviews.get(by, (await at.request()).id);
        return reviews.decide(by, { id, decision: 'approve', argumentsHash, definitionHash });
      },
    ],
  ];
  it.each(attempts)('%s (%s)', async (_, code, attempt) => {
    const call = await at.request();
    expect(await codeOf(attempt(call))).toBe(code);
    await expectNothingRan(call);
  });

  it('with changed stored arguments', async () => {
    const call = await at.request();
    const other = await at.request();
    await at.inTenant((tx) =>
      runSql(
        tx,
        `update tool_calls set arguments_sealed = (select arguments_sealed from tool_calls where id = $2) where id = $1`,
        [call.callId, other.callId],
      ),
    );
    await codeOf(at.decide(call.id, reviewer()));
    await expectNothingRan(call);
    expect(await at.ticketCount(other.title)).toBe(0);
  });

  it('with a changed definition of the tool', async () => {
    const call = await at.request();
    await at.workplace.fail({ fault: 'change-tools', on: 'everything' });
    const admin = await at.fixture.principalOf();
    await at.fixture.get(ConnectionsService).verify(admin, at.fixture.connectionId);
    await codeOf(at.decide(call.id, reviewer()));
    expect(await at.ticketCount(call.title)).toBe(0);
    await at.workplace.clearFaults();
    await at.fixture.get(ConnectionsService).verify(admin, at.fixture.connectionId);
  });
});

it('runs once what is approved twice at the same time', async () => {
  const { id, title } = await at.request();
  const third = await at.fixture.organization.member({ name: 'Theo Third', roles: ['admin'] });
  const answers = await Promise.all(
    [reviewer(), reviewer(), third, reviewer()].map((member) => codeOf(at.decide(id, member))),
  );
  expect(answers.filter((code) => code === 'accepted')).toHaveLength(1);
  await expect.poll(() => at.ticketCount(title)).toBe(1);
});

it('accepts no credential but a session, on both ways to decide', async () => {
  const call = await at.request();
  const by = await at.fixture.principalOf(reviewer());
  const { argumentsHash, definitionHash } = await at.fixture.getInternal(CallReviewsService).get(by, call.id);
  const query = 'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }';
  const variables = { input: { id: call.id, decision: 'approve', argumentsHash, definitionHash } };
  const others = credentials.filter(({ kind, status }) => kind !== 'ses' || status !== 'good');
  expect(others.length).toBeGreaterThan(20);
  for (const credential of others) {
    const send = (path: string, type: string, body: string) =>
      fetch(`${at.server.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...credential.headers, origin: at.server.url, 'content-type': type, accept: 'application/json' },
        body,
      });
    const answer = await send('/graphql', 'application/json', JSON.stringify({ query, variables }));
    expect(await answer.text(), credentialName(credential)).not.toContain('"state"');
    await send(`/approvals/${call.id}`, 'application/x-www-form-urlencoded', 'decision=approve');
  }
  expect(await at.load(call.id)).toMatchObject({ state: 'pending', approvedBy: [] });
  await expectNothingRan(call);
});
