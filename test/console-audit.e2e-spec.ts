import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { AuditService } from '../src/audit/audit.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { Principal } from '../src/principal/principal.js';
import { openConsole, inChromium } from './kit/console.js';
import { button, pick } from './kit/form.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

/** Markup and invisible characters. */
const hostile = '<img src=x onerror=alert(1)> \u202egnp\u200b.exe';
const shown = '<img src=x onerror=alert(1)> ⟨U+202E⟩gnp⟨U+200B⟩.exe';

let server: TestServer;
let lark: Organization;
let max: Member;
let page: Page;
let admin: Principal;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor' });
  max = await lark.member({ name: 'Max Searched' });
  admin = await sessionPrincipal(server, lark, lark.admin);
  const statuses = server.app.get(MemberStatusService);
  await statuses.suspend(admin, max.id);
  await statuses.reactivate(admin, max.id);
  await server.app.get(MembersService).setRoles(admin, max.id, ['auditor']);
  page = await openConsole(server, lark.admin);
});
afterAll(() => server.close());

const recorded = (of: Organization, records: Parameters<AuditService['record']>[2][]) =>
  server.app.get(DatabaseService).tenant(of.system, (tx) =>
    server.app.get(AuditService).recordAll(
      tx,
      records.map((record) => ({ principal: { ...of.system, name: hostile }, record })),
    ),
  );

const events = (of = page) => of.getByRole('table', { name: 'Events' });
const row = (name: string, of = page) => events(of).getByRole('link', { name, exact: true });
const region = (name: string) => page.getByRole('region', { name });

inChromium('the audit log', () => {
  it('filters by event type, actor, time, and text, and stores the filters in the address', async () => {
    await page.goto('/console/audit');
    await row('Member suspended').waitFor();
    await pick(page, 'Event type', 'Member: all');
    await row('Session opened').first().waitFor({ state: 'hidden' });
    await pick(page, 'Actor', 'Ada Admin');
    await pick(page, 'Time', 'Last 24 hours');
    const found = page.waitForResponse((answer) => answer.request().postData()?.includes('max sEARCH') === true);
    await page.getByRole('searchbox').fill('max sEARCH');
    await found;
    await page.waitForURL(`/console/audit?kind=member.&actor=${lark.admin.id}&period=day&search=max+sEARCH`);
    await row('Member suspended').waitFor();
    await page.getByText('3 of 3').waitFor();
    await events().getByText('Max Searched').nth(2).waitFor();
    await expect.poll(() => events().getByText('Max Searched').count()).toBe(3);

    await page.reload();
    await row('Member reactivated').waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('max sEARCH');
    await page.getByRole('searchbox').fill('nobody of that name');
    await button(page, 'Show all events').click();
    await row('Session opened').first().waitFor();
    await page.goto('/console/audit?period=days&from=2001-02-03&to=2001-02-04');
    await page.getByText('No matching events').waitFor();
    await expect.poll(() => page.getByLabel('Start date').inputValue()).toBe('2001-02-03');
  });

  it('shows one event in full and links to its subject', async () => {
    await page.goto(`/console/audit?subject=${max.id}`);
    await button(page, 'Clear subject filter: Max Searched').waitFor();
    await row('Member roles changed').click();
    await page.getByRole('heading', { level: 1, name: 'Member roles changed' }).waitFor();
    await region('Summary').getByText('Member Ada Admin, via the console').waitFor();
    await region('Changes').locator('ins', { hasText: 'auditor' }).waitFor();
    await button(page, 'Show JSON').click();
    const json = JSON.parse(await page.getByLabel('JSON', { exact: true }).innerText()) as object;
    expect(json).toMatchObject({
      kind: 'member.roles_changed',
      actor: { memberId: lark.admin.id },
      detail: { from: ['member'] },
    });
    await page.getByRole('link', { name: 'View all events by this actor' }).click();
    await page.waitForURL(`/console/audit?actor=${lark.admin.id}`);
    await page.goBack();
    await page.getByRole('link', { name: 'Max Searched' }).click();
    await page.waitForURL(`/console/organization/members/${max.id}`);
  });

  it('offers new events without moving the list', async () => {
    await page.goto('/console/audit?kind=member.');
    await row('Member suspended').waitFor();
    await server.app.get(MembersService).rename(admin, max.id, 'Max Renamed');
    await button(page, 'Show new events').waitFor();
    expect(await row('Member renamed').count()).toBe(0);
    await button(page, 'Show new events').click();
    await row('Member renamed').waitFor();
    await button(page, 'Show new events').waitFor({ state: 'hidden' });
  });

  it('exports the filtered events', async () => {
    await page.goto('/console/audit?kind=member.suspended&period=day');
    await row('Member suspended').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export events' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { kind?: string }).kind);
    expect(kinds.filter((kind) => kind)).toEqual(['member.suspended']);
    await page.goto('/console/audit?kind=audit.exported');
    await row('Audit exported').click();
    await region('Details').getByText('member.suspended').waitFor();
  });

  it('shows up to when events are sealed and downloads the newest head', async () => {
    await page.goto('/console/audit');
    await page.getByText(/events sealed/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download signed head' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit-head.json');
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ tenantId: lark.tenant.id });
  });

  it('loads more events on scrolling', async () => {
    const many = await anOrganization(server);
    await recorded(
      many,
      Array.from({ length: 450 }, (_, at) => ({
        kind: 'test.made',
        subject: { type: 'test', id: newId(), name: `${at}` },
      })),
    );
    const reader = await openConsole(server, many.admin);
    await reader.goto('/console/audit?kind=test.made');
    await reader.getByText('100 of 450').waitFor();
    for (const reached of ['200 of 450', '300 of 450', '400 of 450', '450 of 450']) {
      await reader.keyboard.press('End');
      await reader.getByText(reached).waitFor();
    }
    await reader.keyboard.press('End');
    await events(reader).locator('[aria-rowindex="451"]').waitFor();
    expect(await events(reader).getByRole('row').count()).toBeLessThan(120);
  });

  it('renders external content only as text', async () => {
    const id = newId();
    const detail = { reason: hostile, from: `${hostile} was`, to: `${hostile} is`, [hostile]: { deep: hostile } };
    await recorded(lark, [{ kind: 'test.hostile', subject: { type: 'task', id, name: hostile }, detail }]);
    await page.goto(`/console/audit?subject=${id}`);
    await row('Test hostile').waitFor();
    expect((await events().innerText()).split(shown).length).toBe(3);
    await row('Test hostile').click();
    await button(page, 'Show JSON').click();
    for (const part of ['Summary', 'Changes', 'Details', 'Raw event'])
      await expect.poll(() => region(part).innerText()).toContain(shown);
    expect(await page.locator('main img, main script, main [onerror]').count()).toBe(0);
  });

  it('is limited to people with permission to read it', async () => {
    const member = await openConsole(server, await lark.member());
    await member.goto('/console/audit');
    await member.getByRole('alert').waitFor();
    expect(await member.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    const auditor = await openConsole(server, await lark.member({ name: 'Una Auditor', roles: ['auditor'] }));
    await auditor.goto('/console/audit');
    await row('Member suspended', auditor).waitFor();
  });
});
