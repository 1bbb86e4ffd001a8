import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { PolicyShadowScheduler } from '../src/gate/policy-shadow-scheduler.service.js';
import { RecordedCallsService } from '../src/gate/recorded-calls.service.js';
import { firstIdAt } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { mutate } from './kit/workplace-fixture.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: GraphqlRequest;

const published = '@id("reads") permit (principal, action in Action::"read", resource);';
const stricter = '@id("tickets only") permit (principal, action == Action::"workplace__list_tickets", resource);';

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await fixture.organization.as(fixture.organization.admin);
  await fixture.publish(published);
});
afterAll(async () => {
  await workplace?.stop();
  await server?.close();
});

const fields = `text revision starter stoppedAt stopReason calls notEvaluated
  changes { tool before { verdict steps } after { verdict steps } calls
            examples { callId caller requestedAt reason } }`;
const shadowOf = async (ask = ada) =>
  ask(`query ($id: ID!) { policyShadow(configurationId: $id) { ${fields} } }`, { id: fixture.configurationId });
const shadow = async () => (await shadowOf()).data.policyShadow;
const start = (text: string, ask = ada) =>
  mutate(
    ask,
    'startPolicyShadow',
    'StartPolicyShadowInput',
    { configurationId: fixture.configurationId, text },
    fields,
  );
const stop = (ask = ada) =>
  mutate(ask, 'stopPolicyShadow', 'StopPolicyShadowInput', { configurationId: fixture.configurationId }, fields);
/** Evaluates all calls up to now. */
const evaluate = (signal = new AbortController().signal) =>
  fixture
    .getInternal(PolicyShadowScheduler)
    .evaluate(fixture.organization.tenant.id, fixture.configurationId, signal, new Date(Date.now() + 1));
/** Runs `step` while a page is evaluated, after the evaluation and before its result is stored. */
function duringEvaluation(step: () => unknown): void {
  const calls = fixture.getInternal(RecordedCallsService);
  const replay = calls.replay.bind(calls);
  vi.spyOn(calls, 'replay').mockImplementationOnce(async (...args) => {
    const result = await replay(...args);
    await step();
    return result;
  });
}
const inTenant = (sql: string, params: unknown[] = []) => {
  const { tenant, system } = fixture.organization;
  return server.app.get(DatabaseService).tenant(system, (tx) => runSql(tx, sql, [tenant.id, ...params]));
};
const events = async (kind: string) =>
  (await ada('query ($kind: String) { auditEvents(kind: $kind) { nodes { actor detail } } }', { kind })).data
    .auditEvents.nodes;

it('records what a text would decide on new calls, and decides none', async () => {
  await fixture.call('list_channels', {});
  expect(await shadow()).toBeNull();
  expect((await start(stricter)).it).toMatchObject({ revision: 2, starter: 'Ada Admin', calls: 0, changes: [] });

  expect(await fixture.call('list_channels', {})).toMatchObject({ state: 'succeeded' });
  expect(await fixture.call('list_tickets', {})).toMatchObject({ state: 'succeeded' });
  const last = await fixture.call('list_channels', {});
  await fixture.call('no_such_tool', {});
  await evaluate();

  const found = await shadow();
  expect(found).toMatchObject({ text: stricter, stoppedAt: null, calls: 4, notEvaluated: 1 });
  expect(found.changes).toMatchObject([
    { tool: 'workplace__list_channels', before: { verdict: 'allow' }, after: { verdict: 'deny', steps: [] }, calls: 2 },
  ]);
  expect(found.changes[0].examples).toHaveLength(2);
  expect(found.changes[0].examples[0]).toMatchObject({
    callId: last.callId,
    caller: 'Helper',
    requestedAt: expect.stringMatching(/^\d{4}-/),
    reason: 'No policy permits this.',
  });
});

it('counts each call once, and keeps the last examples', async () => {
  await evaluate();
  await Promise.all([evaluate(), evaluate()]);
  expect(await shadow()).toMatchObject({ calls: 4 });
  const calls = [];
  for (let n = 0; n < 6; n++) calls.push((await fixture.call('list_channels', {})).callId);
  await Promise.all([evaluate(), evaluate()]);
  await evaluate();
  const found = await shadow();
  expect(found).toMatchObject({ calls: 10, changes: [{ calls: 8 }] });
  expect(found.changes[0].examples.map(({ callId }: { callId: string }) => callId)).toEqual(
    calls.toReversed().slice(0, 5),
  );
});

it('stops on request, keeps the results, and records both', async () => {
  expect((await stop()).it).toMatchObject({ stopReason: 'stopped', calls: 10 });
  await fixture.call('list_channels', {});
  await evaluate();
  expect(await shadow()).toMatchObject({ calls: 10, stoppedAt: expect.any(String) });
  await stop();
  expect(await events('policy.shadow_started')).toEqual([
    {
      actor: expect.objectContaining({ name: 'Ada Admin' }),
      detail: { revision: 2, textHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
  ]);
  expect(await events('policy.shadow_stopped')).toEqual([
    { actor: expect.objectContaining({ name: 'Ada Admin' }), detail: { reason: 'stopped', calls: 10, changed: 8 } },
  ]);
});

it('adds nothing to a shadow that is stopped during the evaluation, also by a publication', async () => {
  await start(stricter);
  await fixture.call('list_channels', {});
  duringEvaluation(() => stop());
  await evaluate();
  expect(await shadow()).toMatchObject({ stopReason: 'stopped', calls: 0, changes: [] });
  await start(stricter);
  await fixture.call('list_channels', {});
  duringEvaluation(() => fixture.publish(`${published}\n// 3`));
  await evaluate();
  expect(await shadow()).toMatchObject({ stopReason: 'published', calls: 0, changes: [] });
});

it('does not wait for the evaluation at shutdown, and continues later', async () => {
  await start(stricter);
  await fixture.call('list_channels', {});
  const shutdown = new AbortController();
  duringEvaluation(() => {
    shutdown.abort();
    return new Promise(() => undefined);
  });
  await evaluate(shutdown.signal);
  expect(await shadow()).toMatchObject({ stoppedAt: null, calls: 0 });
  await evaluate();
  expect(await shadow()).toMatchObject({ calls: 1, changes: [{ calls: 1 }] });
});

it('is evaluated by a job, as soon as a call is old enough', async () => {
  await start(stricter);
  const { callId } = await fixture.call('no_such_tool', {});
  await inTenant('update policy_shadows set evaluated_until = $2 where tenant_id = $1', [firstIdAt(0)]);
  await inTenant('update tool_calls set id = $3 where tenant_id = $1 and id = $2', [
    callId,
    firstIdAt(Date.now() - 600_000),
  ]);
  await expect.poll(async () => (await shadow()).notEvaluated).toBeGreaterThan(0);
});

it('starts anew with another text, and stops when a revision is published', async () => {
  expect((await start('@id("all") permit (principal, action, resource);')).it).toMatchObject({ calls: 0, changes: [] });
  await fixture.call('list_channels', {});
  await fixture.call('create_ticket', { title: 'Printer' });
  await evaluate();
  expect(await shadow()).toMatchObject({
    calls: 2,
    changes: [{ tool: 'workplace__create_ticket', before: { verdict: 'deny' }, after: { verdict: 'allow' } }],
  });
  await fixture.publish(`${published}\n// again`);
  expect(await shadow()).toMatchObject({ stopReason: 'published', calls: 2 });
  await fixture.call('list_channels', {});
  await evaluate();
  expect(await shadow()).toMatchObject({ calls: 2 });
});

it('never affects a call: one whose arguments cannot be read is counted and left out', async () => {
  await start(stricter);
  const { callId } = await fixture.call('list_channels', {});
  await fixture.call('list_channels', {});
  await inTenant(`update tool_calls set arguments_sealed = '\\x00' where tenant_id = $1 and id = $2`, [callId]);
  await evaluate();
  expect(await shadow()).toMatchObject({ calls: 2, notEvaluated: 1, changes: [{ calls: 1 }] });
  expect(await fixture.call('list_channels', {})).toMatchObject({ state: 'succeeded' });
});

it('refuses a text that cannot be published, and everyone who may not manage policies or read arguments', async () => {
  expect((await start('permit (principal')).code).toBe('policy-invalid');
  expect((await start(`// ${'x'.repeat(200 * 1024)}`)).code).toBe('invalid-request');
  const auditor = await fixture.organization.as(await fixture.organization.member({ roles: ['auditor'] }));
  expect((await shadowOf(auditor)).data.policyShadow).toMatchObject({ text: stricter });
  expect((await start(published, auditor)).code).toBe('forbidden');
  expect((await stop(auditor)).code).toBe('forbidden');
  const member = await fixture.organization.as(await fixture.organization.member());
  expect((await shadowOf(member)).code).toBe('forbidden');
  const { token } = await fixture.get(AdminTokensService).create(await fixture.principalOf(), {
    name: 'ci',
    expiresAt: new Date(Date.now() + 60_000),
  });
  const byToken = fixture.organization.withToken(token);
  expect((await start(published, byToken)).code).toBe('unauthenticated');
  expect((await shadowOf(byToken)).code).toBe('unauthenticated');
  expect(await shadow()).toMatchObject({ text: stricter, stoppedAt: null });
});
