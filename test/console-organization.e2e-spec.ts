import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { Browser } from './kit/browser.js';
import { openConsole, inChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { button, chooseMore, confirmByName, field } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

const phrase = 'four plain words here';

let server: TestServer;
let lark: Organization;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);

beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  lark = await anOrganization(server);
});

const adminAt = async (path: string) => {
  const page = await openConsole(server, lark.admin);
  await page.goto(`/console/organization/${path}`);
  return page;
};
const statusOf = async (url: string) => (await fetch(url)).status;

inChromium('members', () => {
  it('join with an invite link that is shown once', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite member').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Email address').fill('grace');
    await button(dialog, 'Create invite link').click();
    await expect.poll(() => dialog.locator('input:invalid').count()).toBe(1);
    await field(dialog, 'Email address').fill('grace@lark.example');
    await dialog.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(dialog, 'Create invite link').click();
    const url = await field(dialog, 'Link').inputValue();
    await button(dialog, 'Done').click();
    await page.getByText('Invitation for grace@lark.example').waitFor();

    await page.reload();
    await page.getByText('Invitation for grace@lark.example').waitFor();
    expect(await page.content()).not.toContain(new URL(url).searchParams.get('link'));

    const grace = new Browser(server.url);
    await grace.submit(url.slice(server.url.length), { name: 'Grace Newcomer', password: phrase });
    const row = page.getByRole('row', { name: /Grace Newcomer/ });
    await row.getByText('Auditor').waitFor();
    await page.getByText('Invitation for grace@lark.example').waitFor({ state: 'detached' });
  });

  it('cannot join with a revoked invite link', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite member').click();
    await field(page, 'Email address').fill('wrong@lark.example');
    await button(page, 'Create invite link').click();
    const url = await field(page, 'Link').inputValue();
    await button(page, 'Done').click();
    expect(await statusOf(url)).toBe(200);
    await button(page, 'Revoke link for wrong@lark.example').click();
    await page.getByText('Link revoked.').waitFor();
    expect(await statusOf(url)).toBe(410);
  });

  it('cannot be invited twice', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite member').click();
    await field(page, 'Email address').fill(lark.admin.email);
    await button(page, 'Create invite link').click();
    await page.getByRole('alert').getByText('is already a member').waitFor();
  });

  it('are found by name, role and status, and a link shows the same', async () => {
    await lark.member({ name: 'Cleo Search' });
    const suspended = await lark.member({ name: 'Sus Pended', roles: ['auditor'] });
    await get(MemberStatusService).suspend(lark.system, suspended.id);
    const page = await adminAt('members');
    await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('cleo');
    await page.getByRole('row', { name: /Ada Admin/ }).waitFor({ state: 'detached' });
    await page.waitForURL(/search=cleo/);
    await page.reload();
    await page.getByRole('row', { name: /Cleo Search/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);

    await page.goto('/console/organization/members?status=suspended&role=auditor');
    await page.getByRole('row', { name: /Sus Pended/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.goto('/console/organization/members?search=nobody');
    await page.getByText('No matching members').waitFor();
  });

  it('with deceptive names are shown with marked characters', async () => {
    const { id } = await lark.member({ name: '<img src=x onerror=alert(1)> \u202eadmin Аdа' });
    const page = await adminAt('members');
    const row = page.getByRole('row', { name: /onerror/ });
    await expect.poll(() => row.innerText()).toContain('<img src=x onerror=alert(1)> ⟨U+202E⟩admin');
    expect(await row.locator('img').count()).toBe(0);
    await page.goto(`/console/organization/members/${id}`);
    await page.getByRole('heading', { level: 1, name: /onerror/ }).waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).locator('mark').count()).toBeGreaterThan(1);
  });

  it('get roles, and a concurrent change is reported', async () => {
    const max = await lark.member();
    const [page, other] = [await adminAt(`members/${max.id}`), await adminAt(`members/${max.id}`)];
    await other.getByRole('checkbox', { name: 'Analyst' }).check();
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(page, 'Save roles').click();
    await page.getByText('Roles saved.').waitFor();
    await button(other, 'Save roles').click();
    await other.getByText('Another person changed the roles').waitFor();
    await button(other, 'Try again').click();
    await other.getByRole('checkbox', { name: 'Auditor', checked: true }).waitFor();
    expect((await get(MembersService).get(lark.system, max.id)).roles).toEqual(['auditor', 'member']);
  });

  it('keep at least one administrator', async () => {
    const page = await adminAt(`members/${lark.admin.id}`);
    await page.getByRole('checkbox', { name: 'Administrator' }).uncheck();
    await button(page, 'Save roles').click();
    await page.getByRole('alert').getByText('last active administrator').waitFor();
  });

  it('are suspended, reactivated, renamed and removed by their address', async () => {
    const max = await lark.member();
    const page = await adminAt(`members/${max.id}`);
    await chooseMore(page, 'member', 'Suspend member');
    await button(page.getByRole('dialog'), 'Suspend member').click();
    await page.getByRole('heading', { level: 1 }).getByText('suspended').waitFor();
    await button(page, 'Reactivate member').click();
    await page.getByRole('heading', { level: 1 }).getByText('active').waitFor();

    await chooseMore(page, 'member', 'Rename member');
    await field(page.getByRole('dialog'), 'Name').fill('Max Renamed');
    await button(page, 'Save name').click();
    await page.getByRole('heading', { level: 1, name: /Max Renamed/ }).waitFor();

    await chooseMore(page, 'member', 'Remove member');
    const verb = button(page.getByRole('dialog'), 'Remove member');
    await expect.poll(() => verb.isDisabled()).toBe(true);
    await confirmByName(page, max.email, 'Remove member');
    await page.getByText('This member was removed permanently.').waitFor();
    expect(await page.getByRole('button', { name: 'More about this member' }).count()).toBe(0);
  });

  it('set a new password with a reset link', async () => {
    const max = await lark.member({ password: phrase });
    const page = await adminAt(`members/${max.id}`);
    await page.getByText('Password', { exact: true }).waitFor();
    await chooseMore(page, 'member', 'Create password reset link');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Also remove their passkeys' }).check();
    await button(page, 'Create reset link').click();
    const url = await field(page, 'Link').inputValue();
    const browser = new Browser(server.url);
    const response = await browser.submit(url.slice(server.url.length), { password: 'four other words there' });
    expect(response.status).toBe(303);
  });
});

inChromium('groups', () => {
  it('are created, filled, emptied, renamed and removed by name', async () => {
    await lark.member({ name: 'Gil Grouped' });
    const page = await adminAt('groups');
    await button(page, 'Create group').click();
    await field(page.getByRole('dialog'), 'Name').fill('Support');
    await button(page.getByRole('dialog'), 'Create group').click();
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();

    const choose = page.getByRole('combobox', { name: 'Add member' }).or(page.getByLabel('Add member'));
    await choose.first().fill('gil');
    await page.getByRole('option', { name: /Gil Grouped/ }).click();
    await page.getByRole('row', { name: /Gil Grouped/ }).waitFor();
    await button(page, 'Remove Gil Grouped from group').click();
    await page.getByText('No members yet').waitFor();

    await chooseMore(page, 'group', 'Rename group');
    await field(page.getByRole('dialog'), 'Name').fill('Help desk');
    await button(page, 'Save name').click();
    await page.getByRole('heading', { level: 1, name: 'Help desk' }).waitFor();
    await chooseMore(page, 'group', 'Remove group');
    await confirmByName(page, 'Help desk', 'Remove group');
    await page.waitForURL('/console/organization/groups');
    await page.getByText('No groups yet').waitFor();
  });

  it('have unique names, and cannot be removed while in use', async () => {
    const group = await get(GroupsService).create(lark.system, 'Support');
    await mutate(await lark.as(), 'createConfiguration', 'CreateConfigurationInput', {
      name: 'Desk',
      groupIds: [group.id],
    });
    const page = await adminAt('groups');
    await button(page, 'Create group').click();
    await field(page.getByRole('dialog'), 'Name').fill('SUPPORT');
    await button(page.getByRole('dialog'), 'Create group').click();
    await page.getByRole('alert').getByText('There is already a group named "SUPPORT"').waitFor();

    await page.goto(`/console/organization/groups/${group.id}`);
    await chooseMore(page, 'group', 'Remove group');
    await confirmByName(page, 'Support', 'Remove group');
    await page.getByRole('alert').getByText('is still used by a configuration').waitFor();
  });

  it('can be changed from the page of a member', async () => {
    await get(GroupsService).create(lark.system, 'Night shift');
    const max = await lark.member();
    const page = await adminAt(`members/${max.id}`);
    await page.getByRole('combobox', { name: 'Add to group' }).or(page.getByLabel('Add to group')).first().click();
    await page.getByRole('option', { name: 'Night shift' }).click();
    await button(page, 'Remove from Night shift').click();
    await page.getByText('No groups.').waitFor();
  });
});

inChromium('a sign-in provider', () => {
  it('warns before a domain is removed or the provider is disabled that addresses then count as verified', async () => {
    const id = newId();
    const owner = new pg.Client(server.databaseUrl);
    await owner.connect();
    await owner.query(
      `insert into sign_in_providers (tenant_id, id, name, issuer, client_id, email_domains, creates_members, created_at)
       values ($1, $2, 'Lark ID', 'https://sso.lark.example', 'client', '{lark.example}', false, now())`,
      [lark.tenant.id, id],
    );
    await owner.end();
    const page = await adminAt(`sign-in/${id}`);
    const domains = page.getByRole('combobox', { name: 'Email domains' });
    await domains.press('Backspace');
    const warning = page.getByText('Email addresses in lark.example then count as verified by the invitation');
    await warning.waitFor();
    await domains.fill('lark.example');
    await domains.press('Enter');
    await warning.waitFor({ state: 'detached' });
    await button(page, 'Disable provider').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Email addresses in lark.example then count as verified by the invitation').waitFor();
    await button(dialog, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    await button(page, 'Disable provider').click();
    await button(dialog, 'Disable provider').click();
    await button(page, 'Enable provider').click();
    await button(page, 'Disable provider').waitFor();
  });
});

inChromium('a member without permissions', () => {
  it.each(['members', 'groups', 'sign-in', 'keys', 'developer-access', 'settings'])(
    'sees no actions of %s',
    async (place) => {
      const page = await openConsole(server, await lark.member({ roles: ['auditor'] }));
      await page.goto(`/console/organization/${place}`);
      await page.getByText('Administrator access required').waitFor();
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Organization' }).count()).toBe(0);
    },
  );
});
