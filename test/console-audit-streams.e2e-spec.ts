import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditReceivers } from './kit/audit-receivers.js';
import { inChromium, openConsole } from './kit/console.js';
import { button, field, pick } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { status } from './kit/webhook-target.js';

const patient = { timeout: 120_000, interval: 100 };

let server: TestServer;
let receivers: AuditReceivers;
let lark: Organization;
beforeAll(async () => {
  [server, receivers] = await Promise.all([testServer(), AuditReceivers.start()]);
  lark = await anOrganization(server);
});
afterAll(async () => {
  await server.close();
  await receivers.close();
});

inChromium('audit streams in the console', () => {
  it('adds, pauses, resumes and removes a stream, and shows its secret once', async () => {
    const page = await openConsole(server, lark.admin);
    await page.goto('/console/organization/audit-streams');
    await page.getByText('No streams yet').waitFor();
    await button(page, 'Add stream').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill('Archive');
    await pick(dialog, 'Type', 'Signed webhook (JSON Lines)');
    await field(dialog, 'URL').fill(`${receivers.webhook.url}/audit`);
    await dialog.getByLabel('Send all earlier events too').check();
    await dialog.getByRole('button', { name: 'Add stream' }).click();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const list = page.getByRole('list', { name: 'Streams' });
    await list.getByText('Archive').waitFor();
    await expect.poll(() => receivers.positionsOf('webhook').length, patient).toBeGreaterThan(0);
    expect(receivers.positionsOf('webhook')[0]).toBe(0);
    await list.getByText(/[1-9]\d* events sent, most recently/).waitFor();

    await button(page, 'Pause stream Archive').click();
    await list.getByText('Paused').waitFor();
    await button(page, 'Resume stream Archive').click();
    await list.getByText('Active').waitFor();
    await button(page, 'Remove stream Archive').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove stream' }).click();
    await page.getByText('No streams yet').waitFor();
  });

  it('shows why a receiver does not accept events, and tries again', async () => {
    receivers.otlp.nextAnswers.push(status(503, { 'retry-after': '3000' }));
    const page = await openConsole(server, lark.admin);
    await page.goto('/console/organization/audit-streams');
    await button(page, 'Add stream').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill('Collector');
    await field(dialog, 'URL').fill('collector');
    await dialog.getByRole('button', { name: 'Add stream' }).click();
    await dialog.getByText('must be a URL that starts with https:// or http://').waitFor();
    await field(dialog, 'URL').fill(`${receivers.otlp.url}/v1/logs`);
    await dialog.getByRole('button', { name: 'Add stream' }).click();
    await page.getByText('The receiver answered with status 503.').waitFor();
    await button(page, 'Try stream Collector again').click();
    await expect.poll(() => receivers.positionsOf('otlp').length, patient).toBeGreaterThan(0);
    await page.getByText('The receiver answered with status 503.').waitFor({ state: 'detached' });
  });
});
