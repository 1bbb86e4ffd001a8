import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalLinksService } from '../src/approvals/approval-links.service.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalStepChangesService } from '../src/approvals/approval-step-changes.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { type Browser, formsOf } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { TestSmtpServer } from './kit/smtp-server.js';
import { WebhookTarget } from './kit/webhook-target.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let smtp: TestSmtpServer;
let target: WebhookTarget;
let fixture: GateFixture;

const patient = { timeout: 120_000, interval: 100 };

beforeAll(async () => {
  [workplace, smtp, target] = await Promise.all([Workplace.start(), TestSmtpServer.start(), WebhookTarget.start()]);
  server = await testServer({
    SMTP_URL: smtp.url,
    SMTP_FROM: 'countersign@example.com',
    SMTP_TLS: 'optional',
    NOTIFICATION_DIGEST_SECONDS: '0',
  });
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), smtp.close(), target.close()]);
});

let count = 0;
async function requestApproval(): Promise<string> {
  const outcome = await fixture.call('create_ticket', { title: `Gripper ${++count} lets go` });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
}
const approvalOf = (id: string) =>
  fixture
    .get(DatabaseService)
    .tenant(fixture.organization.system, (tx) =>
      tx.findOneByOrFail(Approval, { tenantId: fixture.organization.tenant.id, id }),
    );
const stateOf = async (id: string) => (await approvalOf(id)).state;
const eventsOf = async (id: string) =>
  (await fixture.get(AuditLogService).list(fixture.organization.system, { first: 200 })).nodes
    .filter(({ subject }) => (subject as { id?: string } | null)?.id === id)
    .reverse();
const browse = (member: Member = fixture.reviewer): Promise<Browser> => fixture.organization.browser(member);

/** The path of the link in the email to the member. */
async function emailedLink(id: string, member = fixture.reviewer): Promise<string> {
  const find = () =>
    smtp.received
      .filter(({ to }) => to.includes(member.email))
      .flatMap(({ text }) => new RegExp(`/approvals/${id}\\?n=[\\w.-]+`).exec(text)?.[0] ?? [])[0];
  await expect.poll(find, patient).toBeDefined();
  return find();
}
const approveFormOf = async (browser: Browser, path: string) => {
  const page = await (await browser.fetch(path)).text();
  return formsOf(page).find(({ hidden }) => hidden.decision === 'approve')!;
};
async function expectRefusal(response: Response, id: string, words: string) {
  expect(response.status).toBe(403);
  const page = await response.text();
  expect(page).toMatch(/This link can(&#39;|')t be used/);
  expect(page).toContain(words);
  expect(page).toContain(`href="/approvals/${id}"`);
}

describe('Rule 10: a link opens a page that asks who the reader is, works once, and decides nothing by being opened', () => {
  it('is not used up by mail scanners and link previews, with and without cookies', async () => {
    const id = await requestApproval();
    const link = await emailedLink(id);
    const browser = await browse();
    for (let visit = 0; visit < 20; visit++)
      for (const method of ['GET', 'HEAD']) {
        expect((await browser.fetch(link, { method })).status).toBe(200);
        const visitor = await fetch(server.url + link, { method, redirect: 'manual' });
        expect(visitor.status).toBe(method === 'GET' ? 303 : 401);
        if (method === 'GET')
          expect(visitor.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: link }).toString()}`);
      }
    expect(await approvalOf(id)).toMatchObject({ state: 'pending', usedLinks: [], approvedBy: [] });

    const { action, hidden } = await approveFormOf(browser, link);
    expect((await browser.post(action, hidden)).headers.get('location')).toBe(`/approvals/${id}`);
    expect(await stateOf(id)).toBe('approved');
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      kind: 'approval.approved',
      detail: { openedFrom: 'email link' },
    });
  });

  it('works once, also for two decisions at the same time', async () => {
    const id = await requestApproval();
    const link = await emailedLink(id);
    const browser = await browse();
    const { action, hidden } = await approveFormOf(browser, link);
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(action, hidden)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
    await expectRefusal(
      answers.find(({ status }) => status === 403)!,
      id,
      'It works once.',
    );
    await expectRefusal(await browser.fetch(link), id, 'It works once.');
    await expectRefusal(await browser.post(action, hidden), id, 'It works once.');
    const kinds = (await eventsOf(id)).map(({ kind }) => kind);
    expect(kinds).toEqual(['approval.requested', 'approval.viewed', 'approval.approved']);
  });

  it('stays usable if the decision was incomplete', async () => {
    const id = await requestApproval();
    const link = await emailedLink(id);
    const browser = await browse();
    const forms = formsOf(await (await browser.fetch(link)).text());
    const { action, hidden } = forms.find((form) => form.hidden.decision === 'deny')!;
    const refused = await browser.post(action, { ...hidden, reason: ' ' });
    expect(refused.status).toBe(400);
    const again = formsOf(await refused.text()).find((form) => form.hidden.decision === 'deny')!;
    expect((await browser.post(again.action, { ...again.hidden, reason: 'Not now.' })).status).toBe(303);
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      kind: 'approval.denied',
      detail: { openedFrom: 'email link' },
    });
  });

  it('does not work for a member to whom it was forwarded', async () => {
    const other = await fixture.organization.member({ name: 'Otto Other', roles: ['admin'] });
    const id = await requestApproval();
    const link = await emailedLink(id);
    const browser = await browse(other);
    await expectRefusal(await browser.fetch(link), id, 'The link was sent to another member.');
    const { action, hidden } = await approveFormOf(browser, `/approvals/${id}`);
    const n = new URL(link, server.url).searchParams.get('n')!;
    await expectRefusal(await browser.post(action, { ...hidden, n }), id, 'The link was sent to another member.');
    expect(await approvalOf(id)).toMatchObject({ state: 'pending', usedLinks: [] });
  });

  it('is refused if it was changed, is cut off or belongs to another approval', async () => {
    const [id, otherId] = [await requestApproval(), await requestApproval()];
    const [payload, signature] = new URL(await emailedLink(id), server.url).searchParams.get('n')!.split('.');
    const otherToken = new URL(await emailedLink(otherId), server.url).searchParams.get('n')!;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const swapped = Buffer.from(JSON.stringify(claims.with(1, null))).toString('base64url');
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    const browser = await browse();
    const { action, hidden } = await approveFormOf(browser, `/approvals/${id}`);
    for (const n of [
      '',
      '.',
      payload,
      `${payload}.`,
      `${payload}.${flipped}`,
      `${payload}.${signature}.`,
      `${swapped}.${signature}`,
      otherToken,
      'x'.repeat(5000),
    ]) {
      await expectRefusal(
        await browser.fetch(`/approvals/${id}?${new URLSearchParams({ n }).toString()}`),
        id,
        'Nothing was decided',
      );
      await expectRefusal(await browser.post(action, { ...hidden, n }), id, 'Nothing was decided');
    }
    await expectRefusal(await browser.fetch(`/approvals/${id}?n=${payload}&n=${signature}`), id, 'Nothing was decided');
    expect(await stateOf(id)).toBe('pending');
  });

  it('is refused after it expired', async () => {
    const id = await requestApproval();
    const approval = await approvalOf(id);
    const recipient = { messageId: approval.callId, memberId: fixture.reviewer.id, medium: 'email' as const };
    const links = fixture.getInternal(ApprovalLinksService);
    const browser = await browse();
    expect((await browser.fetch(links.pathOf(approval, recipient))).status).toBe(200);
    const expired = links.pathOf({ ...approval, expiresAt: new Date(Date.now() - 2000) }, recipient);
    await expectRefusal(await browser.fetch(expired), id, 'The link has expired.');
  });

  it('of a channel works for one of the members who can decide', async () => {
    const next = await fixture.organization.member({ name: 'Nina Next', roles: ['admin'] });
    const step = { name: 'review', tier: 'review' as const, quorum: 2, position: 1, expiresAfterSeconds: 3600 };
    await fixture.get(ApprovalStepChangesService).save(await fixture.principalOf(), step);
    const admin = await fixture.organization.as();
    await admin(
      'mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { signingSecret } }',
      { input: { name: 'Desk', kind: 'webhook', address: target.url, kinds: ['approval_requested'] } },
    );
    const id = await requestApproval();
    await expect.poll(() => target.received.length, patient).toBe(1);
    const { data } = JSON.parse(target.received[0].body) as { data: { notifications: { url: string }[] } };
    const link = data.notifications[0].url.slice(server.url.length);
    const browsers = await Promise.all([browse(), browse(next)]);
    const forms = await Promise.all(browsers.map((browser) => approveFormOf(browser, link)));
    const answers = await Promise.all(
      browsers.map((browser, nth) => browser.post(forms[nth].action, forms[nth].hidden)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403]);
    expect(await approvalOf(id)).toMatchObject({ state: 'pending', approvedBy: [expect.any(String)] });
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      kind: 'approval.voted',
      detail: { openedFrom: 'webhook link' },
    });

    const late = browsers[answers.findIndex(({ status }) => status === 403)];
    const { action, hidden } = await approveFormOf(late, `/approvals/${id}`);
    expect((await late.post(action, hidden)).status).toBe(303);
    expect(await stateOf(id)).toBe('approved');
  });
});
