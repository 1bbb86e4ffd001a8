import { afterAll, beforeAll, expect, it } from 'vitest';
import { inChromium, openConsole } from './kit/console.js';
import { button, field } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { TestSmtpServer } from './kit/smtp-server.js';
import { WebhookTarget } from './kit/webhook-target.js';
import { Workplace } from './kit/workplace.js';

const patient = { timeout: 120_000, interval: 100 };

let server: TestServer;
let workplace: Workplace;
let smtp: TestSmtpServer;
let target: WebhookTarget;
let fixture: GateFixture;
beforeAll(async () => {
  [workplace, smtp, target] = await Promise.all([Workplace.start(), TestSmtpServer.start(), WebhookTarget.start()]);
  server = await testServer({ SMTP_URL: smtp.url, SMTP_FROM: 'countersign@example.com', SMTP_TLS: 'optional' });
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), smtp.close(), target.close()]);
});

inChromium('notifications in the console', () => {
  it('shows a parked message with the reason, and sends it again', async () => {
    smtp.faults.push('refuse-recipient');
    await fixture.call('create_ticket', { title: 'Belt' });
    const ask = await fixture.organization.as();
    await expect
      .poll(async () => (await ask('{ parkedNotifications { attempts } }')).data.parkedNotifications, patient)
      .toHaveLength(1);
    const page = await openConsole(server, fixture.organization.admin);
    await page.goto('/console/organization/notifications');
    await page.getByText('No such user here').waitFor();
    await page.getByRole('button', { name: /^Send again/ }).click();
    await page.getByText('The message is sent again.').waitFor();
    await expect.poll(() => smtp.received.length, patient).toBe(1);
  });

  it('adds a signed webhook and shows its secret once', async () => {
    const page = await openConsole(server, fixture.organization.admin);
    await page.goto('/console/organization/notifications');
    await button(page, 'Add channel').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Pager');
    await dialog.getByLabel('URL').fill(`${target.url}/hook`);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await dialog
      .getByText(/whsec_/)
      .or(dialog.locator('input[value^=whsec_]'))
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('list', { name: 'Channels' }).getByText('Pager').waitFor();
    await fixture.call('create_ticket', { title: 'Hook' });
    await expect.poll(() => target.received.length, patient).toBe(1);
  });

  it('lets members choose what reaches them', async () => {
    const page = await openConsole(server, fixture.reviewer);
    await page.goto('/console/account');
    await field(page, 'Approval requested').uncheck();
    await button(page, 'Save notification settings').click();
    await page.getByText('Notification settings saved.').waitFor();
    await page.reload();
    await field(page, 'Approval requested').waitFor();
    await expect.poll(() => field(page, 'Approval requested').isChecked()).toBe(false);
    await expect.poll(() => field(page, 'Approval expires soon').isChecked()).toBe(true);
  });
});
