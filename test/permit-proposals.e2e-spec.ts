import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { ApprovalOverridesService } from '../src/approvals/approval-overrides.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { CallEditsService } from '../src/gate/call-edits.service.js';
import { CallReviewsService } from '../src/gate/call-reviews.service.js';
import { PermitProposalScheduler } from '../src/permit-proposals/permit-proposal-scheduler.service.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { holdTask } from './kit/held-task.js';
import type { GraphqlRequest } from './kit/organization.js';
import { mutate } from './kit/workplace-fixture.js';

let approvals: ApprovalsFixture;
let ada: GraphqlRequest;
let audrey: GraphqlRequest;

const policies = `// The policies of the desk.
@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes")
@approval("review")
permit (principal, action in Action::"write", resource);
`;

beforeAll(async () => {
  approvals = await ApprovalsFixture.start();
  const { organization } = approvals.fixture;
  ada = await organization.as(organization.admin);
  audrey = await organization.as(await organization.member({ name: 'Audrey Auditor', roles: ['auditor'] }));
});
afterAll(() => approvals?.close());

let count = 0;
/** Each test has a call of its own. */
let title: string;
beforeEach(async () => {
  title = `Fan ${++count} rattles`;
  await approvals.fixture.publish(policies);
});

const reviewer = () => approvals.fixture.reviewer;
async function request(args: object = { title }, tool = 'create_ticket'): Promise<string> {
  const outcome = await approvals.fixture.call(tool, args);
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  return outcome.approvalId;
}
/** An identical retry gets the recorded outcome for a while: each call has to be a new one. */
async function approve(times: number, args: object = { title }, tool = 'create_ticket'): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < times; nth++) {
    const id = await request(args, tool);
    await approvals.decide(id, reviewer());
    await forgetRetries();
    ids.push(id);
  }
  return ids;
}
const forgetRetries = () => approvals.asOwner('update tool_calls set retry_key = null', []);
const propose = () =>
  approvals.fixture
    .getInternal(PermitProposalScheduler)
    .propose(approvals.fixture.organization.tenant.id, approvals.fixture.configurationId, new AbortController().signal);

const fields = `id tool principalKind principalName configurationName stepName state closedAt closer
  permit { text obstacle } approvals { id decidedAt deciderName }`;
const list = async (ask = ada, state = 'open') =>
  (await ask(`{ permitProposals(state: ${state}) { totalCount nodes { ${fields} } } }`)).data.permitProposals;
interface ListedProposal {
  id: string;
  permit: { text: string | null };
  approvals: { id: string; deciderName: string }[];
}
/** The open proposals for the call of this test. */
const proposals = async () =>
  ((await list()).nodes as ListedProposal[]).filter(({ permit }) => permit.text?.includes(`"${title}"`));
const add = (id: string, ask = ada) =>
  mutate(ask, 'addProposedPermit', 'AddProposedPermitInput', { id }, 'id state closer');
const dismiss = (id: string, ask = ada) =>
  mutate(ask, 'dismissPermitProposal', 'DismissPermitProposalInput', { id }, 'id state closer closedAt');
const policy = async () => {
  const query = `query ($id: ID!) { policy(configurationId: $id) { current { revision text } draft { text basedOn } } }`;
  return (await ada(query, { id: approvals.fixture.configurationId })).data.policy;
};
const publish = (text: string) =>
  mutate(
    ada,
    'publishPolicy',
    'PublishPolicyInput',
    { configurationId: approvals.fixture.configurationId, text },
    'revision',
  );
const discardDraft = () =>
  ada(`mutation ($id: ID!) { discardPolicyDraft(input: { configurationId: $id }) { draft { text } } }`, {
    id: approvals.fixture.configurationId,
  });

it('proposes a permit for exactly the call after ten approvals, and adds it to the draft', async () => {
  const ids = await approve(9);
  await propose();
  expect(await proposals()).toEqual([]);
  ids.push(...(await approve(1)));
  await propose();
  await propose();
  const [proposal, ...more] = await proposals();
  expect(more).toEqual([]);
  expect(proposal).toMatchObject({
    tool: 'workplace__create_ticket',
    principalKind: 'agent',
    principalName: 'Helper',
    configurationName: 'Desk',
    stepName: 'review',
    state: 'open',
    closer: null,
  });
  const { approvals: evidence } = proposal;
  expect(evidence.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(evidence[0].deciderName).toBe('Rita Reviewer');
  const { agentId } = approvals.fixture;
  expect(proposal.permit.text).toMatch(/^@id\("exact call [0-9a-f]{8} workplace__create_ticket"\)\npermit \(/);
  for (const part of [
    `principal == Agent::"${agentId}", action == Action::"workplace__create_ticket", resource == Connection::"workplace"`,
    `context.arguments has title && context.arguments.title == "${title}"`,
    '!(context.arguments has project)',
    'context.surface == "a2a"',
    '!context.tainted',
  ])
    expect(proposal.permit.text).toContain(part);

  // not by itself
  expect(await policy()).toMatchObject({ current: { text: policies }, draft: null });
  expect((await add(proposal.id)).it).toMatchObject({ state: 'drafted', closer: 'Ada Admin' });
  const { current, draft } = await policy();
  expect(current.text).toBe(policies);
  expect(draft.text).toContain(proposal.permit.text);
  await request(); // the draft has no effect
  await forgetRetries();
  expect((await add(proposal.id)).code).toBe('permit-proposal-closed');

  await publish(draft.text);
  expect(await approvals.fixture.call('create_ticket', { title })).toMatchObject({ state: 'succeeded' });
  await request({ title: `${title} again` });
  await request({ title, priority: 'high' });
  await propose();
  expect(await proposals()).toEqual([]);
  const { data } = await ada('{ auditEvents(kind: "permit-proposal.drafted") { nodes { actor detail } } }');
  expect(data.auditEvents.nodes).toEqual([
    {
      actor: expect.objectContaining({ name: 'Ada Admin' }),
      detail: expect.objectContaining({ proposalId: proposal.id, tool: 'workplace__create_ticket' }),
    },
  ]);
});

it('adds a second permit to a draft that exists', async () => {
  await approve(10);
  const [first, second] = [title, `${title} twice`];
  await approve(10, { title: second });
  await propose();
  for (const { id } of (await list()).nodes) await add(id);
  const { draft } = await policy();
  expect(draft.text).toContain(`"${first}"`);
  expect(draft.text).toContain(`"${second}"`);
  await publish(draft.text);
  for (const title of [first, second])
    expect(await approvals.fixture.call('create_ticket', { title })).toMatchObject({ state: 'succeeded' });
});

it('adds nothing to an outdated draft, nor to one with errors', async () => {
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  const save = (text: string) =>
    mutate(
      ada,
      'savePolicyDraft',
      'SavePolicyDraftInput',
      { configurationId: approvals.fixture.configurationId, text },
      'text',
    );
  await save('permit (principal');
  expect((await add(id)).code).toBe('policy-invalid');
  await save(`${policies}// a draft\n`);
  await approvals.asOwner('update policy_drafts set based_on = based_on - 1', []);
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  expect((await policy()).draft.text).toBe(`${policies}// a draft\n`);
  await discardDraft();
  expect((await add(id)).it).toMatchObject({ state: 'drafted' });
  await discardDraft();
});

it('suggests a discarded draft again only after ten further approvals', async () => {
  await approve(10);
  await propose();
  await add((await proposals())[0].id);
  await discardDraft();
  await approve(9);
  await propose();
  expect(await proposals()).toEqual([]);
  await approve(1);
  await propose();
  expect(await proposals()).toHaveLength(1);
});

it('does not suggest a dismissed permit again, and says who dismissed it', async () => {
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  expect((await dismiss(id, audrey)).code).toBe('forbidden');
  expect((await dismiss(id)).it).toMatchObject({
    state: 'dismissed',
    closer: 'Ada Admin',
    closedAt: expect.any(String),
  });
  expect((await dismiss(id)).code).toBe('permit-proposal-closed');
  await approve(10);
  await propose();
  expect(await proposals()).toEqual([]);
  expect((await list(audrey, 'dismissed')).nodes).toContainEqual(expect.objectContaining({ id, closer: 'Ada Admin' }));
});

it('starts again after a denial, also of an open proposal', async () => {
  await approve(9);
  await approvals.decide(await request(), reviewer(), 'deny');
  await forgetRetries();
  await approve(9);
  await propose();
  expect(await proposals()).toEqual([]);
  await approve(1);
  await propose();
  const [{ id }] = await proposals();
  await approvals.decide(await request(), reviewer(), 'deny');
  await forgetRetries();
  // before the job withdraws it
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  await propose();
  expect(await proposals()).toEqual([]);
  expect((await add(id)).code).toBe('permit-proposal-not-found');
});

it('starts again after an approval that expired', async () => {
  await approve(9);
  await approvals.letExpireNow(await request());
  await forgetRetries();
  await approve(9);
  await propose();
  expect(await proposals()).toEqual([]);
});

it('counts only identical arguments', async () => {
  await approve(5);
  await approve(5, { title, priority: 'high' });
  await propose();
  expect(await proposals()).toEqual([]);
});

it('proposes nothing for arguments that a condition cannot express exactly', async () => {
  await approve(10, { title, labels: ['a', 'b'] });
  await propose();
  expect(
    (await list()).nodes.filter(({ permit }: { permit: { text: string } }) => permit.text.includes(title)),
  ).toEqual([]);
});

it('proposes nothing where several approvals are needed, by one step or by several', async () => {
  const { fixture } = approvals;
  const second = await fixture.organization.member({ name: 'Sven Second', roles: ['admin'] });
  await approvals.saveStep({ name: 'two', quorum: 2 });
  await approvals.publish('two');
  for (let nth = 0; nth < 10; nth++) {
    const id = await request();
    await approvals.decide(id, reviewer());
    await approvals.decide(id, second);
    await forgetRetries();
  }
  await approvals.saveStep({ name: 'one' });
  await approvals.publish('one', 'review');
  const other = `${title} in two steps`;
  for (let nth = 0; nth < 10; nth++) {
    for (const { id } of await approvals.stepsOf(await callIdOf(await request({ title: other }))))
      await approvals.decide(id, nth % 2 ? reviewer() : second);
    await forgetRetries();
  }
  await propose();
  expect((await list()).nodes).toEqual([]);
});

it('withdraws a proposal whose step has come to need several approvals', async () => {
  await approvals.saveStep({ name: 'single' });
  await approvals.publish('single');
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  await approvals.saveStep({ name: 'single', quorum: 2 });
  expect((await list()).nodes[0].permit).toEqual({ text: null, obstacle: expect.stringContaining('more than one') });
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  await propose();
  expect((await list()).nodes).toEqual([]);
});

it('withdraws a proposal once the policies no longer require the approval', async () => {
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  await publish(`${policies}forbid (principal is Agent, action in Action::"write", resource);`);
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  await propose();
  expect(await proposals()).toEqual([]);
});

it('withdraws a proposal whose tool has become destructive', async () => {
  const { fixture } = approvals;
  const admin = await fixture.principalOf();
  const tools = await fixture.get(ToolsService).listOf(admin, fixture.connectionId);
  const { id, definitionHash } = tools.find(({ upstreamName }) => upstreamName === 'create_ticket')!;
  await approve(10);
  await propose();
  expect(await proposals()).toHaveLength(1);
  await fixture.get(ToolsService).confirm(admin, id, 'destructive', definitionHash);
  expect((await list()).nodes[0].permit).toEqual({ text: null, obstacle: expect.stringContaining('destructive') });
  await propose();
  expect((await list()).nodes).toEqual([]);
  await fixture.get(ToolsService).confirm(admin, id, 'write', definitionHash);
});

it('permits nothing that the policies behind the approvals no longer permit', async () => {
  const { fixture } = approvals;
  const admin = await fixture.principalOf();
  const tools = await fixture.get(ToolsService).listOf(admin, fixture.connectionId);
  const { id: toolId, definitionHash } = tools.find(({ upstreamName }) => upstreamName === 'create_ticket')!;
  await approve(10);
  await propose();
  const [{ id, permit }] = await proposals();
  expect(permit.text).toContain('action in Action::"write"');
  await add(id);
  const { draft } = await policy();
  expect(draft.text).toContain(permit.text);
  await publish(draft.text);
  expect(await approvals.fixture.call('create_ticket', { title })).toMatchObject({ state: 'succeeded' });
  await forgetRetries();
  await fixture.get(ToolsService).confirm(admin, toolId, 'destructive', definitionHash);
  expect(await approvals.fixture.call('create_ticket', { title })).toMatchObject({ state: 'denied' });
  await fixture.get(ToolsService).confirm(admin, toolId, 'write', definitionHash);
});

it('proposes nothing where the policies depend on the time', async () => {
  await publish(
    `@approval("review") permit (principal, action in Action::"write", resource) when { context.time > datetime("2020-01-01") };`,
  );
  await approve(10);
  await propose();
  expect(await proposals()).toEqual([]);
  await publish(policies);
  await propose();
  expect(await proposals()).toHaveLength(1);
  await publish(
    `@approval("review") permit (principal, action in Action::"write", resource) when { context.time > datetime("2020-01-01") };`,
  );
  expect((await list()).nodes[0].permit).toEqual({ text: null, obstacle: expect.stringContaining('the time') });
});

it('proposes the call again where a later policy requires the approval in spite of its permit', async () => {
  await approve(10);
  await propose();
  await add((await proposals())[0].id);
  const { draft } = await policy();
  const later = `@id("agents")\n@approval("review")\npermit (principal is Agent, action in Action::"write", resource);\n`;
  await publish(`${draft.text}${later}`);
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  expect((await add(id)).it).toMatchObject({ state: 'drafted' });
  await publish((await policy()).draft.text);
  expect(await approvals.fixture.call('create_ticket', { title })).toMatchObject({ state: 'succeeded' });
  await request({ title: `${title} again` });
});

it('counts only approvals for the present target of the connection', async () => {
  const { fixture } = approvals;
  const admin = await fixture.principalOf();
  const reconfigure = async (timeoutSeconds: number) => {
    const { id, revision } = await fixture.get(ConnectionsService).get(admin, fixture.connectionId);
    await fixture.get(ConnectionsService).update(admin, { id, revision, settings: { timeoutSeconds } });
  };
  await approve(5);
  await reconfigure(6);
  await approve(5);
  await propose();
  expect(await proposals()).toEqual([]);
  await approve(5);
  await propose();
  const [{ id }] = await proposals();
  await reconfigure(5);
  expect((await list()).nodes.find((one: { id: string }) => one.id === id).permit).toEqual({
    text: null,
    obstacle: expect.stringContaining('connection'),
  });
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  await propose();
  expect(await proposals()).toEqual([]);
});

it('proposes nothing for calls that no second person approved', async () => {
  const ids = await approve(10);
  await approvals.asOwner('update approvals set not_four_eyes = true where id = $1', [ids[4]]);
  await propose();
  expect(await proposals()).toEqual([]);
});

it('proposes nothing if one of the approvals was an override', async () => {
  const { fixture } = approvals;
  const bea = await fixture.organization.member({ name: 'Bea Break' });
  await fixture.get(BreakGlassRightsService).grant(await fixture.principalOf(reviewer()), bea.id);
  await approve(4);
  await fixture.get(ApprovalOverridesService).override(await fixture.principalOf(bea), await request(), 'It burns.');
  await forgetRetries();
  await approve(5);
  await propose();
  expect(await proposals()).toEqual([]);
  await approve(5);
  await propose();
  expect(await proposals()).toHaveLength(1);
});

it('proposes nothing if one of the calls was edited, neither for the requested nor for the edited arguments', async () => {
  const { fixture } = approvals;
  const editor = await fixture.organization.member({ name: 'Edda Editor', roles: ['admin'] });
  await approvals.saveStep({ name: 'editable', allowsEdit: true });
  await approvals.publish('editable');
  const edited = { title, priority: 'low' };
  const edit = async (args: object) => {
    const approvalId = await request(args);
    const principal = await fixture.principalOf(editor);
    const { argumentsHash, definitionHash } = await fixture.get(CallReviewsService).get(principal, approvalId);
    const input = { approvalId, arguments: JSON.stringify(edited), argumentsHash, definitionHash };
    const { approvalId: next } = await fixture.getInternal(CallEditsService).edit(principal, input);
    await approvals.decide(next!, reviewer());
    await forgetRetries();
  };
  await approve(9);
  await approve(9, edited);
  await edit({ title });
  await propose();
  expect(await proposals()).toEqual([]);
  await approve(9);
  await approve(9, edited);
  await propose();
  expect(await proposals()).toEqual([]);
});

it('proposes nothing where an approval needed a passkey, or needs one now', async () => {
  await approvals.saveStep({ name: 'signed' });
  await approvals.publish('signed');
  const ids = await approve(10);
  await approvals.asOwner('update approvals set requires_passkey = true where id = $1', [ids[4]]);
  await propose();
  expect(await proposals()).toEqual([]);
  await approvals.asOwner('update approvals set requires_passkey = false where id = $1', [ids[4]]);
  await propose();
  const [{ id }] = await proposals();
  await approvals.asOwner(`update approval_steps set requires_passkey = true where name = 'signed'`, []);
  expect((await list()).nodes.find((one: { id: string }) => one.id === id).permit).toEqual({
    text: null,
    obstacle: expect.stringContaining('need a passkey'),
  });
  expect((await add(id)).code).toBe('permit-proposal-obsolete');
  await propose();
  expect(await proposals()).toEqual([]);
});

it('does not count calls that a task grant allowed', async () => {
  const { fixture } = approvals;
  await approvals.saveStep({ name: 'granting', taskGrantMaxUses: 20 });
  await approvals.publish('granting');
  const task = await holdTask(fixture);
  const args = { title, project: 'LAN' };
  const outcome = await fixture.call('create_ticket', args, { task });
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  const principal = await fixture.principalOf(reviewer());
  const { argumentsHash, definitionHash } = await fixture.get(CallReviewsService).get(principal, outcome.approvalId);
  const taskGrant = { equalArguments: ['title', 'project'], maxUses: 20, expiresAfterSeconds: 3600 };
  const decision = { id: outcome.approvalId, decision: 'approve' as const, argumentsHash, definitionHash, taskGrant };
  expect(await fixture.get(CallReviewsService).decide(principal, decision)).toMatchObject({ state: 'approved' });
  for (let nth = 0; nth < 12; nth++) {
    await forgetRetries();
    expect(await fixture.call('create_ticket', args, { task })).toMatchObject({ state: 'succeeded' });
  }
  await propose();
  expect(await proposals()).toEqual([]);
});

it('proposes nothing once the calls have left the ledger', async () => {
  await approve(10);
  await propose();
  const [{ id }] = await proposals();
  await approvals.asOwner(`delete from tool_calls where requested_at < now()`, []);
  expect((await list()).nodes.find((one: { id: string }) => one.id === id).permit.text).toBeNull();
  await propose();
  expect((await list()).nodes).toEqual([]);
});

it('computes the proposals in a job after each decision and publication', async () => {
  await approve(10);
  const owner = new Client(approvals.server.databaseUrl);
  await owner.connect();
  const { rows: jobs } = await owner.query(
    `select key from graphile_worker.jobs where task_identifier = 'permits.propose' and run_at > now()`,
  );
  await owner.end();
  expect(jobs).toEqual([{ key: `permits.propose:${approvals.fixture.configurationId}` }]);
});

it('is for administrators and auditors in a session', async () => {
  const { organization } = approvals.fixture;
  const mia: Member = await organization.member({ name: 'Mia Member' });
  expect((await (await organization.as(mia))('{ permitProposals { totalCount } }')).code).toBe('forbidden');
  const { token } = await approvals.fixture.get(AdminTokensService).create(await approvals.fixture.principalOf(), {
    name: 'script',
    expiresAt: new Date(Date.now() + 60_000),
  });
  expect((await organization.withToken(token)('{ permitProposals { totalCount } }')).code).toBe('unauthenticated');
});

const callIdOf = async (approvalId: string): Promise<string> => (await approvals.load(approvalId)).callId;

it('says that the arguments of its calls cannot be decrypted, and still lists the other proposals', async () => {
  const ids = await approve(10);
  await propose();
  expect(await proposals()).toHaveLength(1);
  await approvals.asOwner(
    `update tool_calls set arguments_sealed = '\\x00' where id in (select call_id from approvals where id = any ($1))`,
    [ids],
  );
  const permits = ((await list()).nodes as { permit: object }[]).map(({ permit }) => permit);
  expect(permits).toContainEqual({ text: null, obstacle: 'The arguments of the calls cannot be decrypted.' });
});
