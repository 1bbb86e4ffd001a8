import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { MembersService } from '../src/access/members.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { button, pick } from './kit/form.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { MemorySource } from './kit/memory-source.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let knowledge: KnowledgeFixture;
let page: Page;
let id: string;

const source = new MemorySource('memory-console');
source.addAccount('U-ina', 'ina@lark.example');
source.addAccount('U-otto', 'otto@elsewhere.example');
source.addSpace('closed', { accounts: ['U-ina'], groups: ['readers'] });
source.addSpace('silent');
source.spaces.get('silent')!.disclosed = 'existence';
source.groups.set('readers', new Set(['U-otto']));
source.addPage('plan', 'closed', 'The zebrafish plan.');
source.addPage('note', 'silent', 'The axolotl note.');

beforeAll(async () => {
  server = await testServer();
  server.app.get(ConnectorRegistry).register(source.connector);
  lark = await anOrganization(server, { name: 'Larkmoor' });
  for (const [name, email] of [
    ['Ina Reader', 'ina@lark.example'],
    ['Otto Outsider', 'otto@lark.example'],
  ])
    await server.app.get(MembersService).create(lark.system, { email, name });
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
  page = await openConsole(server, lark.admin);
});
afterAll(() => server.close());

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

inChromium('a source with permissions', () => {
  it('syncs nothing until an administrator has chosen what', async () => {
    ({ id } = await knowledge.connect({ kind: source.id, slug: 'wiki' }));
    await page.goto(`/console/integrations/${id}/sync`);
    await shows('Choose what to sync');
    await page.getByRole('alert').getByRole('link', { name: 'settings', exact: true }).click();
    await pick(page, 'Spaces', 'Space closed (private)');
    await pick(page, 'Spaces', 'Space silent (private)');
    await page.keyboard.press('Escape');
    await button(page, 'Save and test connection').click();
    await page.goto(`/console/integrations/${id}/sync`);
    await shows(/^2 documents in 2 passages/);
    await expect.poll(() => page.getByText('Choose what to sync').count()).toBe(0);
  });

  it('shows which secret its webhooks need', async () => {
    await page.goto(`/console/integrations/${id}/sync`);
    const section = page.getByRole('region', { name: 'Webhook', exact: true });
    await section.getByText('In the memory of the test, choose all events.').waitFor();
    await section.getByText(/^Secret\..*It is not set\./).waitFor();
    await section.getByRole('link', { name: 'settings' }).click();
    await button(page, 'Save and test connection').waitFor();
  });

  it('shows when its permissions were read, and which documents nobody can find', async () => {
    await knowledge.refreshRoster(id);
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('heading', { name: 'Permissions' }).waitFor();
    await shows('2, 1 unmatched');
    await page
      .getByRole('alert')
      .filter({ hasText: 'Some documents cannot be found' })
      .getByText(/silent/)
      .waitFor();
  });

  it('explains why a member can or cannot read a document', async () => {
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: 'plan' }).click();
    await pick(page, 'Member', /^Ina Reader/);
    await shows('The member can read this document');
    await shows(/matched by the verified address ina@lark\.example/);
    await shows(/listed directly/);
    await pick(page, 'Member', /^Otto Outsider/);
    await shows('The member cannot read this document');
    await shows('Accounts of the member: none.');
  });

  it('assigns an account to a member, which opens what the account can read', async () => {
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: 'View accounts' }).click();
    await pick(page, 'Show', 'Unmatched');
    await expect.poll(() => page.getByRole('row', { name: /U-ina/ }).count()).toBe(0);
    await button(page, 'Assign account U-otto').click();
    const dialog = page.getByRole('dialog', { name: 'Assign account' });
    await pick(dialog, 'Member', /^Otto Outsider/);
    await button(dialog, 'Assign account').click();
    await shows('Account assigned.');
    await pick(page, 'Show', 'All accounts');
    await page.getByRole('row', { name: /U-otto.*Otto Outsider.*Assigned/ }).waitFor();

    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: 'plan' }).click();
    await pick(page, 'Member', /^Otto Outsider/);
    await shows('The member can read this document');
    await shows(/assigned by an administrator/);
    await shows(/in the group readers/);
  });

  it('closes it again without the assignment', async () => {
    await page.goto(`/console/knowledge/${id}/accounts`);
    await button(page, 'Assign account U-otto').click();
    await button(page.getByRole('dialog', { name: 'Assign account' }), 'Remove assignment').click();
    await shows('Assignment removed. The email address decides again.');
    await page.getByRole('row', { name: /U-otto.*No member/ }).waitFor();
  });
});
