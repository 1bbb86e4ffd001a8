import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalOverridesService } from '../src/approvals/approval-overrides.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { Substitution } from '../src/approvals/substitution.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { OutboxService } from '../src/platform/events/outbox.service.js';
import type { GraphqlRequest } from './kit/organization.js';
import { GateFixture } from './kit/gate-fixture.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { TestSmtpServer } from './kit/smtp-server.js';
import { json, status, WebhookTarget } from './kit/webhook-target.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let smtp: TestSmtpServer;
let target: WebhookTarget;
let slack: WebhookTarget;
let fixture: GateFixture;
let admin: GraphqlRequest;

const patient = { timeout: 120_000, interval: 100 };

beforeAll(async () => {
  [workplace, smtp, target, slack] = await Promise.all([
    Workplace.start(),
    TestSmtpServer.start(),
    WebhookTarget.start(),
    WebhookTarget.start(),
  ]);
  server = await testServer({
    SMTP_URL: smtp.url,
    SMTP_FROM: 'countersign@example.com',
    SMTP_TLS: 'optional',
    SLACK_API_URL: slack.url,
    NOTIFICATION_DIGEST_SECONDS: '3',
    NOTIFICATION_RETRY_SECONDS: '1',
  });
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), smtp.close(), target.close(), slack.close()]);
});
beforeEach(async () => {
  fixture = await GateFixture.create(server, workplace);
  admin = await fixture.organization.as();
  for (const one of [target, slack]) {
    one.received.length = 0;
    one.nextAnswers.length = 0;
    one.answer = status(204);
  }
  smtp.received.length = 0;
  smtp.faults.length = 0;
});

const requestApproval = async (title = 'Secret title', at = fixture) => {
  const outcome = await at.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
};
const emailsTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email));
const sql = (text: string, values: unknown[] = []) =>
  server.app
    .get(DatabaseService)
    .tenant(fixture.organization.system, (tx) => runSql<{ id: string; reason: string }>(tx, text, values));
const stateOf = (id: string) =>
  server.app
    .get(DatabaseService)
    .tenant(fixture.organization.system, (tx) =>
      tx.findOneByOrFail(Approval, { tenantId: fixture.organization.tenant.id, id }),
    )
    .then(({ state }) => state);

const createChannel = `mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) {
  signingSecret channel { id target } } }`;
const addChannel = async (input: object) => {
  const { data, errors } = await admin(createChannel, {
    input: { name: 'Desk', kinds: ['approval_requested'], ...input },
  });
  expect(errors).toBeUndefined();
  return data.createNotificationChannel as { signingSecret: string | null; channel: { id: string; target: string } };
};
const parkedQuery = '{ parkedNotifications { id attempts reason recipient } }';
const parked = async () =>
  (await admin(parkedQuery)).data.parkedNotifications as { id: string; reason: string; recipient: string }[];

describe('an email', () => {
  it('reaches those who can decide, names the tool and the requester, and contains no arguments', async () => {
    const id = await requestApproval('Gripper 17 & password hunter2');
    const { reviewer } = fixture;
    await expect.poll(() => emailsTo(reviewer.email).length, patient).toBe(1);
    const [email] = emailsTo(reviewer.email);
    const text = email.text;
    expect(text).toContain('workplace__create_ticket');
    expect(text).toContain('Ada Admin');
    expect(text).toContain(`${server.url}/approvals/${id}`);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('Gripper');
    expect(email.raw).toMatch(/^content-type: text\/plain/im);
    expect(email.raw).toMatch(/^content-type: text\/html/im);
    expect(emailsTo(fixture.organization.admin.email)).toEqual([]); // the requester cannot decide
  });

  it('is sent again with the same message id after greylisting, a lost connection and a lost answer', async () => {
    smtp.faults.push('greylist', 'hang-in-greeting', 'drop-in-data', 'store-and-drop');
    await requestApproval();
    await expect.poll(() => emailsTo(fixture.reviewer.email).length, patient).toBe(2);
    expect(new Set(emailsTo(fixture.reviewer.email).map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('is parked when the recipient is refused, and an administrator sends it again', async () => {
    smtp.faults.push('refuse-recipient');
    await requestApproval();
    await expect
      .poll(parked, patient)
      .toEqual([
        expect.objectContaining({ recipient: fixture.reviewer.email, reason: expect.stringContaining('No such user') }),
      ]);
    const [{ id }] = await parked();
    const resend = 'mutation ($input: ResendNotificationInput!) { resendNotification(input: $input) { id } }';
    await admin(resend, { input: { id } });
    await expect.poll(() => emailsTo(fixture.reviewer.email).length, patient).toBe(1);
    await expect.poll(parked, patient).toEqual([]);
    expect((await admin(resend, { input: { id } })).code).toBe('notification-delivery-not-found');
  });

  it('collects what follows shortly after into one message', async () => {
    await requestApproval();
    await expect.poll(() => emailsTo(fixture.reviewer.email).length, patient).toBe(1);
    for (let count = 0; count < 5; count++) await requestApproval(`Ticket ${count}`);
    const shown = () => emailsTo(fixture.reviewer.email).flatMap((mail) => mail.text.match(/Open in/g) ?? []);
    await expect.poll(() => shown().length, patient).toBe(6);
    expect(emailsTo(fixture.reviewer.email).length).toBeLessThan(6);
  });

  it('reaches approvers who turned everything off if their approval was overridden', async () => {
    const { organization, reviewer } = fixture;
    const eve = await organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await fixture.get(BreakGlassRightsService).grant(await fixture.principalOf(reviewer), eve.id);
    const send = await organization.as(reviewer);
    await send(
      'mutation ($input: UpdateNotificationPreferencesInput!) { updateNotificationPreferences(input: $input) { email } }',
      { input: { email: [], directMessage: [] } },
    );
    const id = await requestApproval();
    await fixture.get(ApprovalOverridesService).override(await fixture.principalOf(eve), id, 'It burns.');
    await expect.poll(() => emailsTo(reviewer.email).length, patient).toBe(1);
    expect(emailsTo(reviewer.email)[0].text).toContain('A pending approval was overridden');
    expect(emailsTo(reviewer.email)[0].text).not.toContain('It burns.');
  });

  it('does not reach a member who turned it off', async () => {
    const reviewer = await fixture.organization.as(fixture.reviewer);
    const update = `mutation ($input: UpdateNotificationPreferencesInput!) { updateNotificationPreferences(input: $input) {
      email emailAvailable } }`;
    const { data } = await reviewer(update, { input: { email: ['approval_closed'], directMessage: [] } });
    expect(data.updateNotificationPreferences).toEqual({ email: ['approval_closed'], emailAvailable: true });
    const id = await requestApproval();
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), id, 'deny', 'Not now.');
    // the message about the decision follows the one about the request
    await expect.poll(() => emailsTo(fixture.organization.admin.email).length, patient).toBe(1);
    expect(emailsTo(fixture.organization.admin.email)[0].text).toContain('Approval denied');
    expect(emailsTo(fixture.reviewer.email)).toEqual([]);
  });

  it('quotes untrusted names on one line and escapes markup', async () => {
    const name = 'Eve</p><a href="https://evil.example">Approve</a>\r\nBcc: x@evil.example';
    await sql('update members set name = $1 where id = $2', [name, fixture.organization.admin.id]);
    await requestApproval();
    await expect.poll(() => emailsTo(fixture.reviewer.email).length, patient).toBe(1);
    const [email] = emailsTo(fixture.reviewer.email);
    const [, htmlPart] = email.text.split(/^content-type: text\/html/im);
    expect(htmlPart).not.toContain('<a href="https://evil');
    expect(email.text).not.toContain('https://evil.example'); // mail programs would make a link of it
    expect(email.raw).not.toMatch(/^bcc:/im);
  });
});

it('a link opens a page that asks who the reader is, and decides nothing', async () => {
  const id = await requestApproval();
  for (const method of ['GET', 'HEAD'])
    for (const path of [`/console/approvals/${id}`, `/approvals/${id}`])
      await fetch(server.url + path, { method, redirect: 'manual' });
  expect(await stateOf(id)).toBe('pending');
});

describe('a signed webhook', () => {
  it('receives requests that Standard Webhooks libraries verify', async () => {
    const { signingSecret, channel } = await addChannel({ kind: 'webhook', address: `${target.url}/hook?key=s3cret` });
    expect(channel.target).not.toContain('s3cret');
    const id = await requestApproval();
    await expect.poll(() => target.received.length, patient).toBe(1);
    const [{ body, headers }] = target.received;
    const verified = new Webhook(signingSecret!).verify(body, headers as Record<string, string>) as {
      data: { notifications: { kind: string; url: string }[] };
    };
    expect(verified.data.notifications).toEqual([
      expect.objectContaining({
        kind: 'approval_requested',
        url: expect.stringMatching(new RegExp(`^${server.url}/approvals/${id}\\?n=[\\w.-]+$`)),
      }),
    ]);
    expect(body).not.toContain('Secret title');
  });

  it('gets a message again after a redirect, an error and an endless answer to an error', async () => {
    await addChannel({ kind: 'webhook', address: target.url });
    target.nextAnswers.push(status(302, { location: `${slack.url}/elsewhere` }), status(500), (response) => {
      response.writeHead(503, { 'content-length': String(10 * 1024 ** 3) });
      const chunk = Buffer.alloc(64 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    await requestApproval();
    await expect.poll(() => target.received.length, patient).toBe(4);
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(slack.received).toEqual([]);
  });

  it('gets one message about an approval, not another one when a substitution begins', async () => {
    await addChannel({ kind: 'webhook', address: target.url });
    const approvalId = await requestApproval();
    await expect.poll(() => target.received.length, patient).toBe(1);
    const { tenant, system, admin: ada } = fixture.organization;
    const substitutionId = newId();
    await server.app.get(DatabaseService).tenant(system, async (tx) => {
      const outbox = server.app.get(OutboxService);
      await tx.insert(Substitution, {
        tenantId: tenant.id,
        id: substitutionId,
        memberId: fixture.reviewer.id,
        substituteId: ada.id,
        startsAt: new Date(),
        endsAt: new Date(Date.now() + 86_400_000),
        createdBy: fixture.reviewer.id,
        createdAt: new Date(),
      });
      await outbox.write(tx, tenant.id, 'approval.substitution-started', { approvalId, substitutionId });
      await outbox.write(tx, tenant.id, 'approval.escalated', { approvalId });
    });
    await expect.poll(() => target.received.length, patient).toBe(2);
    expect(JSON.parse(target.received[1].body).data.notifications).toEqual([
      expect.objectContaining({
        facts: expect.arrayContaining([{ label: 'Escalated', value: 'no one has decided yet' }]),
      }),
    ]);
  });

  it('cannot reach private addresses that the operator has not allowed', async () => {
    await addChannel({ kind: 'webhook', address: 'http://169.254.169.254/latest' });
    await requestApproval();
    const reason = async () =>
      await sql(
        'select reason from notification_deliveries where channel_id is not null and reason is not null and tenant_id = $1',
        [fixture.organization.tenant.id],
      );
    await expect.poll(async () => JSON.stringify(await reason()), patient).toContain('169.254.169.254');
  });

  it('is parked after a day of failures', async () => {
    await addChannel({ kind: 'webhook', address: target.url });
    target.answer = status(500);
    await requestApproval();
    await expect.poll(() => target.received.length, patient).toBeGreaterThan(0);
    await sql(`update notification_deliveries set created_at = now() - interval '2 days' where channel_id is not null`);
    await expect
      .poll(parked, patient)
      .toEqual([expect.objectContaining({ recipient: 'Desk', reason: 'The webhook answered with status 500.' })]);
  });
});

describe('Slack', () => {
  const app = { kind: 'slack', token: 'xoxb-test', slackChannel: 'C1' };

  it('gets messages in a channel, waits as long as a rate limit says, and parks them when the token is invalid', async () => {
    await addChannel(app);
    slack.answer = json({ ok: true });
    slack.nextAnswers.push(status(429, { 'retry-after': '1' }));
    await requestApproval();
    await expect.poll(() => slack.received.length, patient).toBe(2);
    const [, { path, headers, body }] = slack.received;
    expect([path, headers.authorization]).toEqual(['/chat.postMessage', 'Bearer xoxb-test']);
    expect(JSON.parse(body)).toMatchObject({ channel: 'C1', unfurl_links: false });
    slack.answer = json({ ok: false, error: 'invalid_auth' });
    await requestApproval('Another title');
    await expect
      .poll(parked, patient)
      .toEqual([expect.objectContaining({ reason: 'Slack refused chat.postMessage: invalid_auth.' })]);
  });

  it('gets direct messages for members who chose them', async () => {
    await addChannel({ ...app, kinds: [], sendsDirectMessages: true });
    const reviewer = await fixture.organization.as(fixture.reviewer);
    await reviewer(
      'mutation ($input: UpdateNotificationPreferencesInput!) { updateNotificationPreferences(input: $input) { email } }',
      { input: { email: [], directMessage: ['approval_requested'] } },
    );
    slack.answer = (response, { path, body }) =>
      json(path === '/users.lookupByEmail' ? { ok: true, user: { id: 'U7' } } : { ok: true })(response, {
        path,
        body,
        headers: {},
      });
    await requestApproval();
    await expect
      .poll(() => slack.received.map(({ path }) => path), patient)
      .toEqual(['/users.lookupByEmail', '/chat.postMessage']);
    expect(slack.received[0].body).toBe(new URLSearchParams({ email: fixture.reviewer.email }).toString());
    expect(JSON.parse(slack.received[1].body)).toMatchObject({ channel: 'U7' });
  });

  it('and Teams get messages by incoming webhooks', async () => {
    await addChannel({ kind: 'slack_webhook', address: `${target.url}/slack` });
    await addChannel({ kind: 'teams', address: `${target.url}/teams` });
    await requestApproval();
    await expect.poll(() => target.received.map(({ path }) => path).sort(), patient).toEqual(['/slack', '/teams']);
  });
});

describe('other events', () => {
  const publish = (kind: string, payload: Record<string, string | number>) =>
    server.app
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        server.app.get(OutboxService).write(tx, fixture.organization.tenant.id, kind, payload),
      );
  const textsTo = (email: string) =>
    emailsTo(email)
      .map(({ text }) => text)
      .join('\n');

  it('reach administrators: blocked tools, failed syncs and integrations, and reached budgets', async () => {
    const { connectionId } = fixture;
    const [{ id: toolId }] = await sql(
      `update tools set confirmed_hash = 'before' where connection_id = $1 and upstream_name = 'list_tickets' returning id`,
      [connectionId],
    );
    await publish('tool.blocked', { toolId });
    await publish('connection.sync_failed', { connectionId });
    await sql(`update connections set status = 'failed' where id = $1`, [connectionId]);
    await publish('connection.state_changed', { connectionId });
    const { data } = await admin(
      'mutation ($input: CreateSpendBudgetInput!) { createSpendBudget(input: $input) { id } }',
      { input: { scope: 'organization', amountCents: '100' } },
    );
    await publish('spend.budget_reached', { budgetId: data.createSpendBudget.id, month: '2026-11-01', threshold: 80 });
    for (const words of [
      'A tool is blocked, because its definition changed: “workplace__list_tickets”',
      'A sync failed: “Workplace”',
      'An integration does not work: “Workplace”',
      'Spend reached 80% of the budget of the organization',
    ])
      await expect.poll(() => textsTo(fixture.reviewer.email), patient).toContain(words);
  });

  it('remind of an approval, unless it was decided', async () => {
    const approvalId = await requestApproval('To be reminded of');
    const decided = await requestApproval('Decided before');
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), decided, 'deny', 'No.');
    await publish('approval.reminder', { approvalId: decided });
    await publish('approval.reminder', { approvalId });
    await expect.poll(() => textsTo(fixture.reviewer.email), patient).toContain('An approval expires soon');
    expect(textsTo(fixture.reviewer.email)).not.toContain(decided);
  });
});
