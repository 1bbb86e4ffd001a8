import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CDPSession, Page } from 'playwright-core';
import { accessibilityFaults } from './kit/axe.js';
import { openConsole, inChromium } from './kit/console.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';

/* Decisions with a passkey, in a browser with a virtual authenticator. */

const authenticator = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

let at: ApprovalsFixture;

beforeAll(async () => {
  at = await ApprovalsFixture.start(undefined, { HOST: 'localhost' });
});
afterAll(() => at.close());

async function attachAuthenticator(page: Page): Promise<{ devices: CDPSession; authenticatorId: string }> {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', { options: authenticator });
  return { devices, authenticatorId };
}

inChromium('a step that requires a passkey', () => {
  it('is set in the dialog of the step, which warns of approvers without a passkey', async () => {
    const page = await openConsole(at.server, at.fixture.organization.admin, { bypassCSP: true });
    await page.goto('/console/agents/capabilities/approval-steps');
    await page.getByRole('button', { name: 'Create step' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('signed');
    await page.getByRole('checkbox', { name: 'Require a passkey' }).check();
    await expect
      .poll(() => page.getByRole('checkbox', { name: 'Members can decide in Slack' }).isDisabled())
      .toBe(true);
    await page.getByRole('button', { name: 'Save step' }).click();
    await page.getByText('Approval step saved. Approvers with a passkey: 0 of 2').waitFor();
    await page.getByRole('cell', { name: /^Required/ }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click(); // it covers the end of the page on a phone
    await page.getByText('Approval step saved.').waitFor({ state: 'detached' });
    expect(await accessibilityFaults(page)).toEqual([]);
    await at.publish('signed');
    await page.goto(`/console/agents/capabilities/configurations/${at.fixture.configurationId}/policy`);
    await page.getByText('Approvers of step “signed” need passkeys').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('is approved and denied with one press and the dialog of the browser', async () => {
    const page = await openConsole(at.server, at.fixture.reviewer);
    const { devices, authenticatorId } = await attachAuthenticator(page);
    await page.goto('/account/ways-in');
    await page.getByLabel('Name of the new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor();

    const asked = await at.request();
    await page.goto(`/console/approvals/${asked.id}`);
    const approve = page.getByRole('button', { name: 'Approve with passkey' });
    await approve.waitFor();
    const setPresence = (enabled: boolean) =>
      devices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId });
    await devices.send('WebAuthn.clearCredentials', { authenticatorId });
    await approve.click();
    await page.getByRole('alert').getByText('The request was canceled or timed out').waitFor();
    expect(await at.load(asked.id)).toMatchObject({ state: 'pending', approvedBy: [] });

    for (const credential of credentials) await devices.send('WebAuthn.addCredential', { authenticatorId, credential });
    await setPresence(true);
    await approve.click();
    await expect.poll(async () => (await at.load(asked.id)).state).toBe('approved');
    await expect.poll(() => at.ticketCount(asked.title)).toBe(1);
    await page.goto(`/console/approvals/${asked.id}?show=decided`);
    await page.getByRole('status').getByText(', with a passkey').waitFor();
    await page.getByText('Passkey evidence').click();
    await page.getByText('authenticatorData').waitFor();

    const other = await at.request();
    await page.goto(`/console/approvals/${other.id}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByLabel('Reason for denial').fill('Not today.');
    await page.getByRole('button', { name: 'Deny with passkey' }).click();
    await expect.poll(async () => (await at.load(other.id)).state).toBe('denied');

    const plain = await at.request();
    await page.goto(`/approvals/${plain.id}`);
    await page.getByRole('button', { name: 'Approve with a passkey' }).click();
    await expect.poll(async () => (await at.load(plain.id)).state).toBe('approved');
    await page.context().close();
  });

  it('explains to an approver without a passkey how to add one', async () => {
    const nora = await at.fixture.organization.member({ name: 'Nora None', roles: ['admin'] });
    const asked = await at.request();
    const page = await openConsole(at.server, nora, { bypassCSP: true });
    await page.goto(`/console/approvals/${asked.id}`);
    await page.getByText('You have no passkey, and this step requires one.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.waitForURL('**/account/ways-in');
    await page.context().close();
  });
});
