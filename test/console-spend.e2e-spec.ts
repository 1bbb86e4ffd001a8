import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { today } from '../src/platform/time/day.js';
import { metrics } from '../src/spend/usage-row.js';
import { newId } from '../src/platform/crypto/ids.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { rangeOf } from '../console/pages/spend/period.ts';
import { ClickCounter } from './kit/clicks.js';
import { openConsole, inChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { button, field } from './kit/form.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

const pages: Page[] = [];
let server: TestServer;
let lark: Organization;
let fixture: SpendFixture;
let connectionId: string;
let carts: string;
let analyst: Member;
let ada: GraphqlRequest;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  ada = await lark.as();
  fixture = new SpendFixture(server, lark);
  connectionId = await fixture.createConnection();
  carts = await fixture.createUnit('group', 'Carts');
  const lanterns = await fixture.createUnit('group', 'Lanterns');
  await fixture.createIdentity(connectionId, 'ines', await fixture.createPerson('Ines', { group: carts }));
  await fixture.createIdentity(connectionId, 'bob', await fixture.createPerson('Bob', { group: lanterns }));
  await fixture.createIdentity(connectionId, 'guest\u202e<b>');
  await fixture.createIdentity(connectionId, 'never', await fixture.createPerson('Nina', { group: carts }));
  await days();
  analyst = await fixture.createAnalyst();
});
afterAll(() => server.close());
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});

/** $150.00 of Ines, $50.00 of Bob and $1.00 of an unmatched user; $80.00 of the total are overage. */
async function days(): Promise<void> {
  const [first, second] = ['2026-03-30', '2026-03-31'];
  await fixture.createDay({
    day: first,
    of: 'ines',
    tab_completions_shown: 10,
    tab_completions_accepted: 4,
    lines_accepted_added: 1500,
    charged_cents: '12500',
    included_cents: '10000',
  });
  await fixture.createDay({
    day: second,
    of: 'ines',
    ai_requests_agent: 4,
    charged_cents: '2500',
    included_cents: '0',
  });
  await fixture.createDay({
    day: second,
    of: 'bob',
    ai_requests_agent: 2,
    charged_cents: '5000',
    included_cents: '2000',
  });
  await fixture.createDay({ day: second, of: 'guest\u202e<b>', charged_cents: '100', included_cents: '100' });
  const charge = { list_cents: '9000', input_tokens: 1_200_000 };
  await fixture.createCharge({ day: first, of: 'ines', model: 'deep-1', charged_cents: '2500', ...charge });
  await fixture.createCharge({ day: first, of: 'ines', model: 'swift', isIncluded: true, charged_cents: '10000' });
  await fixture.createCharge({ day: second, of: 'ines', model: 'deep-1', charged_cents: '2500' });
  await fixture.createCharge({ day: second, of: 'bob', model: 'deep-1', charged_cents: '3000' });
  await fixture.createCharge({ day: second, of: 'bob', model: 'swift', isIncluded: true, charged_cents: '2000' });
  await fixture.createCharge({
    day: second,
    of: 'guest\u202e<b>',
    model: 'swift',
    isIncluded: true,
    charged_cents: '100',
  });
  for (const day of [first, second])
    await server.app
      .get(DatabaseService)
      .tenant(lark.system, (tx) => server.app.get(RollupsService).updateDay(tx, lark.system, { connectionId, day }));
  for (const [day, state] of [
    ['2026-03-20', 'lost'],
    [first, 'final'],
    [second, 'provisional'],
  ] as const)
    await fixture.setCoverage(connectionId, day, state);
}

/** People of another organization who each accepted 100 lines last week, at these cents; returns an analyst. */
async function usageOfLastWeek(centsByName: Record<string, number>): Promise<Member> {
  const wren = await anOrganization(server);
  const usage = new SpendFixture(server, wren);
  const connectionId = await usage.createConnection();
  const day = rangeOf('last-week', today()).from;
  for (const [name, cents] of Object.entries(centsByName)) {
    await usage.createIdentity(connectionId, name, await usage.createPerson(name));
    await usage.createDay({ day, of: name, lines_accepted_added: 100, charged_cents: cents, included_cents: 0 });
  }
  await server.app
    .get(DatabaseService)
    .tenant(wren.system, (tx) => server.app.get(RollupsService).updateDay(tx, wren.system, { connectionId, day }));
  return usage.createAnalyst();
}

const march = '?period=own&from=2026-03-01&to=2026-03-31';
async function at(
  path: string,
  member: Member = lark.admin,
  options: Parameters<typeof openConsole>[2] = {},
): Promise<Page> {
  const page = await openConsole(server, member, options);
  pages.push(page);
  await page.goto(`/console/spend/${path}`);
  return page;
}
const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const row = (within: Page | Locator, name: string | RegExp) => within.getByRole('row', { name });
async function cells(of: Locator): Promise<string[]> {
  await of.waitFor();
  return (await of.getByRole('cell').allInnerTexts()).map((text) => text.trim());
}

inChromium('the overview of spend', () => {
  it('shows cost, included usage, results, and missing days', async () => {
    const page = await at(`overview${march}`);
    const cost = tile(page, 'Cost');
    await cost.getByText('$201.00', { exact: true }).waitFor();
    await cost.getByText('$121.00 included, $80.00 overage').waitFor();
    await tile(page, 'Active people').getByText('3', { exact: true }).waitFor();
    await tile(page, 'Completions accepted').getByText('40%', { exact: true }).waitFor();
    await expect.poll(() => tile(page, 'Cost per accepted line').innerText()).toContain('1,500 lines');
    await page.getByText('Lost: 1 day (Mar 20, 2026).').waitFor();
    await page.getByText('Data since Mar 30, 2026').waitFor();
    await page.getByText('No data for the previous period. Data starts on Mar 30, 2026.').waitFor();
    expect(await cost.locator('[tabindex]').count()).toBe(0);
  });

  it('shows days as chart or table, and keeps the selection in the address', async () => {
    const page = await at(`overview${march}`);
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart.getByText('Table', { exact: true }).click();
    await row(chart, /Mar 30/)
      .getByText('$100.00')
      .waitFor();
    await chart.getByText('Week', { exact: true }).click();
    await page.waitForURL(/per=week/);
    await page.reload();
    await page.getByRole('radio', { name: 'Week', checked: true }).waitFor({ state: 'attached' });
  });

  it('shows one group through a link from the groups', async () => {
    const page = await at(`groups${march}`);
    expect(await cells(row(page, /^Lanterns/))).toEqual(expect.arrayContaining(['$50.00', '24.9%', '$30.00']));
    await row(page, /^No group/)
      .getByText('$1.00')
      .waitFor();
    await page.getByRole('link', { name: 'Carts' }).click();
    await page.waitForURL(new RegExp(`overview.*group=${carts}`));
    await tile(page, 'Cost').getByText('$150.00', { exact: true }).waitFor();
  });

  it('says that an inverted range is not applied', async () => {
    const page = await at('overview?period=own&from=2026-03-31&to=2026-03-01');
    await page.getByText('Enter a day on or after the first day.').waitFor();
    await page.getByText('Custom range not applied. Showing the last 30 days:').waitFor();
  });

  it('filters by vendor', async () => {
    const page = await at(`overview${march}`);
    await page.getByRole('textbox', { name: 'Vendor' }).or(page.getByLabel('Vendor')).first().click();
    await page.getByRole('option').first().click();
    await page.waitForURL(/connection=/);
    await tile(page, 'Cost').getByText('$201.00', { exact: true }).waitFor();
  });

  it('shows the next step while there is no data', async () => {
    const moor = await anOrganization(server);
    const page = await openConsole(server, moor.admin);
    pages.push(page);
    for (const [path, text] of [
      ['overview', 'No usage data yet'],
      ['coverage', 'No usage data yet'],
      ['groups', 'No usage in this period'],
      ['seats', 'No seats yet'],
      ['budgets', 'No budgets yet'],
      ['identities', 'No unmatched identities'],
    ]) {
      await page.goto(`/console/spend/${path}`);
      await page.getByText(text).waitFor();
    }
    await page.goto('/console/spend');
    await page.getByRole('link', { name: 'Go to integration settings' }).click();
    await page.waitForURL(/\/integrations$/);
  });
});

inChromium('individual usage', () => {
  it('is shown to an analyst and recorded, and not to an administrator', async () => {
    const page = await at(`people${march}`, analyst);
    await row(page, /^Ines/).getByText('$150.00').waitFor();
    const guest = row(page, /guest/);
    await guest.getByText('Unmatched', { exact: true }).waitFor();
    await expect.poll(() => guest.innerText()).toContain('guest⟨U+202E⟩<b>');
    await page.getByText('Access to individual usage is recorded').waitFor();
    const { data } = await ada('{ auditEvents(kind: "spend.people_read", first: 1) { nodes { actor } } }');
    expect(data.auditEvents.nodes[0].actor.name).toBe('Ann Analyst');

    const asAdmin = await at(`people${march}`);
    await asAdmin.getByText("You don't have access to individual usage").waitFor();
    expect(await asAdmin.getByText('Ines').count()).toBe(0);
  });

  it('of one person shows every metric per day', async () => {
    const page = await at(`people${march}`, analyst);
    await row(page, /^Ines/).getByRole('link', { name: 'Ines' }).click();
    await page.getByRole('heading', { name: 'Ines' }).waitFor();
    const table = page.getByRole('table', { name: 'Usage by day' });
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(3 + metrics.length);
    await table.getByRole('columnheader', { name: 'Input tokens', exact: true }).waitFor();
    const figures = async (day: RegExp) => cells(table.getByRole('row', { name: day }));
    expect(await figures(/^Mar 31, 2026/)).toEqual(['$25.00', '$25.00', '–', '4', ...Array<string>(15).fill('–')]);
    expect(await figures(/^Mar 30, 2026/)).toEqual(expect.arrayContaining(['$125.00', '$25.00', '10', '4', '1,500']));
    expect(await figures(/^Mar 1, 2026 – Mar 31, 2026/)).toEqual(
      expect.arrayContaining(['$150.00', '$50.00', '1,500']),
    );
    await page.getByRole('link', { name: 'All people' }).click();
    await row(page, 'guest').getByRole('link').click();
    await page.getByRole('heading', { name: 'guest' }).waitFor();
    await table.getByRole('row', { name: /^Mar 31, 2026/ }).waitFor();
  });

  it('says that a person does not exist', async () => {
    for (const id of [newId(), 'wrong']) {
      const page = await at(`people/${id}`, analyst);
      await page.getByText('Page not found', { exact: true }).waitFor();
    }
  });

  it('filters figures by person, for analysts only', async () => {
    const page = await at(`overview${march}`, analyst);
    const person = page.getByRole('combobox', { name: 'Person' });
    await person.fill('bo');
    await page.getByRole('option', { name: 'Bob' }).click();
    await tile(page, 'Cost').getByText('$50.00', { exact: true }).waitFor();
    await page.reload();
    await tile(page, 'Cost').getByText('$50.00', { exact: true }).waitFor();
    await expect.poll(() => person.inputValue()).toBe('Bob');

    const asAdmin = await at(`overview${march}`);
    await tile(asAdmin, 'Cost').waitFor();
    expect(await asAdmin.getByRole('combobox', { name: 'Person' }).count()).toBe(0);
  });

  it('answers who used it most last week, and whether it paid, in four clicks', async () => {
    const page = await openConsole(server, await usageOfLastWeek({ Ines: 300, Bob: 9000 }));
    pages.push(page);
    const clicks = await ClickCounter.start(page);
    await page.goto('/console');
    await page.getByRole('link', { name: 'Spend', exact: true }).click();
    await page.getByRole('tab', { name: 'People' }).click();
    await page.getByText('recorded in the audit log').waitFor(); // the overview has a period, too
    await page
      .getByRole('combobox', { name: 'Period' })
      .or(page.getByRole('textbox', { name: 'Period' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'Last week', exact: true }).click();
    await page.waitForURL(/period=last-week/);
    await expect
      .poll(() => row(page, /^(Bob|Ines)/).allInnerTexts())
      .toEqual([
        expect.stringMatching(/Bob[^]*\$90\.00[^]*90\.00 ¢/),
        expect.stringMatching(/Ines[^]*\$3\.00[^]*3\.00 ¢/),
      ]);
    clicks.expectAtMost(4);
  });

  it('is limited to the groups that an administrator assigns to an analyst', async () => {
    const member = await lark.member({ name: 'Nell Newanalyst', roles: ['analyst'] });
    const page = await at(`people${march}`, member);
    await page.getByText('No groups are assigned to you yet').waitFor();

    const privacy = await at('privacy');
    await button(privacy, 'Edit access of Nell Newanalyst').click();
    const dialog = privacy.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'People in selected groups' }).check();
    await dialog.getByRole('combobox', { name: 'Groups' }).click();
    await privacy.getByRole('option', { name: 'Carts' }).click();
    await privacy.keyboard.press('Tab');
    await button(dialog, 'Save access').click();
    await row(privacy, /Nell/).getByText('Carts').waitFor();

    await page.reload();
    await page.getByText('You can see people in Carts.').waitFor();
    await row(page, /^Ines/).waitFor();
    expect(await row(page, /Bob|guest/).count()).toBe(0);
  });

  it('is shown with pseudonyms if the organization requires it', async () => {
    const privacy = await at('privacy');
    const toggle = privacy.getByRole('switch', { name: /Show pseudonyms/ });
    await toggle.click({ force: true });
    await privacy.getByRole('switch', { name: /Show pseudonyms/, checked: true }).waitFor({ state: 'attached' });
    const page = await at(`people${march}`, analyst);
    await page.getByText('Names are replaced by pseudonyms.').waitFor();
    await row(page, /^Someone/)
      .first()
      .waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/Ines|Bob|people\.example/);
    await toggle.click({ force: true });
    await privacy.getByRole('switch', { name: /Show pseudonyms/, checked: false }).waitFor({ state: 'attached' });
    await page.reload();
    await row(page, /^Ines/).waitFor();
  });
});

inChromium('models, changes and seats', () => {
  it('are compared', async () => {
    const page = await at(`models${march}`);
    expect(await cells(row(page, /^deep-1/))).toEqual(expect.arrayContaining(['$80.00', '$90.00', '1.2M']));
    await page.getByRole('tab', { name: 'Changes' }).click();
    await row(page, /^Carts/)
      .getByText('+$150.00')
      .waitFor();
  });

  it('that are idle are counted for all, and named to analysts', async () => {
    const page = await at('seats', analyst);
    await page.getByLabel('0 of 4 seats used').waitFor({ state: 'attached' });
    expect(await cells(row(page, /^Ines/))).toEqual(expect.arrayContaining(['Carts', 'Mar 31, 2026']));
    await page.getByText('Never used', { exact: true }).last().click();
    await page.waitForURL(/seats=never/);
    await row(page, /^Nina/).getByText('Never', { exact: true }).waitFor();
    await row(page, /^Ines/).waitFor({ state: 'detached' });

    const asAdmin = await at('seats');
    await asAdmin.getByLabel('0 of 4 seats used').waitFor({ state: 'attached' });
    await asAdmin.getByText("You don't have access to individual usage").waitFor();
  });
});

inChromium('budgets', () => {
  it('are created, shown for a month, edited by one administrator at a time, and removed', async () => {
    const page = await at('budgets?month=2026-03');
    await button(page, 'Create budget').click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Create budget').click();
    await dialog.getByText('Enter an amount above 0.').waitFor();
    await dialog.getByRole('combobox', { name: 'Scope', exact: true }).click();
    await page.getByRole('option', { name: 'Group', exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'Carts' }).click();
    await field(dialog, 'Monthly amount').fill('100');
    await button(dialog, 'Create budget').click();
    const budget = row(page, /Carts/);
    await budget.getByText('$150.00 of $100.00 (150%)').waitFor();
    await budget.getByText('$50.00 over').waitFor();

    const other = await at('budgets?month=2026-03');
    const open = async (on: Page) => {
      await button(on, 'Actions for Carts').click();
      await on.getByRole('menuitem', { name: 'Edit budget' }).click();
      return on.getByRole('dialog');
    };
    const [mine, theirs] = [await open(page), await open(other)];
    await field(mine, 'Monthly amount').fill('300');
    await button(mine, 'Save budget').click();
    await budget.getByText('$150.00 of $300.00 (50%)').waitFor();
    await field(theirs, 'Monthly amount').fill('400');
    await button(theirs, 'Save budget').click();
    await theirs.getByRole('alert').waitFor();
    await expect.poll(() => budget.innerText()).toContain('of $300.00');

    await button(page, 'Actions for Carts').click();
    await page.getByRole('menuitem', { name: 'Remove budget' }).click();
    await button(page.getByRole('dialog'), 'Remove budget').click();
    await page.getByText('No budgets yet').waitFor();
  });
});

inChromium('identities', () => {
  it('are matched, undone, matched by search, ignored and restored', async () => {
    const { it: nora } = await mutate(ada, 'createSpendPerson', 'CreateSpendPersonInput', {
      name: 'Nora Night',
      email: 'nora@people.example',
    });
    expect(nora).toBeTruthy();
    await fixture.createIdentity(connectionId, 'nora+cursor@people.example');
    const page = await at('identities?search=nora');
    const nobody = row(page, /nora\+cursor/);
    await nobody.getByText('Same address except for plus tag').waitFor();
    const match = button(page, 'Match nora+cursor@people.example to Nora Night');
    await match.click();
    await page.getByText('nora+cursor@people.example is now matched to Nora Night.').waitFor();
    await nobody.waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await match.waitFor();

    await button(page, 'Ignore nora+cursor@people.example').click();
    await nobody.waitFor({ state: 'detached' });
    await page.getByText('Ignored', { exact: true }).click();
    await button(page, 'Restore nora+cursor@people.example').click();
    await page.getByText('No matching identities').waitFor();
    await page.getByText('Unmatched', { exact: true }).click();
    const other = page.getByRole('combobox', { name: 'Match another person to nora+cursor@people.example' });
    await other.fill('Nora');
    await page.getByRole('option', { name: /Nora Night/ }).click();
    await page.getByText('Matched', { exact: true }).click();
    await nobody.getByText('By an administrator').waitFor();
  });
});

inChromium('the calendar', () => {
  it('shows the coverage of a day, by mouse and by keyboard', async () => {
    await fixture.query('update spend_coverage set revision = 1 where day >= $1', ['2026-03-30']);
    const page = await at(`coverage${march}`);
    await button(page, 'Mar 20, 2026: lost').click();
    await page.getByRole('region', { name: 'Mar 20, 2026' }).getByText('lost').first().waitFor();
    const last = button(page, 'Mar 31, 2026: provisional');
    await last.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Mar 30, 2026' }).getByText('final').first().waitFor();
  });
});

inChromium('exports', () => {
  const downloaded = async (page: Page, name: string): Promise<string[]> => {
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    return (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
  };

  it('contain totals, and people for analysts only', async () => {
    const page = await at(`export${march}`);
    const usage = await downloaded(page, 'usage.csv');
    expect(usage[0]).toContain('charged_cents');
    expect(usage.join('\n')).toContain('Carts');
    expect(usage.join('\n')).not.toContain('Ines');
    expect((await downloaded(page, 'focus.csv'))[0]).toContain('BilledCost');
    expect((await downloaded(page, 'coverage.csv')).join('\n')).toContain('lost');

    const asAnalyst = await at(`export${march}`, analyst);
    await asAnalyst.getByRole('checkbox', { name: /Include individuals/ }).check();
    expect((await downloaded(asAnalyst, 'usage.csv')).join('\n')).toContain('Ines');
  });
});

inChromium('spend on a phone', () => {
  it('has its filters behind a button that says how many are set', async () => {
    const page = await at(`overview${march}`, lark.admin, { viewport: { width: 360, height: 740 } });
    await tile(page, 'Cost').getByText('$201.00', { exact: true }).waitFor();
    const group = page
      .getByRole('combobox', { name: 'Group' })
      .or(page.getByRole('textbox', { name: 'Group' }))
      .first();
    expect(await group.isVisible()).toBe(false);
    await button(page, 'Filters').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Carts');
    await page.getByRole('option', { name: 'Carts' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tile(page, 'Cost').getByText('$150.00', { exact: true }).waitFor();
    await button(page, 'Filters (1)').click();
    await group.waitFor({ state: 'hidden' });
  });

  it('fits, with every figure next to its name', async () => {
    const page = await at(`groups${march}`, lark.admin, { viewport: { width: 360, height: 740 } });
    await row(page, /^Carts/)
      .getByText('$150.00')
      .waitFor();
    for (const path of ['overview', 'models', 'seats', 'budgets', 'coverage', 'export', 'identities', 'privacy']) {
      await page.goto(`/console/spend/${path}${march}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const busy of await page.getByLabel('Loading').all()) await busy.waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  });
});
