import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import { MembersService } from '../src/access/members.service.js';
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
  it('are invited by a link that is shown once, and comes in by it', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'E-mail address').fill('grace');
    await button(dialog, 'Make the link').click();
    expect(await dialog.locator('input:invalid').count()).toBe(1);
    await field(dialog, 'E-mail address').fill('grace@lark.example');
    await dialog.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(dialog, 'Make the link').click();
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

  it('whose link went to the wrong place do not come in by it', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite').click();
    await field(page, 'E-mail address').fill('wrong@lark.example');
    await button(page, 'Make the link').click();
    const url = await field(page, 'Link').inputValue();
    await button(page, 'Done').click();
    expect(await statusOf(url)).toBe(200);
    await button(page, 'Withdraw the link of wrong@lark.example').click();
    await page.getByText('Withdrawn: the link opens nothing any more.').waitFor();
    expect(await statusOf(url)).toBe(410);
  });

  it('are not invited twice: the refusal says why', async () => {
    const page = await adminAt('members');
    await button(page, 'Invite').click();
    await field(page, 'E-mail address').fill(lark.admin.email);
    await button(page, 'Make the link').click();
    await page.getByRole('alert').getByText('is a member already').waitFor();
  });

  it('are found by name, role and status, and a link shows the same', async () => {
    await lark.member({ name: 'Cleo Search' });
    const suspended = await lark.member({ name: 'Sus Pended', roles: ['auditor'] });
    await get(MembersService).suspend(lark.system, suspended.id);
    const page = await adminAt('members');
    await page.getByRole('searchbox', { name: 'Search names and addresses' }).fill('cleo');
    await page.getByRole('row', { name: /Ada Admin/ }).waitFor({ state: 'detached' });
    await page.waitForURL(/search=cleo/);
    await page.reload();
    await page.getByRole('row', { name: /Cleo Search/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    await page.goto('/console/organization/members?status=suspended&role=auditor');
    await page.getByRole('row', { name: /Sus Pended/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.goto('/console/organization/members?search=nobody');
    await page.getByText('Nobody fits').waitFor();
  });

  it('of names that deceive are shown as what they are', async () => {
    const { id } = await lark.member({ name: '<img src=x onerror=alert(1)> \u202eadmin Аdа' });
    const page = await adminAt('members');
    const row = page.getByRole('row', { name: /onerror/ });
    expect(await row.innerText()).toContain('<img src=x onerror=alert(1)> ⟨U+202E⟩admin');
    expect(await row.locator('img').count()).toBe(0);
    await page.goto(`/console/organization/members/${id}`);
    await page.getByRole('heading', { level: 1, name: /onerror/ }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).locator('mark').count()).toBeGreaterThan(1);
  });

  it('get roles, and the second of two administrators is told', async () => {
    const max = await lark.member();
    const [page, other] = [await adminAt(`members/${max.id}`), await adminAt(`members/${max.id}`)];
    await other.getByRole('checkbox', { name: 'Analyst' }).check();
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await button(page, 'Save roles').click();
    await page.getByText('Saved: the roles hold').waitFor();
    await button(other, 'Save roles').click();
    await other.getByText('Somebody else has changed the roles').waitFor();
    await button(other, 'Try again').click();
    await other.getByRole('checkbox', { name: 'Auditor', checked: true }).waitFor();
    expect((await get(MembersService).get(lark.system, max.id)).roles).toEqual(['auditor', 'member']);
  });

  it('never lose their last administrator', async () => {
    const page = await adminAt(`members/${lark.admin.id}`);
    await page.getByRole('checkbox', { name: 'Administrator' }).uncheck();
    await button(page, 'Save roles').click();
    await page.getByRole('alert').getByText('last active administrator').waitFor();
  });

  it('are suspended, reactivated, renamed and removed by their address', async () => {
    const max = await lark.member();
    const page = await adminAt(`members/${max.id}`);
    await chooseMore(page, 'member', 'Suspend');
    await button(page.getByRole('dialog'), 'Suspend').click();
    await page.getByRole('heading', { level: 1 }).getByText('suspended').waitFor();
    await button(page, 'Reactivate').click();
    await page.getByRole('heading', { level: 1 }).getByText('active').waitFor();

    await chooseMore(page, 'member', 'Rename');
    await field(page.getByRole('dialog'), 'Name').fill('Max Renamed');
    await button(page, 'Save').click();
    await page.getByRole('heading', { level: 1, name: /Max Renamed/ }).waitFor();

    await chooseMore(page, 'member', 'Remove');
    const verb = button(page.getByRole('dialog'), 'Remove member');
    expect(await verb.isDisabled()).toBe(true);
    await confirmByName(page, max.email, 'Remove member');
    await page.getByText('Was removed for good').waitFor();
    expect(await page.getByRole('button', { name: 'More about this member' }).count()).toBe(0);
  });

  it('choose a new password by a link, and show how they sign in', async () => {
    const max = await lark.member({ password: phrase });
    const page = await adminAt(`members/${max.id}`);
    await page.getByText('A password', { exact: true }).waitFor();
    await chooseMore(page, 'member', 'Make a password-reset link');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Forget their passkeys, too' }).check();
    await button(page, 'Make the link').click();
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
    await button(page, 'Create a group').click();
    await field(page.getByRole('dialog'), 'Name').fill('Support');
    await button(page, 'Create').click();
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();

    const choose = page.getByRole('combobox', { name: 'Add a member' }).or(page.getByLabel('Add a member'));
    await choose.first().fill('gil');
    await page.getByRole('option', { name: /Gil Grouped/ }).click();
    await page.getByRole('row', { name: /Gil Grouped/ }).waitFor();
    await button(page, 'Take Gil Grouped out of the group').click();
    await page.getByText('Nobody is in this group').waitFor();

    await chooseMore(page, 'group', 'Rename');
    await field(page.getByRole('dialog'), 'Name').fill('Help desk');
    await button(page, 'Save').click();
    await page.getByRole('heading', { level: 1, name: 'Help desk' }).waitFor();
    await chooseMore(page, 'group', 'Remove');
    await confirmByName(page, 'Help desk', 'Remove group');
    await page.waitForURL('/console/organization/groups');
    await page.getByText('No groups yet').waitFor();
  });

  it('have a name of their own, and stay while something names them', async () => {
    const group = await get(GroupsService).create(lark.system, 'Support');
    await mutate(await lark.as(), 'createConfiguration', 'CreateConfigurationInput', {
      name: 'Desk',
      groupIds: [group.id],
    });
    const page = await adminAt('groups');
    await button(page, 'Create a group').click();
    await field(page.getByRole('dialog'), 'Name').fill('SUPPORT');
    await button(page, 'Create').click();
    await page.getByRole('alert').getByText('A group is named "SUPPORT"').waitFor();

    await page.goto(`/console/organization/groups/${group.id}`);
    await chooseMore(page, 'group', 'Remove');
    await confirmByName(page, 'Support', 'Remove group');
    await page.getByRole('alert').getByText('is still used by a configuration').waitFor();
  });

  it('are joined and left from a member’s page', async () => {
    await get(GroupsService).create(lark.system, 'Night shift');
    const max = await lark.member();
    const page = await adminAt(`members/${max.id}`);
    await page.getByRole('combobox', { name: 'Add to a group' }).or(page.getByLabel('Add to a group')).first().click();
    await page.getByRole('option', { name: 'Night shift' }).click();
    await button(page, 'Take out of Night shift').click();
    await page.getByText('In no group.').waitFor();
  });
});

inChromium('who is no administrator', () => {
  it.each(['members', 'groups', 'sign-in', 'keys', 'developer-access', 'settings'])(
    'is offered nothing of %s',
    async (place) => {
      const page = await openConsole(server, await lark.member({ roles: ['auditor'] }));
      await page.goto(`/console/organization/${place}`);
      await page.getByText('Administrators look after this').waitFor();
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Organization' }).count()).toBe(0);
    },
  );
});
