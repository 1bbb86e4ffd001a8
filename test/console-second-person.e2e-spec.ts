import { afterAll, beforeAll, expect, it } from 'vitest';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { inChromium, openConsole } from './kit/console.js';
import { button, field } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

inChromium('two-person administration', () => {
  it('proposes a change of roles with a reason, and another administrator confirms the differences', async () => {
    const lark = await anOrganization(server);
    const second = await lark.member({ name: 'Rita Reviewer', roles: ['admin'] });
    const member = await lark.member({ name: 'Max Member' });
    const page = await openConsole(server, lark.admin);
    await page.goto('/console/organization/settings');
    // the switch shows what the server says
    await page.getByRole('switch', { name: 'Change roles' }).click({ force: true });
    await expect
      .poll(async () => {
        const get = await lark.as();
        const { data } = await get('{ twoPersonAdministration { areas { area isEnabled } } }');
        return (data.twoPersonAdministration.areas as { area: string; isEnabled: boolean }[]).filter(
          ({ isEnabled }) => isEnabled,
        );
      })
      .toEqual([{ area: 'roles', isEnabled: true }]);

    await page.goto(`/console/organization/members/${member.id}`);
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(page, 'Save roles').click();
    const dialog = page.getByRole('dialog', { name: 'Change proposed' });
    await field(dialog, 'Reason').fill('Max prepares the audit.');
    await button(dialog, 'Save reason').click();
    await page.getByText('Reason saved.').waitFor();

    const other = await openConsole(server, second);
    await other.goto('/console');
    await other.getByRole('link', { name: 'Change the roles of Max Member' }).click();
    await other.getByText('Max prepares the audit.').waitFor();
    const differences = other.getByRole('region', { name: 'Differences' });
    await expect.poll(() => differences.getByRole('cell').allTextContents()).toEqual(['Member', 'Auditor, Member']);
    await button(other, 'Confirm change').click();
    await other.getByText('Change confirmed and applied.').waitFor();
    await other.getByText('Confirmed', { exact: true }).waitFor();
    await page.reload();
    await expect.poll(() => page.getByRole('checkbox', { name: 'Auditor' }).isChecked()).toBe(true);
  });

  it('shows the proposing administrator that another one has to confirm', async () => {
    const lark = await anOrganization(server);
    const member = await lark.member({ name: 'Max Member' });
    const set = await lark.as();
    await set(
      'mutation ($input: SetTwoPersonAdministrationInput!) { setTwoPersonAdministration(input: $input) { administratorCount } }',
      { input: { area: 'roles', isEnabled: true } },
    );
    const page = await openConsole(server, lark.admin);
    await page.goto('/console/organization/settings');
    await page.getByText('This organization has one administrator').waitFor();
    await page.goto(`/console/organization/members/${member.id}`);
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(page, 'Save roles').click();
    await page.getByRole('link', { name: 'View proposed change' }).click();
    await page.getByText('another administrator has to confirm it').waitFor();
    expect(await button(page, 'Confirm change').count()).toBe(0);
    await button(page, 'Withdraw change').click();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
  });
});

inChromium('break-glass', () => {
  it('overrides an approval with a reason, and another member reviews it', async () => {
    const at = await GateFixture.create(server, workplace);
    await at
      .get(PoliciesService)
      .publish(
        await at.principalOf(),
        at.configurationId,
        '@approval("review") permit (principal, action in Action::"write", resource);',
      );
    const bea = await at.organization.member({ name: 'Bea Break' });
    await at.get(BreakGlassRightsService).grant(await at.principalOf(at.reviewer), bea.id);
    await at.call('create_ticket', { title: 'Conveyor burns' });

    const page = await openConsole(server, bea);
    await page.goto('/console/approvals');
    await button(page, 'Override approval').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Reason').fill('The line burns.');
    await button(dialog, 'Override approval').click();
    await page.getByText('Overridden with break-glass rights').first().waitFor();
    await page.getByText('You overrode this approval, so another member has to review it.').waitFor();

    const other = await openConsole(server, at.reviewer);
    await other.goto('/console');
    await other.getByText('overrode a pending approval').waitFor();
    await other.goto('/console/approvals');
    await other.getByRole('alert').getByRole('link', { name: 'workplace__create_ticket' }).click();
    await other.getByText('The line burns.').waitFor();
    await field(other, 'Review').fill('Justified.');
    await button(other, 'Close review').click();
    await other.getByText('Review saved.').waitFor();
    await other.getByText('Justified.').waitFor();
    await other.getByText('Overrides to review').waitFor({ state: 'detached' });
  });
});
