import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalStepChangesService } from '../src/approvals/approval-step-changes.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { SlackMessageClosingService } from '../src/slack/slack-message-closing.service.js';
import { SlackRefusalsService } from '../src/slack/slack-refusals.service.js';
import type { GraphqlRequest } from './kit/organization.js';
import { GateFixture } from './kit/gate-fixture.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import {
  clickOn,
  reportedBlocks,
  signedSlackRequest,
  type SlackMessage,
  slackSigningSecret,
  submissionOf,
  TestSlackServer,
} from './kit/slack-server.js';
import { Workplace } from './kit/workplace.js';

/* Rule 11 of governance: decisions in Slack, where the identity was linked in a session and everything else matches. */

let server: TestServer;
let workplace: Workplace;
let slack: TestSlackServer;
let fixture: GateFixture;

const patient = { timeout: 120_000, interval: 100 };
const rita = 'URITA';

beforeAll(async () => {
  [workplace, slack] = await Promise.all([Workplace.start(), TestSlackServer.start()]);
  server = await testServer({
    SLACK_API_URL: slack.url,
    NOTIFICATION_DIGEST_SECONDS: '0',
    NOTIFICATION_RETRY_SECONDS: '1',
  });
  fixture = await organizationWithSlack();
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), slack.close()]);
});
beforeEach(() => {
  slack.ephemeral.length = 0;
  slack.views.length = 0;
});

/** The reviewer adds the app: the other administrator makes the calls. */
async function organizationWithSlack(): Promise<GateFixture> {
  const created = await GateFixture.create(server, workplace);
  await addApp(created, created.reviewer);
  await allowSlack(created);
  return created;
}
const addChannel = `mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { channel { id } } }`;
async function addApp(at: GateFixture, by: Member, more: object = {}): Promise<string> {
  const admin = await at.organization.as(by);
  const app = { name: 'Slack', kind: 'slack', token: 'xoxb-test', slackChannel: 'C1', sendsDirectMessages: true };
  const input = { ...app, kinds: ['approval_requested'], slackSigningSecret, ...more };
  const { data, errors } = await admin(addChannel, { input });
  expect(errors).toBeUndefined();
  return data.createNotificationChannel.channel.id as string;
}
const removeChannel = `mutation ($input: RemoveNotificationChannelInput!) { removeNotificationChannel(input: $input) { id } }`;
async function removeApp(at: GateFixture, channelId: string): Promise<void> {
  const admin = await at.organization.as(at.reviewer);
  expect((await admin(removeChannel, { input: { channelId } })).errors).toBeUndefined();
}
const allowSlack = async (at: GateFixture, decidableInSlack = true, name = 'review') =>
  at.get(ApprovalStepChangesService).save(await at.principalOf(at.reviewer), {
    name,
    tier: 'review',
    quorum: 1,
    position: 1,
    expiresAfterSeconds: 3600,
    decidableInSlack,
  });

const requestLink = 'mutation { requestSlackLink { isAvailable } }';
const confirmLink = `mutation ($input: LinkSlackAccountInput!) { linkSlackAccount(input: $input) { slackUserId } }`;
const codeSentTo = (user: string) => {
  const sent = slack.messages.filter(({ channel }) => channel === user.replace(/^U/, 'D'));
  return /Code: (\w{8})/.exec(sent.map((message) => slack.textOf(message)).at(-1) ?? '')?.[1] ?? '';
};
async function link(member: Member, user: string, at = fixture): Promise<GraphqlRequest> {
  slack.users.set(member.email, user);
  const as = await at.organization.as(member);
  expect((await as(requestLink)).errors).toBeUndefined();
  const { data } = await as(confirmLink, { input: { code: codeSentTo(user) } });
  expect(data.linkSlackAccount).toEqual({ slackUserId: user });
  return as;
}

interface AskedCall {
  id: string;
  callId: string;
  message: SlackMessage;
}
let count = 0;
async function request(args: object, at = fixture, tool = 'create_ticket') {
  const outcome = await at.call(tool, args);
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return { id: outcome.approvalId, callId: outcome.callId };
}
const messageWith = async (text: string): Promise<SlackMessage> => {
  const find = () =>
    slack.messages.find(
      (message) => slack.textOf(message).includes(text) || JSON.stringify(message.blocks).includes(text),
    );
  await expect.poll(find, patient).toBeDefined();
  return find()!;
};
/** A call that waits for approval, and its message in the channel. */
async function ask(at = fixture): Promise<AskedCall> {
  const title = `Gripper ${++count} lets go.`;
  const requested = await request({ title }, at);
  const message = await messageWith(title);
  // the server stores the message after Slack has accepted it
  const stored = 'select id from slack_decision_messages where approval_id = $1 and ts = $2';
  await expect.poll(() => sql(stored, [requested.id, message.ts], at), patient).toHaveLength(1);
  return { ...requested, message };
}
const post = (payload: object, options: Parameters<typeof signedSlackRequest>[1] = {}, at = fixture) =>
  fetch(`${server.url}/slack/${at.organization.tenant.id}`, signedSlackRequest(payload, options));
const inTenant = <T>(work: Parameters<DatabaseService['tenant']>[1], at = fixture) =>
  at.get(DatabaseService).tenant(at.organization.system, work) as Promise<T>;
const approvalOf = (id: string, at = fixture) =>
  inTenant<Approval>((tx) => tx.findOneByOrFail(Approval, { tenantId: at.organization.tenant.id, id }), at);
const callOf = (id: string, at = fixture) =>
  inTenant<ToolCall>((tx) => tx.findOneByOrFail(ToolCall, { tenantId: at.organization.tenant.id, id }), at);
const sql = (text: string, values: unknown[], at = fixture) => inTenant<object[]>((tx) => runSql(tx, text, values), at);
const eventsOf = async (id: string, at = fixture) =>
  (await at.get(AuditLogService).list(at.organization.system, { first: 200 })).nodes.filter(
    ({ subject }) => (subject as { id?: string } | null)?.id === id,
  );
const expectAllSent = (at = fixture) =>
  expect.poll(() => sql(`select id from notification_deliveries where state = 'sending'`, [], at), patient).toEqual([]);
const hasButtons = ({ blocks }: SlackMessage) => blocks.some(({ type }) => type === 'actions');

async function expectNothingRan({ id, callId }: AskedCall, at = fixture) {
  expect(await approvalOf(id, at)).toMatchObject({ state: 'pending', approvedBy: [] });
  expect(await callOf(callId, at)).toMatchObject({ state: 'awaiting_approval', attempts: 0 });
}
/** The person who clicked gets a short answer that only they see. */
async function expectAnswer(response: Response, words: string | RegExp) {
  expect(response.status).toBe(200);
  await expect.poll(() => slack.ephemeral.map(({ text }) => text).join('\n'), patient).toMatch(words);
}

describe('a member links their Slack account', () => {
  it('in a session with a recent sign-in, with the code that the account received', async () => {
    const { reviewer } = fixture;
    slack.users.set(reviewer.email, rita);
    const stale = await fixture.organization.as(reviewer, { isFresh: false });
    expect((await stale(requestLink)).code).toBe('reauthentication-required');
    const as = await fixture.organization.as(reviewer);
    await as(requestLink);
    const code = codeSentTo(rita);
    expect(code).toHaveLength(8);
    const elsewhere = await fixture.organization.as(reviewer);
    expect((await elsewhere(confirmLink, { input: { code } })).code).toBe('slack-link-refused');
    expect((await as(confirmLink, { input: { code: 'AAAAAAAA' } })).code).toBe('slack-link-refused');
    expect((await as(confirmLink, { input: { code: code.toLowerCase() } })).data.linkSlackAccount).toEqual({
      slackUserId: rita,
    });
    expect((await as(confirmLink, { input: { code } })).code).toBe('slack-link-refused'); // once
    expect((await eventsOf(reviewer.id)).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['member.slack_code_sent', 'member.slack_linked']),
    );
  });

  it('not after five wrong codes, and not an account that another member linked', async () => {
    const other = await fixture.organization.member({ name: 'Olga Other' });
    slack.users.set(other.email, rita);
    const as = await fixture.organization.as(other);
    await as(requestLink);
    for (let attempt = 0; attempt < 5; attempt++) await as(confirmLink, { input: { code: 'AAAAAAAA' } });
    expect((await as(confirmLink, { input: { code: codeSentTo(rita) } })).code).toBe('slack-link-refused');
    await as(requestLink);
    expect((await as(confirmLink, { input: { code: codeSentTo(rita) } })).code).toBe('slack-link-refused');
    expect((await as('{ slackAccount { slackUserId } }')).data.slackAccount.slackUserId).toBeNull();
  });
});

describe('a linked member', () => {
  it('approves with the button of a message that shows every argument', async () => {
    const { id, callId, message } = await ask();
    const text = slack.textOf(message);
    for (const words of ['workplace__create_ticket (write)', `Gripper ${count} lets go.`, `Address: ${workplace.url}`])
      expect(text).toContain(words);
    const answer = await post(clickOn(message, { user: rita }));
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(await approvalOf(id)).toMatchObject({
      state: 'approved',
      decidedBy: fixture.reviewer.id,
      decidedInSlack: true,
    });
    await expect.poll(async () => (await callOf(callId)).state, patient).toBe('succeeded');
    expect((await eventsOf(id)).find(({ kind }) => kind === 'approval.approved')).toMatchObject({
      detail: { decidedIn: 'slack' },
    });
    await expect.poll(() => slack.textOf(message), patient).toContain('Approved by “Rita Reviewer” in Slack');
    expect(hasButtons(message)).toBe(false);
    const page = await (await fixture.organization.browser(fixture.reviewer)).fetch(`/approvals/${id}`);
    expect(await page.text()).toMatch(/by\s+Rita Reviewer, in Slack/);
  });

  it('denies with a reason, which a dialog asks for', async () => {
    const asked = await ask();
    await post(clickOn(asked.message, { user: rita, action: 'deny' }));
    expect(slack.views).toHaveLength(1);
    const empty = await post(submissionOf(slack.views[0], rita, ' '));
    expect(await empty.json()).toMatchObject({ response_action: 'errors' });
    await expectNothingRan(asked);
    expect((await post(submissionOf(slack.views[0], rita, 'Not on Mondays.'))).status).toBe(200);
    expect(await approvalOf(asked.id)).toMatchObject({
      state: 'denied',
      reason: 'Not on Mondays.',
      decidedInSlack: true,
    });
    await expect.poll(() => slack.textOf(asked.message), patient).toContain('Denied by “Rita Reviewer” in Slack');
  });

  it('sees the message change when somebody decides in the console', async () => {
    const { id, message } = await ask();
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), id, 'deny', 'No.');
    await expect.poll(() => slack.textOf(message), patient).toContain('Denied by “Rita Reviewer”: ');
    expect(hasButtons(message)).toBe(false);
  });

  it('decides in a direct message that was sent to them', async () => {
    const as = await fixture.organization.as(fixture.reviewer);
    const choose = `mutation ($input: UpdateNotificationPreferencesInput!) { updateNotificationPreferences(input: $input) { email } }`;
    await as(choose, { input: { email: [], directMessage: ['approval_requested'] } });
    const title = `Gripper ${++count} lets go.`;
    const { id } = await request({ title });
    const find = () =>
      slack.messages.find((message) => message.channel === 'DRITA' && slack.textOf(message).includes(title));
    await expect.poll(find, patient).toBeDefined();
    await as(choose, { input: { email: [], directMessage: [] } });
    await post(clickOn(find()!, { user: rita }));
    expect(await approvalOf(id)).toMatchObject({ state: 'approved', decidedInSlack: true });
  });

  it('gets the message although Slack limits the rate or fails at first', async () => {
    slack.faults.push(
      { method: 'chat.postMessage', fault: 'rate-limit' },
      { method: 'chat.postMessage', fault: 'refuse' },
    );
    const { message } = await ask();
    expect(hasButtons(message)).toBe(true);
    expect(slack.faults).toEqual([]);
  });

  it('gets the buttons only after the message is stored, and once, although Slack fails in between', async () => {
    slack.faults.push({ method: 'chat.update', fault: 'refuse' });
    const { id, message } = await ask();
    expect(hasButtons(message)).toBe(true);
    expect(hasButtons({ ...message, blocks: message.firstBlocks })).toBe(false);
    expect(slack.faults).toEqual([]);
    expect(slack.messages.filter((one) => JSON.stringify(one.blocks).includes(id))).toHaveLength(1);
  });
});

describe('the page, not Slack, is where members decide', () => {
  async function expectLinkOnly(id: string, at = fixture): Promise<void> {
    const message = await messageWith(`/approvals/${id}`);
    await expectAllSent(at);
    expect(hasButtons(message)).toBe(false);
  }

  it.each([
    ['do not fit', { title: 'Gripper', description: 'x'.repeat(3000) }],
    ['contain invisible characters', { title: 'Gripper\u200b lets go' }],
    ['contain bidirectional controls', { title: 'Gripper \u202eog stel' }],
    ['mix scripts', { title: 'Gripper', assignee: 'p\u0430ula' }],
  ])('on arguments that %s', async (_why, args) => {
    const { id } = await request(args);
    await expectLinkOnly(id);
  });

  it('on calls of a member who added the Slack app, and so knows its signing secret', async () => {
    const at = await GateFixture.create(server, workplace);
    await addApp(at, at.organization.admin);
    await allowSlack(at);
    const { id } = await request({ title: 'From the owner of the app' }, at);
    await expectLinkOnly(id, at);
  });

  const plainChannel = { slackSigningSecret: null, slackChannel: 'C9', kinds: ['tool_blocked'] };

  it('on calls of a member who added a plain channel with the same bot token, also after it was removed', async () => {
    const at = await organizationWithSlack();
    const channelId = await addApp(at, at.organization.admin, plainChannel);
    const { id } = await request({ title: 'From the owner of the token' }, at);
    await expectLinkOnly(id, at);
    await removeApp(at, channelId);
    const later = await request({ title: 'From a former owner of the token' }, at);
    await expectLinkOnly(later.id, at);
  });

  it('if nobody knows who entered the bot token, also after that channel was removed', async () => {
    const at = await organizationWithSlack();
    const channelId = await addApp(at, at.reviewer, plainChannel);
    await sql('update notification_channels set created_by = null where id = $1', [channelId], at);
    const { id } = await request({ title: 'Unknown owner of the token' }, at);
    await expectLinkOnly(id, at);
    await removeApp(at, channelId);
    const later = await request({ title: 'Unknown former owner of the token' }, at);
    await expectLinkOnly(later.id, at);
  });

  it('if a former member knows the signing secret', async () => {
    const at = await organizationWithSlack();
    const former = await at.organization.member({ name: 'Fay Former', roles: ['admin'] });
    const channelId = await addApp(at, former, { slackChannel: 'C9', kinds: ['tool_blocked'] });
    await removeApp(at, channelId);
    const before = await request({ title: 'While Fay is a member' }, at);
    expect(hasButtons(await messageWith('While Fay is a member'))).toBe(true);
    await at.suspend(former);
    const { id } = await request({ title: 'After Fay left' }, at);
    await expectLinkOnly(id, at);
    await link(at.reviewer, rita, at);
    const click = clickOn(await messageWith('While Fay is a member'), { user: rita });
    await expectAnswer(await post(click, {}, at), 'A former member knows the secrets of the Slack app');
    expect(await approvalOf(before.id, at)).toMatchObject({ state: 'pending' });
  });

  it('on calls that need several steps', async () => {
    const at = await organizationWithSlack();
    await allowSlack(at, true, 'second');
    await at.publish(
      '@id("one") @approval("review") permit (principal, action, resource); @id("two") @approval("second") permit (principal, action, resource);',
    );
    const { id } = await request({ title: 'Two steps' }, at);
    expect((await approvalOf(id, at)).stepCount).toBe(2);
    await expectLinkOnly(id, at);
  });

  it('on steps that do not allow Slack, which is the default', async () => {
    const at = await GateFixture.create(server, workplace);
    await addApp(at, at.reviewer);
    const { id } = await request({ title: 'No opt-in' }, at);
    await expectLinkOnly(id, at);
  });

  it('on steps that need several approvals', async () => {
    const admin = await fixture.organization.as(fixture.reviewer);
    const { code } = await admin(
      'mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }',
      {
        input: { name: 'two', tier: 'review', quorum: 2, decidableInSlack: true },
      },
    );
    expect(code).toBe('invalid-request');
  });
});

describe('Rule 11: in Slack, nothing is decided by', () => {
  beforeEach(async () => {
    fixture = await organizationWithSlack();
    await link(fixture.reviewer, rita);
  });

  it('a request with a forged signature, without one, or with another body', async () => {
    const asked = await ask();
    const payload = clickOn(asked.message, { user: rita });
    const address = `${server.url}/slack/${fixture.organization.tenant.id}`;
    const signed = signedSlackRequest(payload);
    const { 'x-slack-signature': _, ...unsigned } = signed.headers;
    const answers = [
      await post(payload, { secret: 'f'.repeat(32) }),
      await fetch(address, { ...signed, headers: unsigned }),
      await fetch(address, { ...signed, body: `${signed.body}&more=1` }),
      await fetch(address, { method: 'POST', headers: signed.headers, body: '' }),
      await fetch(`${server.url}/slack/nothing`, signed),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await answers[0].json()).toMatchObject({ code: 'slack-request-refused' });
    await expectNothingRan(asked);
  });

  it('a request that is older than five minutes or from the future', async () => {
    const asked = await ask();
    const payload = clickOn(asked.message, { user: rita });
    for (const ageSeconds of [310, -310]) expect((await post(payload, { ageSeconds })).status).toBe(401);
    await expectNothingRan(asked);
  });

  it('a replayed request, also at the same time', async () => {
    const asked = await ask();
    const signed = signedSlackRequest(clickOn(asked.message, { user: rita, action: 'deny' }));
    const address = `${server.url}/slack/${fixture.organization.tenant.id}`;
    const answers = await Promise.all([1, 2, 3].map(() => fetch(address, signed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await fetch(address, signed)).status).toBe(401);
    expect(slack.views).toHaveLength(1);
    await expectNothingRan(asked);
  });

  it('a person of another workspace', async () => {
    const asked = await ask();
    await expectAnswer(await post(clickOn(asked.message, { user: rita, team: 'T2' })), 'workspace');
    slack.ephemeral.length = 0;
    await expectAnswer(await post(clickOn(asked.message, { user: rita, userTeam: 'T2' })), 'workspace');
    await expectNothingRan(asked);
  });

  it('a Slack account that nobody linked', async () => {
    const asked = await ask();
    await expectAnswer(await post(clickOn(asked.message, { user: 'USTRANGER' })), 'Link your Slack account');
    await expectNothingRan(asked);
  });

  it('a requester of the call', async () => {
    await link(fixture.organization.admin, 'UADA');
    const asked = await ask();
    await expectAnswer(await post(clickOn(asked.message, { user: 'UADA' })), 'You requested this call');
    await expectNothingRan(asked);
  });

  it('a member who is suspended, removed their link, or cannot decide', async () => {
    const [suspended, unlinked] = await Promise.all(
      ['Sam Suspended', 'Ulla Unlinked'].map((name) => fixture.organization.member({ name, roles: ['admin'] })),
    );
    const plain = await fixture.organization.member({ name: 'Paul Plain' });
    await link(suspended, 'USAM');
    const ulla = await link(unlinked, 'UULLA');
    await link(plain, 'UPAUL');
    const asked = await ask();
    await ulla('mutation { unlinkSlackAccount { slackUserId } }');
    await expectAnswer(await post(clickOn(asked.message, { user: 'UULLA' })), 'Link your Slack account');
    slack.ephemeral.length = 0;
    await expectAnswer(
      await post(clickOn(asked.message, { user: 'UPAUL' })),
      /No such approval|not an active approver/,
    );
    slack.ephemeral.length = 0;
    await fixture.suspend(suspended);
    await expectAnswer(await post(clickOn(asked.message, { user: 'USAM' })), 'Link your Slack account');
    await expectNothingRan(asked);
  });

  it('a click on another message, or on the same place in another organization', async () => {
    const [asked, other] = [await ask(), await ask()];
    const [{ channel, ts }] = [other.message];
    await expectAnswer(await post(clickOn(asked.message, { user: rita, channel, ts })), 'not the ones');
    for (const place of [{ ts: '1600000000.000001' }, { channel: 'C2' }]) {
      slack.ephemeral.length = 0;
      await expectAnswer(await post(clickOn(asked.message, { user: rita, ...place })), 'does not request a decision');
    }
    const elsewhere = await organizationWithSlack();
    await link(elsewhere.reviewer, rita, elsewhere);
    slack.ephemeral.length = 0;
    await expectAnswer(
      await post(clickOn(asked.message, { user: rita }), {}, elsewhere),
      'does not request a decision',
    );
    await expectNothingRan(asked);
    await expectNothingRan(other);
  });

  it('a click with another hash of the arguments, even if our record of the message had it', async () => {
    const asked = await ask();
    const value = '0'.repeat(64);
    await expectAnswer(await post(clickOn(asked.message, { user: rita, value })), 'not the ones');
    await sql('update slack_decision_messages set arguments_hash = $1 where approval_id = $2', [value, asked.id]);
    slack.ephemeral.length = 0;
    await expectAnswer(await post(clickOn(asked.message, { user: rita, value })), 'The call is not the one');
    await expectNothingRan(asked);
  });

  it('a click on a message that was changed with the bot token', async () => {
    const asked = await ask();
    const [facts, definition, values, buttons, link] = asked.message.blocks;
    const harmless = { ...values, text: { ...values.text, text: 'Arguments:\n{ "title": "Harmless" }' } };
    const swapped = { ...buttons, elements: buttons.elements!.map((one) => ({ ...one, text: { text: 'Deny' } })) };
    const changed = [
      [facts, definition, harmless, buttons, link],
      [facts, definition, values, swapped, link],
      [facts, definition, values, buttons],
      [{ type: 'section', text: { text: 'A test.' } }, ...asked.message.blocks],
      [],
    ];
    const reports: object[] = changed.map((blocks) => ({ blocks: reportedBlocks(blocks) }));
    reports.push({}, { blocks: reportedBlocks(asked.message.blocks), attachments: [{ text: 'A test.' }] });
    for (const shown of reports) {
      slack.ephemeral.length = 0;
      await expectAnswer(await post(clickOn(asked.message, { user: rita, shown })), 'was changed');
    }
    await expectNothingRan(asked);
  });

  it('a click for an approval that was requested before the step allowed Slack', async () => {
    await allowSlack(fixture, false);
    const early = await request({ title: 'Before the opt-in' });
    await allowSlack(fixture);
    const asked = await ask();
    const { argumentsHash, definitionHash } = await callOf(early.callId);
    const value = argumentsHash!.toString('hex');
    await sql('delete from slack_decision_messages where approval_id = $1', [early.id]);
    await sql(
      'update slack_decision_messages set approval_id = $1, arguments_hash = $2, definition_hash = $3 where approval_id = $4',
      [early.id, value, definitionHash, asked.id],
    );
    const shown = { blocks: reportedBlocks(asked.message.blocks) };
    await expectAnswer(
      await post(clickOn(asked.message, { user: rita, value, shown })),
      "This step can't be decided in Slack",
    );
    await expectNothingRan({ ...early, message: asked.message });
  });

  it.each(['unlinks their account', 'removes the app'])(
    'a click of a member who %s before the decision is stored',
    async (what) => {
      const asked = await ask();
      const { tenant } = fixture.organization;
      const clicked = await inTenant<{ answer: Promise<Response> }>(async (tx) => {
        await fixture.get(ApprovalsService).lockCalls(tx, [asked.callId]);
        const answer = post(clickOn(asked.message, { user: rita }));
        const isWaiting = () =>
          runSql(
            tx,
            `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
          );
        await expect.poll(async () => (await isWaiting()).length, patient).toBe(1);
        if (what === 'removes the app')
          await runSql(tx, 'delete from notification_channels where tenant_id = $1', [tenant.id]);
        else await runSql(tx, 'delete from slack_identities where tenant_id = $1', [tenant.id]);
        return { answer };
      });
      expect((await clicked.answer).status).toBe(200);
      await expectNothingRan(asked);
    },
  );

  it('a click on a direct message that was sent to somebody else', async () => {
    const asked = await ask();
    await sql('update slack_decision_messages set member_id = $1 where approval_id = $2', [
      fixture.organization.admin.id,
      asked.id,
    ]);
    await expectAnswer(await post(clickOn(asked.message, { user: rita })), 'sent to another member');
    await expectNothingRan(asked);
  });

  it('a click after the step no longer allows Slack, and a reason entered after that', async () => {
    const asked = await ask();
    await post(clickOn(asked.message, { user: rita, action: 'deny' }));
    await allowSlack(fixture, false);
    await expectAnswer(await post(clickOn(asked.message, { user: rita })), "This step can't be decided in Slack");
    const answer = await post(submissionOf(slack.views[0], rita, 'No.'));
    expect(await answer.json()).toMatchObject({
      errors: { reason: expect.stringContaining("can't be decided in Slack") },
    });
    await allowSlack(fixture);
    await expectNothingRan(asked);
  });

  it('a click after the organization turned decisions in Slack off', async () => {
    const asked = await ask();
    const admin = await fixture.organization.as(fixture.reviewer);
    const set = `mutation ($input: SetSlackDecisionsInput!) { setSlackDecisions(input: $input) { allowsDecisions } }`;
    const { data } = await admin(set, { input: { allowsDecisions: false } });
    expect(data.setSlackDecisions).toEqual({ allowsDecisions: false });
    await expectAnswer(await post(clickOn(asked.message, { user: rita })), 'does not allow decisions in Slack');
    await admin(set, { input: { allowsDecisions: true } });
    await expectNothingRan(asked);
  });

  it('a click for a destructive tool, whatever our record of the message says', async () => {
    await fixture.publish('@id("all") @approval("review") permit (principal, action, resource);');
    const asked = await ask();
    const purge = await request({ id: 'LAN-2291', resolution: 'Closed by a click.' }, fixture, 'close_ticket');
    expect(hasButtons(await messageWith(`/approvals/${purge.id}`))).toBe(false);
    const { argumentsHash, definitionHash } = await callOf(purge.callId);
    const value = argumentsHash!.toString('hex');
    await sql(
      'update slack_decision_messages set approval_id = $1, arguments_hash = $2, definition_hash = $3 where approval_id = $4',
      [purge.id, value, definitionHash, asked.id],
    );
    await expectAnswer(await post(clickOn(asked.message, { user: rita, value })), 'destructive');
    await expectNothingRan({ ...purge, message: asked.message });
  });

  it('a click that Slack cannot be asked about', async () => {
    const asked = await ask();
    slack.faults.push({ method: 'chat.postEphemeral', fault: 'hang' });
    expect((await post(clickOn(asked.message, { user: 'USTRANGER' }))).status).toBe(200); // does not wait
    slack.faults.push({ method: 'views.open', fault: 'refuse' });
    await expectAnswer(await post(clickOn(asked.message, { user: rita, action: 'deny' })), 'Slack refused views.open');
    await expectNothingRan(asked);
  });

  it('a payload that is not one of our messages', async () => {
    for (const payload of [
      {},
      { type: 'shortcut' },
      { type: 'block_actions' },
      { ...clickOn((await ask()).message, { user: rita }), actions: [] },
    ])
      expect((await post(payload)).status).toBe(200);
    const asked = await ask();
    await expectAnswer(
      await post({
        ...clickOn(asked.message, { user: rita }),
        actions: [{ action_id: 'other', value: (await callOf(asked.callId)).argumentsHash!.toString('hex') }],
      }),
      'no such button',
    );
    await expectNothingRan(asked);
  });
});

describe('messages and refusals', () => {
  it('lose their buttons before the app is removed', async () => {
    const at = await GateFixture.create(server, workplace);
    const channelId = await addApp(at, at.reviewer);
    await allowSlack(at);
    const { message } = await ask(at);
    await removeApp(at, channelId);
    expect(hasButtons(message)).toBe(false);
    expect(slack.textOf(message)).toContain('The Slack app was removed');
  });

  it('are deleted some days after they closed', async () => {
    const asked = await ask();
    const kept = await ask();
    await expectAllSent();
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), asked.id, 'deny', 'No.');
    const rows = (id: string) =>
      sql('select closed_at as "closedAt" from slack_decision_messages where approval_id = $1', [id]);
    await expect.poll(async () => (await rows(asked.id))[0], patient).toMatchObject({ closedAt: expect.any(Date) });
    await sql(`update slack_decision_messages set closed_at = now() - interval '8 days' where approval_id = $1`, [
      asked.id,
    ]);
    await fixture.get(SlackMessageClosingService).deleteClosed();
    expect([await rows(asked.id), await rows(kept.id)]).toEqual([[], [expect.anything()]]);
  });

  it('are counted in the audit log, many in one event', async () => {
    const at = await organizationWithSlack();
    const asked = await ask(at);
    const forged = clickOn(asked.message, { user: rita });
    for (let nth = 0; nth < 3; nth++) await post(forged, { secret: 'f'.repeat(32) }, at);
    await post(clickOn(asked.message, { user: 'USTRANGER' }), {}, at);
    await at.get(SlackRefusalsService).flush();
    const eventsNow = async () =>
      (await eventsOf(at.organization.tenant.id, at)).filter(({ kind }) => kind === 'slack.requests_refused');
    const countOf = (events: { detail: unknown }[]) =>
      events.reduce((total, { detail }) => total + (detail as { count: number }).count, 0);
    await expect.poll(async () => countOf(await eventsNow()), patient).toBe(4);
    expect(JSON.stringify(await eventsNow())).toContain('USTRANGER');
  });
});
