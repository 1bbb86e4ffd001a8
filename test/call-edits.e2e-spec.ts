import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { BackgroundCallRunner } from '../src/gate/background-call-runner.service.js';
import { OwnCallsService } from '../src/gate/own-calls.service.js';
import type { ToolCall } from '../src/gate/tool-call.entity.js';
import { CallsService } from '../src/gate/calls.service.js';
import { toApiCall } from '../src/rest/calls.wire.js';
import { toolResult } from '../src/mcp/tool-result.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { recordSignInProvider } from './kit/introductions.js';
import { runSql } from './kit/run-sql.js';
import { newTaskId, wireOf } from './kit/wire.js';

let at: ApprovalsFixture;
let ann: Member;
let ben: Member;
let cleo: Member;
let sam: Member;

const createTicket = 'action == Action::"workplace__create_ticket"';
const priorityIs = (priority: string) =>
  `when { context.arguments has priority && context.arguments.priority == "${priority}" }`;
const policies = [
  'permit (principal, action in Action::"read", resource);',
  '@approval("board") permit (principal, action in Action::"write", resource);',
  `@approval("security") permit (principal, ${createTicket}, resource) ${priorityIs('high')};`,
  `forbid (principal, ${createTicket}, resource) ${priorityIs('urgent')};`,
];

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const admin = await fixture.principalOf();
  const board = await fixture.get(GroupsService).create(admin, 'Release board');
  const security = await fixture.get(GroupsService).create(admin, 'Security');
  const join = (name: string, groupId: string) => fixture.organization.member({ name, groupIds: [groupId] });
  [ann, ben, cleo] = [
    await join('Ann First', board.id),
    await join('Ben Second', board.id),
    await join('Cleo Third', board.id),
  ];
  sam = await join('Sam Security', security.id);
  await at.saveStep({ name: 'board', approverGroupId: board.id, quorum: 2, allowsEdit: true });
  await at.saveStep({ name: 'security', approverGroupId: security.id, position: 2, allowsEdit: true });
  await at.saveStep({ name: 'closed', approverGroupId: board.id });
  await fixture.publish(policies.join('\n'));
});
afterAll(() => at.close());

const call = (callId: string): Promise<ToolCall> =>
  at.fixture.get(CallsService).get(at.fixture.organization.system, callId);
const outcomeOf = (callId: string) => at.fixture.get(OwnCallsService).get(at.fixture.agent, callId);
const arrivalsOf = async (...titles: string[]) =>
  (await at.workplace.arrivals())
    .map(({ arguments: args }) => args as { title?: string })
    .filter(({ title }) => titles.includes(title ?? ''));

/** What the page of the approval shows, as far as an edit needs it. */
async function shown(id: string, by: Member) {
  const query = `query ($id: ID!) { approval(id: $id) { isEditable viewerCanDecide state
    call { arguments argumentsHash definitionHash edits { editorName changes { pointer before after mayBeSecret } } } } }`;
  return (await (await at.fixture.organization.as(by))(query, { id })).data.approval;
}

async function send(
  operation: 'mutation' | 'query',
  id: string,
  by: Member,
  args: object | string,
  hashes: object = {},
) {
  const name = operation === 'mutation' ? 'editCall' : 'previewCallEdit';
  const { argumentsHash, definitionHash } = (await shown(id, by)).call;
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const response = await (
    await at.fixture.organization.as(by)
  )(
    `${operation} ($input: EditCallInput!) { ${name}(input: $input) {
      callId state reason approvalId steps argumentsHash candidates { name mayDecide } } }`,
    { input: { approvalId: id, arguments: text, argumentsHash, definitionHash, ...hashes } },
  );
  return { ...response, result: response.data?.[name] };
}
const edit = (id: string, by: Member, args: object | string, hashes: object = {}) =>
  send('mutation', id, by, args, hashes);
const preview = (id: string, by: Member, args: object | string) => send('query', id, by, args);

describe('Rule 7: editing a pending call', () => {
  it('voids the votes, and runs the edited arguments once others have approved them', async () => {
    const { id, callId, title } = await at.request();
    await at.decide(id, ben);
    const edited = await edit(id, ann, { title: `${title} slowly` });
    expect(edited.result).toMatchObject({ callId, state: 'awaiting_approval', steps: ['board'], reason: null });
    const { approvalId } = edited.result;
    expect(approvalId).not.toBe(id);
    expect(await at.load(id)).toMatchObject({ state: 'void', reason: expect.stringContaining('Ann First edited') });
    expect(await at.load(approvalId)).toMatchObject({ state: 'pending', approvedBy: [], round: 2 });
    expect((await at.load(approvalId)).requesters).toContain(ann.id);

    await expect(at.decide(approvalId, ann)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    await expect(at.decide(id, cleo)).rejects.toMatchObject({ code: 'approval-decided' });
    await at.decide(approvalId, ben);
    expect(await at.decide(approvalId, cleo)).toMatchObject({ state: 'approved', approvedBy: [ben.id, cleo.id] });
    await expect.poll(() => arrivalsOf(title, `${title} slowly`)).toEqual([{ title: `${title} slowly` }]);
  });

  it('tells the caller who edited what, also when it repeats the original call', async () => {
    const { id, callId, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} again`, priority: 'low' })).result;
    const waiting = await at.fixture.call('create_ticket', { title });
    expect(waiting).toMatchObject({ callId, state: 'awaiting_approval', approvalId });
    await at.decide(approvalId, ben);
    await at.decide(approvalId, cleo);
    await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
    const text = `Ann First edited the arguments of this call: /title changed from "${title}" to "${title} again"; /priority set to "low".`;
    const outcome = await outcomeOf(callId);
    expect(outcome).toMatchObject({
      state: 'succeeded',
      edit: { editedBy: ['Ann First'], arguments: { priority: 'low' } },
    });
    expect(outcome).toMatchObject({ result: { content: expect.arrayContaining([{ type: 'text', text }]) } });
    const repeated = await at.fixture.call('create_ticket', { title });
    expect(repeated).toMatchObject({ callId, replayed: true, edit: { text } });
    const edited = { editedBy: ['Ann First'], arguments: { title: `${title} again`, priority: 'low' } };
    expect(toolResult(repeated)._meta).toMatchObject({ 'countersign/edit': edited });
    expect(toApiCall(at.fixture.configurationId, repeated)).toMatchObject({ edit: edited });
    expect(await arrivalsOf(title, `${title} again`)).toHaveLength(1);
  });

  it('records both versions in the audit log and shows later approvers the difference', async () => {
    const { id, callId, title } = await at.request();
    const before = await shown(id, ben);
    expect(before).toMatchObject({ isEditable: true, viewerCanDecide: true });
    const { approvalId, argumentsHash } = (await edit(id, ann, { title: `${title} today` })).result;
    const after = await shown(approvalId, ben);
    expect(after.call).toMatchObject({
      arguments: JSON.stringify({ title: `${title} today` }),
      argumentsHash,
      edits: [
        {
          editorName: 'Ann First',
          changes: [{ pointer: '/title', before: `"${title}"`, after: `"${title} today"`, mayBeSecret: false }],
        },
      ],
    });
    const [, edited] = await at.eventsOf(callId);
    expect(edited).toMatchObject({
      kind: 'call.edited',
      editedBy: [ann.id],
      approvalId: id,
      verdict: 'approval',
      argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      previous: { argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown, steps: ['board'] },
    });
    expect((edited.previous as { argumentsHash: string }).argumentsHash).not.toBe(edited.argumentsHash);
    expect(JSON.stringify(edited)).not.toContain(title);
  });

  it('requests the steps that the policies require for the edited arguments', async () => {
    const { id, title } = await at.request();
    const previewed = await preview(id, ann, { title, priority: 'high' });
    expect(previewed.result).toMatchObject({ state: 'awaiting_approval', steps: ['board', 'security'] });
    expect(await at.load(id)).toMatchObject({ state: 'pending' });
    const { approvalId, callId } = (await edit(id, ann, { title, priority: 'high' })).result;
    await at.decide(approvalId, ben);
    await at.decide(approvalId, cleo);
    const second = (await at.stepsOf(callId))[1];
    expect(second).toMatchObject({ stepName: 'security', state: 'pending' });
    expect(await arrivalsOf(title)).toEqual([]);
    await at.decide(second.id, sam);
    await expect.poll(() => arrivalsOf(title)).toEqual([{ title, priority: 'high' }]);
  });

  it('ends the call if the policies deny the edited arguments', async () => {
    const { id, callId, title } = await at.request();
    expect((await preview(id, ann, { title, priority: 'urgent' })).result).toMatchObject({ state: 'denied' });
    expect((await call(callId)).state).toBe('awaiting_approval');
    const { result } = await edit(id, ann, { title, priority: 'urgent' });
    expect(result).toMatchObject({ state: 'denied', approvalId: null });
    expect(await call(callId)).toMatchObject({ state: 'denied', code: 'policy-denied' });
    expect(await at.load(id)).toMatchObject({ state: 'void' });
    const repeated = await at.fixture.call('create_ticket', { title });
    expect(repeated).toMatchObject({ callId, state: 'denied', code: 'policy-denied' });
    expect(repeated).toMatchObject({ reason: expect.stringContaining('Ann First edited the arguments') });
    expect(await arrivalsOf(title)).toEqual([]);
  });

  it('keeps the steps if the policies allow the edited arguments', async () => {
    const { fixture } = at;
    const allowed = `permit (principal, ${createTicket}, resource) ${priorityIs('low')};`;
    const reviewed = `@approval("board") permit (principal, action in Action::"write", resource) unless { context.arguments has priority };`;
    await fixture.publish(
      [policies[0], allowed, reviewed.replace('action in Action::"write"', createTicket)].join('\n'),
    );
    try {
      const { id, title } = await at.request();
      const { approvalId } = (await edit(id, ann, { title, priority: 'low' })).result;
      expect(await at.load(approvalId)).toMatchObject({ state: 'pending', stepName: 'board' });
      await at.decide(approvalId, ben);
      await at.decide(approvalId, cleo);
      await expect.poll(() => arrivalsOf(title)).toEqual([{ title, priority: 'low' }]);
    } finally {
      await fixture.publish(policies.join('\n'));
    }
  });

  it('makes every editor a requester, until no one is left', async () => {
    const { id, callId, title } = await at.request();
    const first = (await edit(id, ann, { title: `${title} 1` })).result.approvalId;
    expect((await edit(first, ann, { title: `${title} 2` })).code).toBe('not-yours-to-decide');
    const refused = await edit(first, ben, { title: `${title} 2` });
    expect(refused.code).toBe('edit-unreachable');
    expect((await preview(first, ben, { title: `${title} 2` })).code).toBe('edit-unreachable');
    expect(await at.load(first)).toMatchObject({ state: 'pending', round: 2 });
    expect((await call(callId)).editedBy).toEqual([ann.id]);
  });
});

describe('the people of an edited call', () => {
  it('lose their votes at every step if a later step edits', async () => {
    const title = 'Edited at the second step';
    const outcome = await at.fixture.call('create_ticket', { title, priority: 'high' });
    if (outcome.state !== 'awaiting_approval') throw new Error(outcome.state);
    const { callId } = outcome;
    await at.decide(outcome.approvalId, ann);
    await at.decide(outcome.approvalId, ben);
    const security = (await at.stepsOf(callId))[1];
    expect(security.state).toBe('pending');
    const { result } = await edit(security.id, sam, { title: `${title}, edited`, priority: 'high' });
    expect(result).toBeUndefined(); // Sam is the only member of the second step
    await edit(security.id, sam, { title: `${title}, edited` });
    expect(await at.load(outcome.approvalId)).toMatchObject({ state: 'void' });
    const steps = await at.stepsOf(callId);
    expect(steps).toMatchObject([{ stepName: 'board', state: 'pending', approvedBy: [], round: 2 }]);
    await at.decide(steps[0].id, ann);
    await at.decide(steps[0].id, ben);
    await expect.poll(() => arrivalsOf(title, `${title}, edited`)).toEqual([{ title: `${title}, edited` }]);
  });

  it('remain requesters if the call runs again after an unknown outcome', async () => {
    const { id, callId, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} edited` })).result;
    await at.decide(approvalId, ben);
    await at.decide(approvalId, cleo);
    await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
    await at.asOwner(`update tool_calls set state = 'unsettled', code = null, reason = 'Lost.' where id = $1`, [
      callId,
    ]);
    const { fixture } = at;
    await fixture.get(CallsService).resolveOutcome(await fixture.principalOf(fixture.reviewer), callId, 'run_again');
    const [rerun] = await at.stepsOf(callId);
    expect(rerun).toMatchObject({ state: 'pending', round: 3 });
    expect(rerun.requesters).toContain(ann.id);
    await expect(at.decide(rerun.id, ann)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    expect((await shown(rerun.id, ben)).isEditable).toBe(false);
    expect((await edit(rerun.id, ben, { title: 'Something else' })).code).toBe('call-not-editable');
    await at.decide(rerun.id, ben);
    await at.decide(rerun.id, cleo);
    await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
    expect(await arrivalsOf(title)).toEqual([]);
  });

  it('have to approve a rerun even if the policies allow the edited arguments by then', async () => {
    const { fixture } = at;
    const { id, callId, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} edited`, priority: 'low' })).result;
    await at.decide(approvalId, ben);
    await at.decide(approvalId, cleo);
    await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
    await at.asOwner(`update tool_calls set state = 'unsettled', code = null, reason = 'Lost.' where id = $1`, [
      callId,
    ]);
    await fixture.publish(`permit (principal, ${createTicket}, resource) ${priorityIs('low')};`);
    try {
      await fixture.get(CallsService).resolveOutcome(await fixture.principalOf(fixture.reviewer), callId, 'run_again');
      expect(await call(callId)).toMatchObject({ state: 'awaiting_approval', steps: ['board'] });
      const [rerun] = await at.stepsOf(callId);
      await at.decide(rerun.id, ben);
      await at.decide(rerun.id, cleo);
      await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
    } finally {
      await fixture.publish(policies.join('\n'));
    }
  });

  it('find the approval of the edited call from the void one', async () => {
    const { id, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} edited` })).result;
    const query = 'query ($id: ID!) { approval(id: $id) { state successorId } }';
    const { data } = await (await at.fixture.organization.as(ben))(query, { id });
    expect(data.approval).toEqual({ state: 'void', successorId: approvalId });
    const browser = await at.fixture.organization.browser(ben);
    expect(await (await browser.fetch(`/approvals/${id}`)).text()).toContain(`href="/approvals/${approvalId}"`);
    const page = await (await browser.fetch(`/approvals/${approvalId}`)).text();
    expect(page).toContain('Edited by Ann First');
    expect(page).toContain(`${title} edited`);
  });
});

describe('Rule 7: an edit that is refused changes nothing', () => {
  const isUnchanged = async (id: string, callId: string) => {
    expect(await at.load(id)).toMatchObject({ state: 'pending' });
    expect((await call(callId)).editedBy).toEqual([]);
    expect((await at.eventsOf(callId)).map(({ kind }) => kind)).toEqual(['call.requested']);
  };

  it.each([
    ['text that is not JSON', '{"title": ', 'invalid-edit', '/input/arguments/title'],
    ['a duplicate key', '{"title": "one two", "title": "three"}', 'invalid-edit', '/input/arguments/title'],
    [
      'a value that the schema does not permit',
      { title: 'Fine', priority: 'soon' },
      'invalid-edit',
      '/input/arguments/priority',
    ],
    ['an argument that the tool does not have', { title: 'Fine', colour: 'red' }, 'invalid-edit', undefined],
  ])('rejects %s', async (_what, args, code, pointer) => {
    const { id, callId } = await at.request();
    const { code: got, errors } = await edit(id, ann, args);
    expect(got).toBe(code);
    const faults = errors![0].extensions.errors as { pointer: string }[];
    if (pointer) expect(faults.map((fault) => fault.pointer)).toContain(pointer);
    expect(faults.length).toBeGreaterThan(0);
    await isUnchanged(id, callId);
  });

  it('rejects the same arguments in another order', async () => {
    const title = 'Same arguments';
    const outcome = await at.fixture.call('create_ticket', { title, priority: 'low' });
    if (outcome.state !== 'awaiting_approval') throw new Error(outcome.state);
    expect((await edit(outcome.approvalId, ann, `{ "priority": "low", "title": "${title}" }`)).code).toBe(
      'invalid-edit',
    );
    await isUnchanged(outcome.approvalId, outcome.callId);
  });

  it('rejects arguments that are not the ones the editor saw', async () => {
    const { id, callId, title } = await at.request();
    const hashes = { argumentsHash: 'a'.repeat(64) };
    expect((await edit(id, ann, { title: `${title} x` }, hashes)).code).toBe('not-as-shown');
    await isUnchanged(id, callId);
  });

  it('rejects members who cannot decide, and requesters', async () => {
    const { id, callId, title } = await at.request();
    expect((await edit(id, at.fixture.reviewer, { title: `${title} x` })).code).toBe('not-yours-to-decide');
    expect((await edit(id, at.fixture.organization.admin, { title: `${title} x` })).code).toBe('not-yours-to-decide');
    await isUnchanged(id, callId);
  });

  it('rejects an edit if the step does not allow it', async () => {
    await at.fixture.publish('@approval("closed") permit (principal, action in Action::"write", resource);');
    try {
      const { id, callId, title } = await at.request();
      expect(await shown(id, ann)).toMatchObject({ isEditable: false });
      expect((await edit(id, ann, { title: `${title} x` })).code).toBe('call-not-editable');
      await isUnchanged(id, callId);
    } finally {
      await at.fixture.publish(policies.join('\n'));
    }
  });

  it('rejects an edit in tier "confirm" when the step is saved', async () => {
    expect((await at.saveStep({ name: 'own', tier: 'confirm', allowsEdit: true })).code).toBe('invalid-request');
  });

  it('rejects an edit without a session', async () => {
    const { id } = await at.request();
    const query = 'mutation ($input: EditCallInput!) { editCall(input: $input) { state } }';
    const input = { approvalId: id, arguments: '{}', argumentsHash: 'aa', definitionHash: 'bb' };
    expect((await at.fixture.organization.withToken(at.fixture.key)(query, { input })).code).toBe('unauthenticated');
  });
});

describe('Rule 7: nothing runs with the old arguments', () => {
  it('if a member votes while another one edits', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, callId, title } = await at.request();
      await at.decide(id, ben);
      const [edited, vote] = await Promise.allSettled([
        edit(id, ann, { title: `${title} edited` }),
        at.decide(id, cleo),
      ]);
      const answer = edited.status === 'fulfilled' ? edited.value : null;
      if (answer?.result) {
        // the edit was first: the vote came too late, or counted for the first version, which is void
        expect(vote.status).toBe('rejected');
        expect(await at.load(id)).toMatchObject({ state: 'void' });
        expect(await arrivalsOf(title)).toEqual([]);
        const { approvalId } = answer.result;
        await at.decide(approvalId, ben);
        await at.decide(approvalId, cleo);
        await expect.poll(() => arrivalsOf(title, `${title} edited`)).toEqual([{ title: `${title} edited` }]);
      } else {
        expect(answer?.code).toBe('approval-decided');
        await expect.poll(() => arrivalsOf(title, `${title} edited`)).toEqual([{ title }]);
        expect((await call(callId)).editedBy).toEqual([]);
      }
    }
  });

  it('if two members edit at the same time: one edit counts', async () => {
    const { id, callId, title } = await at.request();
    const answers = await Promise.all([edit(id, ann, { title: `${title} a` }), edit(id, ben, { title: `${title} b` })]);
    const [saved] = answers.flatMap(({ result }) => result ?? []);
    expect(answers.flatMap(({ code }) => code ?? [])).toEqual(['approval-decided']);
    expect((await call(callId)).editedBy).toHaveLength(1);
    expect((await call(callId)).argumentsHash!.toString('hex')).toBe(saved.argumentsHash);
    const versions = await at.inTenant((tx) =>
      runSql(tx, 'select version from call_versions where call_id = $1', [callId]),
    );
    expect(versions).toHaveLength(1);
  });

  it('if a policy is published while a member edits', async () => {
    const { fixture } = at;
    const { id, callId, title } = await at.request();
    const strict = `@approval("security") permit (principal, ${createTicket}, resource);`;
    try {
      await Promise.all([edit(id, ann, { title: `${title} edited` }), fixture.publish(strict)]);
      // the call waits for what the new policies require, or is denied
      const { state, steps } = await call(callId);
      expect([state, steps]).toEqual(state === 'denied' ? ['denied', ['board']] : ['awaiting_approval', ['security']]);
      const open = (await at.stepsOf(callId)).filter((one) => one.state === 'pending');
      for (const approval of open) expect(approval.stepName).toBe('security');
      expect(await arrivalsOf(title, `${title} edited`)).toEqual([]);
    } finally {
      await fixture.publish(policies.join('\n'));
    }
  });

  it('if the definition of the tool changes before or after the edit', async () => {
    const change = (callId: string) =>
      at.asOwner(`update tool_calls set definition_hash = repeat('0', 64) where id = $1`, [callId]);
    const before = await at.request();
    await change(before.callId);
    const { code } = await edit(before.id, ann, { title: `${before.title} edited` });
    expect(code).toBe('call-not-editable');
    const after = await at.request();
    const { approvalId } = (await edit(after.id, ann, { title: `${after.title} edited` })).result;
    await at.decide(approvalId, ben);
    await change(after.callId);
    await at.decide(approvalId, cleo);
    expect(await at.load(approvalId)).toMatchObject({ state: 'void' });
    expect(await call(after.callId)).toMatchObject({ state: 'denied' });
    expect(await arrivalsOf(after.title, `${after.title} edited`)).toEqual([]);
  });

  it('after the approval has expired', async () => {
    const { id, callId, title } = await at.request();
    await at.letExpire(id);
    expect((await edit(id, ann, { title: `${title} late` })).code).toBe('approval-decided');
    await at.letExpireNow(id);
    expect((await edit(id, ann, { title: `${title} late` })).code).toBe('approval-decided');
    expect(await call(callId)).toMatchObject({ state: 'denied', code: 'approval-expired', editedBy: [] });
  });

  it('after the caller withdrew the call', async () => {
    const { id, callId, title } = await at.request();
    await at.fixture.get(OwnCallsService).withdraw(at.fixture.agent, callId);
    expect((await edit(id, ann, { title: `${title} late` })).code).toBe('approval-decided');
    expect(await call(callId)).toMatchObject({ state: 'denied', code: 'withdrawn', editedBy: [] });
  });

  it('after the edited call was withdrawn', async () => {
    const { id, callId, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} edited` })).result;
    await at.fixture.get(OwnCallsService).withdraw(at.fixture.agent, callId);
    await expect(at.decide(approvalId, ben)).rejects.toMatchObject({ code: 'approval-decided' });
    expect(await arrivalsOf(title, `${title} edited`)).toEqual([]);
  });

  it('if the caller repeats a read whose process died', async () => {
    await at.fixture.publish('@approval("board") permit (principal, action in Action::"read", resource);');
    try {
      const read = () => at.fixture.call('list_tickets', { words: 'as requested' });
      const outcome = await read();
      if (outcome.state !== 'awaiting_approval') throw new Error(outcome.state);
      const { callId } = outcome;
      const { approvalId } = (await edit(outcome.approvalId, ann, { words: 'as edited' })).result;
      await at.decide(approvalId, ben);
      await at.decide(approvalId, cleo);
      await expect.poll(async () => (await call(callId)).state).toBe('succeeded');
      await at.asOwner(
        `update tool_calls set state = 'executing', ended_at = null, executing_until = now() - interval '1 second' where id = $1`,
        [callId],
      );
      expect(await read()).toMatchObject({ callId, state: 'succeeded', edit: { editedBy: ['Ann First'] } });
      expect((await call(callId)).attempts).toBe(2);
      const words = (await at.workplace.arrivals()).map(({ arguments: args }) => (args as { words?: string }).words);
      expect(words.filter(Boolean)).toEqual(['as edited', 'as edited']);
    } finally {
      await at.fixture.publish(policies.join('\n'));
    }
  });

  it('if the row gets back the arguments that an edit replaced', async () => {
    const { id, callId, title } = await at.request();
    const { approvalId } = (await edit(id, ann, { title: `${title} edited` })).result;
    await at.decide(approvalId, ben);
    await at.asOwner(
      `update tool_calls c set arguments_sealed = v.arguments_sealed, arguments_hash = v.arguments_hash
       from call_versions v where v.call_id = c.id and c.id = $1`,
      [callId],
    );
    const decided = await at.decide(approvalId, cleo);
    expect(decided).toMatchObject({ state: 'void' });
    expect(await arrivalsOf(title, `${title} edited`)).toEqual([]);
  });
});

it('removes the replaced arguments together with the call', async () => {
  const { id, callId, title } = await at.request();
  await edit(id, ann, { title: `${title} edited` });
  const versions = () =>
    at.inTenant((tx) => runSql(tx, 'select version from call_versions where call_id = $1', [callId]));
  expect(await versions()).toHaveLength(1);
  await at.fixture.get(OwnCallsService).withdraw(at.fixture.agent, callId);
  await at.asOwner(`update tool_calls set ended_at = now() - interval '900 days' where id = $1`, [callId]);
  await at.fixture.getInternal(BackgroundCallRunner).sweepOld();
  expect(await versions()).toHaveLength(0);
});

describe('the task of an edited call', () => {
  const titled = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });

  async function taskWithApproval(title: string) {
    const wire = wireOf(at.fixture, at.server.url);
    const task = newTaskId();
    await wire.send(task, titled(title));
    const waiting = await wire.until(task, 'input-required');
    return { wire, task, approvalId: (waiting.status.metadata as { approvalId: string }).approvalId };
  }

  it('gets the edited arguments and the editor in its receipt', async () => {
    const { wire, task, approvalId } = await taskWithApproval('Receipt of an edit');
    const edited = (await edit(approvalId, ann, { title: 'Receipt, edited' })).result.approvalId;
    await at.decide(edited, ben);
    await at.decide(edited, cleo);
    const done = await wire.until(task, 'completed');
    expect(JSON.stringify(done.artifacts)).toContain(JSON.stringify({ title: 'Receipt, edited' }));
    expect(done.artifacts!.flatMap(({ parts }) => parts)).toContainEqual({
      data: expect.objectContaining({
        kind: 'receipt',
        calls: [
          expect.objectContaining({
            arguments: { title: 'Receipt, edited' },
            requested: { title: 'Receipt of an edit' },
            editedBy: ['Ann First'],
            outcome: 'succeeded',
          }),
        ],
      }) as unknown,
    });
    expect(await arrivalsOf('Receipt of an edit', 'Receipt, edited')).toEqual([{ title: 'Receipt, edited' }]);
  });

  it('cannot be edited after the task was canceled', async () => {
    const { wire, task, approvalId } = await taskWithApproval('Canceled before the edit');
    await wire.call('POST', `/tasks/${task}/cancel`);
    expect((await edit(approvalId, ann, { title: 'Too late' })).code).toBe('approval-decided');
    expect(await arrivalsOf('Canceled before the edit', 'Too late')).toEqual([]);
  });
});

describe('the approvers of an edited call', () => {
  it('do not include members whose account the editor could use', async () => {
    const { id, title } = await at.request();
    await recordSignInProvider(at.fixture, ann, cleo);
    const { code } = await edit(id, ann, { title: `${title} x` });
    expect(code).toBe('edit-unreachable');
    expect((await edit(id, ben, { title: `${title} y` })).result).toMatchObject({ state: 'awaiting_approval' });
  });
});
