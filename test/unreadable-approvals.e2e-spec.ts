import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';

/* The stored arguments of a call are damaged, or were encrypted with a master key that is lost. */

let at: ApprovalsFixture;
let ask: GraphqlRequest;
let readable: string;
let unreadable: string;

const inbox = `{ approvals(isPending: true, first: 10) { nodes {
  id tool viewerCanDecide call { title effect caller arguments argumentsHash definitionHash edits { changes { pointer } } } } } }`;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  await at.fixture.publish('@approval("review") permit (principal, action, resource);');
  readable = await request('Readable');
  unreadable = await request('Unreadable');
  await at.asOwner(
    `update tool_calls set arguments_sealed = '\\x00' where id = (select call_id from approvals where id = $1)`,
    [unreadable],
  );
  ask = await at.fixture.organization.as(at.fixture.reviewer);
});
afterAll(() => at.close());

async function request(title: string): Promise<string> {
  const outcome = await at.fixture.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
}

interface ListedApproval {
  id: string;
  call: { title: string; arguments: string | null; argumentsHash: string; definitionHash: string };
}
async function listed(id: string): Promise<ListedApproval> {
  const { data, errors } = await ask(inbox);
  expect(errors).toBeUndefined();
  return (data.approvals.nodes as ListedApproval[]).find((node) => node.id === id)!;
}

it('is listed without its arguments beside the other approvals', async () => {
  expect(await listed(readable)).toMatchObject({ call: { arguments: '{"title":"Readable"}' } });
  const { call } = await listed(unreadable);
  expect(call).toMatchObject({ arguments: null, edits: [] });
  expect(call.title).toBe((await listed(readable)).call.title);
});

it('cannot be approved with its hashes, and no view of it is recorded', async () => {
  const { argumentsHash, definitionHash } = (await listed(unreadable)).call;
  const decided = await ask('mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }', {
    input: { id: unreadable, decision: 'approve', argumentsHash, definitionHash },
  });
  expect(decided.code).toBe('arguments-unreadable');
  const view = 'mutation ($input: RecordApprovalViewInput!) { recordApprovalView(input: $input) }';
  expect((await ask(view, { input: { id: unreadable, argumentsHash } })).code).toBe('arguments-unreadable');
});

it('can be denied on the page without JavaScript, which offers nothing else', async () => {
  const browser = await at.fixture.organization.browser(at.fixture.reviewer);
  const path = `/approvals/${unreadable}`;
  const page = await (await browser.fetch(path)).text();
  expect(page).toContain("The arguments can't be decrypted");
  expect(page).not.toContain('value="approve"');
  const denied = await browser.submit(path, { reason: 'No one can read it.' });
  expect(denied.status).toBe(303);
  expect(await (await browser.fetch(path)).text()).toContain('No one can read it.');
});
