import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallsService } from '../src/gate/calls.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { holdTask } from './kit/held-task.js';
import { anOrganization, type GraphqlRequest } from './kit/organization.js';

/* Wrong input to everything that decides, edits or revokes: an error with a code, and nothing changes. */

const mutations = {
  decideApproval: 'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }',
  requestApprovalPasskey:
    'mutation ($input: RequestApprovalPasskeyInput!) { requestApprovalPasskey(input: $input) { options } }',
  editCall: 'mutation ($input: EditCallInput!) { editCall(input: $input) { state } }',
  overrideApproval: 'mutation ($input: OverrideApprovalInput!) { overrideApproval(input: $input) { state } }',
  previewCallEdit: 'query ($input: EditCallInput!) { previewCallEdit(input: $input) { state } }',
};
type Mutation = keyof typeof mutations;
const revoke = 'mutation ($id: ID!) { revokeTaskGrant(id: $id) { state } }';

let at: ApprovalsFixture;
let rita: GraphqlRequest;
/** An administrator of another organization. */
let stranger: GraphqlRequest;
let approvalId: string;
let callId: string;
let hashes: { argumentsHash: string; definitionHash: string };
let grantId: string;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture, server } = at;
  await at.saveStep({ name: 'review', quorum: 2, allowsEdit: true, taskGrantMaxUses: 5 });
  const ron = await fixture.organization.member({ name: 'Ron Reviewer', roles: ['admin'] });
  await at.publish('review');
  rita = await fixture.organization.as(fixture.reviewer);
  const other = await anOrganization(server);
  stranger = await other.as();
  const task = await holdTask(fixture);
  const outcome = await fixture.call('create_ticket', { title: 'Wrong input', project: 'LAN' }, { task });
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  ({ approvalId, callId } = outcome);
  const query = 'query ($id: ID!) { approval(id: $id) { call { argumentsHash definitionHash } } }';
  hashes = (await rita(query, { id: approvalId })).data.approval.call;
  const taskGrant = { equalArguments: ['project'], maxUses: 2, expiresAfterSeconds: 3600 };
  const input = { id: approvalId, decision: 'approve', ...hashes, taskGrant };
  expect((await (await fixture.organization.as(ron))(mutations.decideApproval, { input })).errors).toBeUndefined();
  const proposed = await rita('query ($id: ID!) { approval(id: $id) { taskGrant { id } } }', { id: approvalId });
  grantId = proposed.data.approval.taskGrant.id;
});
afterAll(() => at.close());

async function facts() {
  const [call, approval, events, grant] = await Promise.all([
    at.fixture.get(CallsService).get(at.fixture.organization.system, callId),
    at.load(approvalId),
    at.eventsOf(callId),
    at.eventsOf(grantId),
  ]);
  return { call, approval, kinds: [...events, ...grant].map(({ kind }) => kind) };
}

/** The refusals, and nothing else. */
async function codesOf(
  requests: (() => Promise<{ code?: string; data?: unknown }>)[],
): Promise<(string | undefined)[]> {
  const before = await facts();
  const codes: (string | undefined)[] = [];
  for (const request of requests) codes.push((await request()).code);
  expect(await facts()).toEqual(before);
  return codes;
}

const validInputs = (id: string): Record<Mutation, object> => ({
  decideApproval: { id, decision: 'approve', ...hashes },
  requestApprovalPasskey: { id, decision: 'approve', ...hashes },
  editCall: { approvalId: id, arguments: '{"title":"Edited input"}', ...hashes },
  previewCallEdit: { approvalId: id, arguments: '{"title":"Edited input"}', ...hashes },
  overrideApproval: { id, reason: 'It burns.', ...hashes },
});
const names = Object.keys(mutations) as Mutation[];

describe('ids', () => {
  it.each(names)('that are none or that nobody has, of %s', async (name) => {
    const send = (id: string) => () => rita(mutations[name], { input: validInputs(id)[name] });
    const codes = await codesOf([
      send('x'),
      send(''),
      send(`${approvalId} `),
      send('\u0000'),
      send(newId()),
      send(callId),
    ]);
    expect(codes).toEqual([...Array<string>(4).fill('invalid-request'), 'approval-not-found', 'approval-not-found']);
  });

  it.each(names)('of another organization, of %s', async (name) => {
    const input = validInputs(approvalId)[name];
    expect(await codesOf([() => stranger(mutations[name], { input })])).toEqual(['approval-not-found']);
  });

  it('of a task grant', async () => {
    const send = (ask: GraphqlRequest, id: string) => () => ask(revoke, { id });
    const codes = await codesOf([
      ...['x', '', '\u0000', newId(), callId, approvalId].map((id) => send(rita, id)),
      send(stranger, grantId),
    ]);
    for (const code of codes) expect(code).toMatch(/^(task-grant-not-found|invalid-request)$/);
    expect(codes.at(-1)).toBe('task-grant-not-found');
  });
});

/** Huge values are shortened in the title of the test. */
const labeled = <A, C>([name, change, expected]: [A, object, C]): [A, string, object, C] => [
  name,
  JSON.stringify(change).slice(0, 60),
  change,
  expected,
];

describe('values', () => {
  const huge = 'a'.repeat(70_000);
  const wrong: [Mutation, object, string | RegExp][] = [
    ['decideApproval', { decision: 'maybe' }, /./],
    ['decideApproval', { argumentsHash: 'not hexadecimal' }, 'invalid-request'],
    ['decideApproval', { argumentsHash: huge }, 'not-as-shown'],
    ['decideApproval', { argumentsHash: undefined }, 'not-as-shown'],
    ['decideApproval', { definitionHash: null }, 'not-as-shown'],
    ['decideApproval', { decision: 'deny', reason: huge }, 'invalid-request'],
    ['decideApproval', { decision: 'deny', reason: '   ' }, 'reason-required'],
    ['decideApproval', { decision: 'deny', reason: 'a\u0000b' }, 'reason-required'],
    ['decideApproval', { passkeyResponse: huge }, 'invalid-request'],
    ['decideApproval', { passkeyResponse: '{' }, 'approval-passkey-refused'],
    ['requestApprovalPasskey', {}, 'approval-passkey-refused'],
    ['editCall', { arguments: '' }, 'invalid-edit'],
    ['editCall', { arguments: 'null' }, 'invalid-edit'],
    ['editCall', { arguments: '{"title":"a\\u0000b"}' }, 'invalid-edit'],
    ['editCall', { arguments: '{"title":"\\ud800abc"}' }, 'invalid-edit'],
    ['editCall', { arguments: '{"title":"abc","__entity":1}' }, 'invalid-edit'],
    ['editCall', { arguments: '{"title":"abc","__proto__":{"project":"LAN"}}' }, 'invalid-edit'],
    ['editCall', { arguments: `{"title":"${huge}"}` }, 'invalid-edit'],
    ['editCall', { arguments: '['.repeat(20_000) }, 'invalid-edit'],
    ['editCall', { arguments: '{"title":"Wrong input","project":"LAN"}' }, 'invalid-edit'],
    ['editCall', { definitionHash: 'a'.repeat(64) }, 'not-as-shown'],
    ['editCall', { definitionHash: 'x' }, 'invalid-request'],
    ['overrideApproval', { reason: huge }, 'invalid-request'],
    ['overrideApproval', { reason: ' ' }, 'reason-required'],
    ['overrideApproval', {}, 'override-refused'],
  ];
  it.each(wrong.map(labeled))('of %s with %s', async (name, _label, change, expected) => {
    const input = { ...validInputs(approvalId)[name], ...change };
    const [code] = await codesOf([() => rita(mutations[name], { input })]);
    if (typeof expected === 'string') expect(code).toBe(expected);
    else expect(code).toMatch(expected);
    expect(code).not.toBe('internal-error');
  });

  const wrongTerms: [string, object, string][] = [
    ['terms', { maxUses: 0 }, 'invalid-request'],
    ['terms', { maxUses: 101 }, 'invalid-request'],
    ['terms', { maxUses: -1 }, 'invalid-request'],
    ['terms', { expiresAfterSeconds: 59 }, 'invalid-request'],
    ['terms', { expiresAfterSeconds: 86_401 }, 'invalid-request'],
    ['terms', { equalArguments: ['a'.repeat(201)] }, 'invalid-request'],
    ['terms', { equalArguments: Array<string>(201).fill('project') }, 'invalid-request'],
    ['terms', { equalArguments: ['__proto__'] }, 'task-grant-not-as-shown'],
    ['terms', { equalArguments: ['project', 'title'] }, 'task-grant-not-as-shown'],
    ['terms', { equalArguments: ['project\u0000'] }, 'task-grant-not-as-shown'],
    ['terms', { maxUses: 5 }, 'task-grant-not-as-shown'],
  ];
  it.each(wrongTerms.map(labeled))('of %s of a task grant with %s', async (_terms, _label, change, expected) => {
    const taskGrant = { equalArguments: ['project'], maxUses: 2, expiresAfterSeconds: 3600, ...change };
    const input = { ...validInputs(approvalId).decideApproval, taskGrant };
    expect(await codesOf([() => rita(mutations.decideApproval, { input })])).toEqual([expected]);
  });
});
