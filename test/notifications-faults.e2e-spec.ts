import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { OutboxService } from '../src/platform/events/outbox.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { runSql } from './kit/run-sql.js';
import { selfSignedCertificate } from './kit/self-signed.js';
import { type TestServer, testServer } from './kit/server.js';
import { type SmtpFault, TestSmtpServer } from './kit/smtp-server.js';
import { status, WebhookTarget } from './kit/webhook-target.js';
import { Workplace } from './kit/workplace.js';

const patient = { timeout: 120_000, interval: 100 };
const authorities = getCACertificates('default');
const certificate = selfSignedCertificate();

let server: TestServer;
let workplace: Workplace;
let smtp: TestSmtpServer;
let target: WebhookTarget;
let fixture: GateFixture;

beforeAll(async () => {
  [workplace, smtp, target] = await Promise.all([
    Workplace.start(),
    TestSmtpServer.start(certificate),
    WebhookTarget.start(),
  ]);
  server = await testServer({
    SMTP_URL: smtp.url,
    SMTP_FROM: 'countersign@example.com',
    NOTIFICATION_DIGEST_SECONDS: '0',
    NOTIFICATION_RETRY_SECONDS: '1',
  });
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  await server.close();
  await Promise.all([workplace.stop(), smtp.close(), target.close()]);
});
beforeEach(async () => {
  target.received.length = 0;
  target.answer = status(204);
  fixture = await GateFixture.create(server, workplace);
});

const emails = () => smtp.received.filter(({ to }) => to.includes(fixture.reviewer.email));
const reasons = async () =>
  JSON.stringify(
    await fixture
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        runSql(tx, 'select state, reason from notification_deliveries where reason is not null', []),
      ),
  );

describe('an email', () => {
  it('waits until the certificate of the server is trusted, and is then sent encrypted', async () => {
    await fixture.call('create_ticket', { title: 'Belt' });
    await expect.poll(reasons, patient).toContain('self-signed certificate');
    expect(smtp.received).toEqual([]);
    setDefaultCACertificates([...authorities, certificate.cert]);
    await expect.poll(() => emails().map(({ isEncrypted }) => isEncrypted), patient).toEqual([true]);
  });

  it.each<SmtpFault>(['refuse-connection', 'greylist', 'hang-in-envelope'])(
    'is sent again after the fault "%s"',
    async (fault) => {
      smtp.faults.push(fault);
      await fixture.call('create_ticket', { title: 'Belt' });
      await expect.poll(() => emails().length, patient).toBe(1);
      expect(smtp.faults).toEqual([]);
    },
  );

  it('is parked if the server refuses the message', async () => {
    smtp.faults.push('refuse-message');
    await fixture.call('create_ticket', { title: 'Belt' });
    await expect.poll(reasons, patient).toMatch(/parked.*Looks like spam/);
    expect(emails()).toEqual([]);
  });
});

describe('a message to a webhook', () => {
  const addDesk = async () => {
    const admin = await fixture.organization.as();
    await admin(
      'mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { signingSecret } }',
      { input: { name: 'Desk', kind: 'webhook', address: `${target.url}/hook`, kinds: ['approval_requested'] } },
    );
  };
  const expectReceived = (count: number) => expect.poll(() => target.received.length, patient).toBe(count);

  it('is sent once although more was added to it while it waited for slower ones', async () => {
    await addDesk();
    const held: (() => void)[] = [];
    const hold: typeof target.answer = (response) => void held.push(() => response.writeHead(204).end());
    target.nextAnswers.push(hold, hold);
    const outcome = await fixture.call('create_ticket', { title: 'Belt' });
    await expectReceived(1);
    const { tenant, system } = fixture.organization;
    const approvalId = outcome.state === 'awaiting_approval' ? outcome.approvalId : '';
    const requestAgain = () =>
      fixture
        .get(DatabaseService)
        .tenant(system, (tx) => fixture.get(OutboxService).write(tx, tenant.id, 'approval.requested', { approvalId }));
    await requestAgain();
    await expectReceived(2);
    target.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 700);
    for (let added = 0; added < 2; added++) {
      await requestAgain();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    for (const release of held) release();
    const sent = () =>
      target.received.flatMap(
        ({ body }) => (JSON.parse(body) as { data: { notifications: object[] } }).data.notifications,
      );
    await expect.poll(() => sent().length, patient).toBeGreaterThanOrEqual(4);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(target.received).toHaveLength(3);
    expect(sent()).toHaveLength(4);
  });

  it('is sent again, and only there, after redirects and after no answer', async () => {
    await addDesk();
    target.nextAnswers.push(
      status(307, { location: `${target.url}/elsewhere` }),
      status(301, { location: 'http://169.254.169.254/latest' }),
      () => undefined, // hangs
    );
    await fixture.call('create_ticket', { title: 'Belt' });
    await expectReceived(4);
    expect(new Set(target.received.map(({ path }) => path))).toEqual(new Set(['/hook']));
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});
