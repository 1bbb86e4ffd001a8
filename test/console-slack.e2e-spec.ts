import { afterAll, beforeAll, expect, it } from 'vitest';
import { inChromium, openConsole } from './kit/console.js';
import { button, field, pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { slackSigningSecret, TestSlackServer } from './kit/slack-server.js';
import { slackAppToken, TestSlackSockets } from './kit/slack-sockets.js';
import { Workplace } from './kit/workplace.js';

const patient = { timeout: 120_000, interval: 100 };

let server: TestServer;
let workplace: Workplace;
let slack: TestSlackServer;
let sockets: TestSlackSockets;
let fixture: GateFixture;
beforeAll(async () => {
  [workplace, slack, sockets] = await Promise.all([
    Workplace.start(),
    TestSlackServer.start(),
    TestSlackSockets.start(),
  ]);
  slack.sockets = sockets;
  server = await testServer({ SLACK_API_URL: slack.url });
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), slack.close(), sockets.close()]);
});

inChromium('decisions in Slack', () => {
  it('are set up by an administrator: the app, the step and the switch', async () => {
    const page = await openConsole(server, fixture.reviewer);
    await page.goto('/console/organization/notifications');
    await page.getByText('No Slack app with a signing secret yet.').waitFor();
    await page.getByText(`${server.url}/slack/${fixture.organization.tenant.id}`).waitFor();
    await button(page, 'Add channel').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Desk');
    await pick(dialog, 'Type', 'Slack app');
    await dialog.getByLabel('Bot token').fill('xoxb-test');
    await field(dialog, 'Channel').fill('C1');
    await dialog.getByLabel('Slack signing secret').fill(slackSigningSecret);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await page.getByText('On for the steps that allow it.').waitFor();
    await button(page, 'Turn off decisions in Slack').click();
    await page.getByText('Off for the whole organization.').waitFor();
    await button(page, 'Turn on decisions in Slack').click();
    await page.getByText('On for the steps that allow it.').waitFor();
  });

  it('work in socket mode with an app-level token, and show the state of the connection', async () => {
    const page = await openConsole(server, fixture.reviewer);
    await page.goto('/console/organization/notifications');
    await page.getByLabel('App-level token').fill('xapp-wrong');
    await button(page, 'Turn on socket mode').click();
    await page.getByText('was not accepted: Slack refused apps.connections.open: invalid_auth.').waitFor();
    await page.getByLabel('App-level token').fill(slackAppToken);
    await button(page, 'Turn on socket mode').click();
    await page.getByText('Socket mode: Connected').waitFor();
    expect(await page.getByText('Request URL').count()).toBe(0);
    sockets.disconnect('link_disabled');
    await page.getByText(/Socket mode: Reconnecting since .* Last error: Socket mode is turned off/).waitFor();
    await page.getByLabel('App-level token').fill(slackAppToken);
    await button(page, 'Replace token').click();
    await page.getByText('Socket mode: Connected').waitFor();
    await button(page, 'Turn off socket mode').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off socket mode' }).click();
    await page.getByText('Request URL').waitFor();
    await expect.poll(() => sockets.openOf(), patient).toEqual([]);
  });

  it('need a member who links their account with the code from a direct message', async () => {
    slack.users.set(fixture.reviewer.email, 'URITA');
    const page = await openConsole(server, fixture.reviewer);
    await page.goto('/console/account');
    await button(page, 'Send code to Slack').click();
    await field(page, 'Code').waitFor();
    await field(page, 'Code').fill('AAAAAAAA');
    await button(page, 'Link Slack account').click();
    await page.getByText('The code is wrong or has expired.').waitFor();
    await expect.poll(() => slack.messages.length, patient).toBe(1);
    await field(page, 'Code').fill(/Code: (\w{8})/.exec(slack.textOf(slack.messages[0]))![1]);
    await button(page, 'Link Slack account').click();
    await page.getByText('URITA').waitFor();
    await button(page, 'Unlink Slack account').click();
    await button(page, 'Send code to Slack').waitFor();
  });
});
