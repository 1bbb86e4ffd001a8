import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { permissionsOfRoles } from '../src/principal/permissions.js';
import { plusDays, today } from '../src/platform/time/day.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { rowsOf } from './kit/csv.js';
import { anOrganization, type GraphqlRequest } from './kit/organization.js';

let approvals: ApprovalsFixture;
let ada: GraphqlRequest;
let audrey: Member;

const policies = `@id("reads") permit (principal, action in Action::"read", resource);
@id("writes") @approval("review") permit (principal, action in Action::"write", resource);
@id("never") forbid (principal, action == Action::"workplace__comment_ticket", resource);`;

beforeAll(async () => {
  approvals = await ApprovalsFixture.start();
  const { fixture } = approvals;
  audrey = await fixture.organization.member({ name: 'Audrey Auditor', roles: ['auditor'] });
  ada = await fixture.organization.as(fixture.organization.admin);
  await fixture.publish(policies);
});
afterAll(() => approvals?.close());

const range = { from: plusDays(today(), -6), to: today() };
async function report(fields: string, ask = ada, days = range) {
  const query = `query ($from: String!, $to: String!) { governanceReport(from: $from, to: $to) { ${fields} } }`;
  const { data, code } = await ask(query, days);
  return code ? { code } : data.governanceReport;
}
const reviewer = () => approvals.fixture.reviewer;
const asReviewer = () => approvals.fixture.organization.as(reviewer());

/** Opens the approval in the console, as its page does. */
async function view(id: string, ask: GraphqlRequest) {
  const { data } = await ask('query ($id: ID!) { approval(id: $id) { call { argumentsHash } } }', { id });
  const { argumentsHash } = data.approval.call;
  const { data: recorded } = await ask(
    'mutation ($input: RecordApprovalViewInput!) { recordApprovalView(input: $input) }',
    { input: { id, argumentsHash } },
  );
  return recorded.recordApprovalView as boolean;
}
/** Moves the opening of the step to this time before its decision. */
const setSecondsOpen = (id: string, seconds: number) =>
  approvals.asOwner(
    `update approvals set opened_at = (select max(decided_at) from approver_activity where approval_id = $1)
                                      - $2 * interval '1 second' where id = $1`,
    [id, seconds],
  );

it('records the first view of an approver, and nothing for others or after the decision', async () => {
  const { id } = await approvals.request();
  const rita = await asReviewer();
  expect(await view(id, ada)).toBe(false); // requested by her agent: she cannot decide
  expect(await view(id, rita)).toBe(true);
  expect(await view(id, rita)).toBe(false);
  const wrong = { input: { id, argumentsHash: 'ab'.repeat(32) } };
  const mutation = 'mutation ($input: RecordApprovalViewInput!) { recordApprovalView(input: $input) }';
  expect((await rita(mutation, wrong)).code).toBe('not-as-shown');
  await approvals.decide(id, reviewer());
  expect(await view(id, rita)).toBe(false);
  const viewed = (await approvals.eventsOf(id)).filter(({ kind }) => kind === 'approval.viewed');
  expect(viewed).toEqual([expect.objectContaining({ step: 'review', tool: 'workplace__create_ticket' })]);
  expect((await report('unviewedDecisions { totalCount }')).unviewedDecisions.totalCount).toBe(0);
});

it('records the view of the page without JavaScript', async () => {
  const { id } = await approvals.request();
  const browser = await approvals.fixture.organization.browser(reviewer());
  expect((await browser.fetch(`/approvals/${id}`)).status).toBe(200);
  await approvals.decide(id, reviewer(), 'deny');
  expect((await report('unviewedDecisions { totalCount }')).unviewedDecisions.totalCount).toBe(0);
});

it('lists decisions without a view, newest first, but none that were made in Slack', async () => {
  const ids = [];
  for (let nth = 0; nth < 3; nth++) ids.push((await approvals.request()).id);
  await approvals.decide(ids[0], reviewer());
  await approvals.decide(ids[1], reviewer(), 'deny');
  const rita = reviewer();
  await approvals.fixture.get(ApprovalsService).decide(
    {
      tenantId: rita.tenantId,
      kind: 'member',
      name: rita.name,
      memberId: rita.id,
      surface: 'slack',
      scopes: [],
      permissions: permissionsOfRoles(rita.roles),
      chain: [],
    },
    ids[2],
    'approve',
    undefined,
    { authorizeChat: async () => undefined },
  );
  const fields = 'approvalId decision memberName tool stepName configurationName';
  const page = (await report(`unviewedDecisions(first: 1) { totalCount nodes { ${fields} } pageInfo { endCursor } }`))
    .unviewedDecisions;
  expect(page).toMatchObject({
    totalCount: 2,
    nodes: [
      {
        approvalId: ids[1],
        decision: 'deny',
        memberName: 'Rita Reviewer',
        tool: 'workplace__create_ticket',
        stepName: 'review',
        configurationName: 'Desk',
      },
    ],
  });
  const next = await report(
    `unviewedDecisions(first: 5, after: "${page.pageInfo.endCursor}") { nodes { approvalId } pageInfo { hasNextPage } }`,
  );
  expect(next.unviewedDecisions).toEqual({ nodes: [{ approvalId: ids[0] }], pageInfo: { hasNextPage: false } });
  for (const time of ['yesterday', '2026-99-99 10:00:00+00', '2026-11-20 10:00:00+99']) {
    const forged = Buffer.from(JSON.stringify([time, ids[0], ids[0]])).toString('base64url');
    expect(await report(`unviewedDecisions(after: "${forged}") { totalCount }`)).toEqual({ code: 'invalid-request' });
  }
});

it('counts each vote of a quorum for its member, and the step from its last vote', async () => {
  const { fixture } = approvals;
  const second = await fixture.organization.member({ name: 'Sven Second', roles: ['admin'] });
  await approvals.saveStep({ name: 'two', quorum: 2 });
  await approvals.publish('two');
  const { id } = await approvals.request();
  await approvals.decide(id, reviewer());
  const steps = async () => (await report('steps { stepName approved open }')).steps;
  expect(await steps()).toContainEqual({ stepName: 'two', approved: 0, open: 1 });
  const openOf = async (name: string) =>
    (await report('approvers { memberName open }')).approvers.find(
      ({ memberName }: { memberName: string }) => memberName === name,
    )?.open;
  expect(await openOf('Sven Second')).toBe(1);
  expect(await openOf('Rita Reviewer')).toBe(0);
  await approvals.decide(id, second);
  expect(await steps()).toContainEqual({ stepName: 'two', approved: 1, open: 0 });
  const { approvers } = await report('approvers { memberName approved denied unviewed }');
  expect(approvers).toContainEqual({ memberName: 'Sven Second', approved: 1, denied: 0, unviewed: 1 });
  await fixture.publish(policies);
});

it('measures the time from the opening of the step to the decision', async () => {
  await approvals.saveStep({ name: 'timed' });
  await approvals.publish('timed');
  for (const seconds of [60, 120, 600]) {
    const { id } = await approvals.request();
    await approvals.decide(id, reviewer());
    await setSecondsOpen(id, seconds);
  }
  const late = await approvals.request();
  await approvals.letExpireNow(late.id);
  await approvals.request();
  const { steps } = await report(
    'steps { stepName approved denied expired open medianSeconds p90Seconds oldestOpenSeconds }',
  );
  const timed = steps.find(({ stepName }: { stepName: string }) => stepName === 'timed');
  expect(timed).toMatchObject({ approved: 3, denied: 0, expired: 1, open: 1, medianSeconds: 120, p90Seconds: 504 });
  expect(timed.oldestOpenSeconds).toBeGreaterThanOrEqual(0);
  const { interval, periods } = await report('interval periods { from approved denied medianSeconds }');
  expect(interval).toBe('day');
  expect(periods).toHaveLength(1);
  const weeks = await report('interval periods { from }', ada, { from: plusDays(today(), -90), to: today() });
  expect(weeks).toMatchObject({ interval: 'week', periods: [{ from: expect.any(String) }] });
  expect(new Date(weeks.periods[0].from).getUTCDay()).toBe(1);
  const before = { from: plusDays(today(), -9), to: plusDays(today(), -8) };
  expect(await report('periods { from } unviewedDecisions { totalCount }', ada, before)).toEqual({
    periods: [],
    unviewedDecisions: { totalCount: 0 },
  });
});

it('keeps the decision on a step that is voided later', async () => {
  await approvals.saveStep({ name: 'first', position: 1 });
  await approvals.saveStep({ name: 'second', position: 2 });
  await approvals.publish('first', 'second');
  const { callId } = await approvals.request();
  const [first, second] = await approvals.stepsOf(callId);
  await approvals.decide(first.id, reviewer());
  await approvals.decide(second.id, reviewer(), 'deny');
  expect((await approvals.load(first.id)).state).toBe('void');
  const { steps } = await report('steps { stepName approved denied }');
  expect(steps).toContainEqual({ stepName: 'first', approved: 1, denied: 0 });
  expect(steps).toContainEqual({ stepName: 'second', approved: 0, denied: 1 });
});

it('lists policies that took part in no decision since they are unchanged', async () => {
  const { fixture } = approvals;
  const unmatched = async () =>
    (await report('unmatchedPolicyRules { policyCount totalCount nodes { policyId effect step } }'))
      .unmatchedPolicyRules;
  await fixture.publish(`${policies}\n// again`);
  await fixture.call('list_tickets', {});
  expect(await unmatched()).toMatchObject({
    policyCount: 3,
    nodes: [
      { policyId: 'writes', effect: 'permit', step: 'review' },
      { policyId: 'never', effect: 'forbid', step: null },
    ],
  });
  await fixture.call('comment_ticket', { id: 'LAN-0001', text: 'Hello' });
  await approvals.request();
  expect(await unmatched()).toEqual({ policyCount: 3, totalCount: 0, nodes: [] });
  // without a change, the decisions by earlier revisions count
  await fixture.publish(`// first\n${policies}`);
  expect((await unmatched()).totalCount).toBe(0);
  await fixture.publish(policies.replace('@id("never") forbid', '@id("never")\nforbid'));
  expect((await unmatched()).nodes).toMatchObject([{ policyId: 'never' }]);
});

it('lists the tools of each configuration of which no call was sent', async () => {
  const { unusedTools } = await report(
    'unusedTools { toolCount totalCount nodes { tool connectionSlug configurationName effect requests } }',
  );
  const toolOf = (name: string) =>
    unusedTools.nodes.find(({ tool }: { tool: string }) => tool === `workplace__${name}`);
  expect(toolOf('list_tickets')).toBeUndefined();
  expect(toolOf('list_channels')).toMatchObject({
    connectionSlug: 'workplace',
    configurationName: 'Desk',
    effect: 'read',
    requests: 0,
  });
  expect(toolOf('comment_ticket')).toMatchObject({ requests: 1 }); // denied
  expect(unusedTools.totalCount).toBe(unusedTools.nodes.length);
  expect(unusedTools.toolCount).toBeGreaterThan(unusedTools.totalCount);
});

it('says since when the ledger is complete', async () => {
  const days = { from: plusDays(today(), -200), to: today() };
  expect((await report('ledgerSince', ada, days)).ledgerSince.slice(0, 10)).toBe(plusDays(today(), -90));
  expect((await report('ledgerSince')).ledgerSince).toBe(`${range.from}T00:00:00.000Z`);
});

it('exports each list as CSV, and records it', async () => {
  const browser = await approvals.fixture.organization.browser(audrey);
  const rows = async (file: string) => {
    const response = await browser.fetch(`/console/exports/reports/${file}.csv?${new URLSearchParams(range)}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toContain(`${file}-${range.from}-${range.to}.csv`);
    return rowsOf(await response.text());
  };
  expect(await rows('approval-steps')).toContainEqual(expect.objectContaining({ step: 'second', denied: '1' }));
  expect(await rows('approvers')).toContainEqual(expect.objectContaining({ member: 'Sven Second', approved: '1' }));
  const { totalCount } = (await report('unviewedDecisions { totalCount }')).unviewedDecisions;
  expect(await rows('unviewed-decisions')).toHaveLength(totalCount);
  expect(await rows('unmatched-policies')).toMatchObject([
    { configuration: 'Desk', policy: 'never', effect: 'forbid' },
  ]);
  expect((await rows('unused-tools')).length).toBeGreaterThan(0);
  const { data } = await ada('{ auditEvents(kind: "report.exported") { nodes { actor detail } } }');
  expect(data.auditEvents.nodes).toHaveLength(5);
  expect(data.auditEvents.nodes[0]).toMatchObject({
    actor: { name: 'Audrey Auditor' },
    detail: { file: 'unused-tools', ...range },
  });
  for (const path of [
    'nothing.csv?from=2026-01-01&to=2026-01-02',
    'approvers.csv',
    'approvers.csv?from=2026-01-01&to=2029-01-01',
  ])
    expect([400, 404]).toContain((await browser.fetch(`/console/exports/reports/${path}`)).status);
});

it('lists the 500 approvers with the most decisions, and exports all', async () => {
  const { id } = await approvals.request();
  await approvals.asOwner(
    `insert into approver_activity (tenant_id, approval_id, member_id, decided_at, decision, decided_in, records_views)
     select $1, $2, gen_random_uuid(), now(), 'approve', 'console', false from generate_series(1, 501)`,
    [reviewer().tenantId, id],
  );
  const { approvers } = await report('approvers { memberId }');
  expect(approvers).toHaveLength(500);
  const browser = await approvals.fixture.organization.browser(audrey);
  const file = await browser.fetch(`/console/exports/reports/approvers.csv?${new URLSearchParams(range)}`);
  expect(rowsOf(await file.text()).length).toBeGreaterThan(501);
});

it('is for administrators and auditors, and refuses impossible ranges', async () => {
  const { fixture } = approvals;
  const auditor = await fixture.organization.as(audrey);
  expect(await report('steps { stepName } unusedTools { totalCount }', auditor)).toMatchObject({
    steps: expect.any(Array),
  });
  const mia = await fixture.organization.member({ name: 'Mia Member' });
  expect(await report('from', await fixture.organization.as(mia))).toEqual({ code: 'forbidden' });
  const file = `/console/exports/reports/approvers.csv?${new URLSearchParams(range)}`;
  expect((await (await fixture.organization.browser(mia)).fetch(file)).status).toBe(403);
  for (const days of [
    { from: 'yesterday', to: today() },
    { from: today(), to: plusDays(today(), -1) },
    { from: plusDays(today(), -366), to: today() },
  ])
    expect(await report('from', ada, days)).toEqual({ code: 'invalid-request' });
});

it('shows nothing of another organization', async () => {
  const other = await anOrganization(approvals.server);
  const found = await report(
    'steps { stepName } approvers { memberId } unviewedDecisions { totalCount }',
    await other.as(),
  );
  expect(found).toEqual({ steps: [], approvers: [], unviewedDecisions: { totalCount: 0 } });
});
