import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { button, field, pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

const clipboards = { permissions: ['clipboard-read', 'clipboard-write'] };

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: Page;
let rita: Page;
/** Of the configuration that the test is about. */
let id: string;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await openConsole(server, fixture.organization.admin, clipboards);
  rita = await openConsole(server, fixture.reviewer, clipboards);
}, 120_000);
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

let made = 0;
beforeEach(async () => {
  const input = {
    name: `Configuration ${++made}`,
    description: '',
    connectionIds: [fixture.connectionId],
    groupIds: [],
  };
  id = (await fixture.get(ConfigurationsService).create(await fixture.principalOf(), input)).id;
});

const open = async (...pages: Page[]) => {
  for (const page of pages) await page.goto(`/console/agents/capabilities/configurations/${id}/policy`);
};
const editor = (page = ada) => page.getByRole('textbox', { name: 'Cedar policies' });
const textOf = async (page = ada) => (await editor(page).locator('.cm-line').allTextContents()).join('\n').trim();
const rule = (name: string) => ada.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: name });
const findings = () => ada.getByRole('list', { name: 'What was found' }).getByRole('listitem');
const current = async () => (await fixture.get(PoliciesService).get(await fixture.principalOf(), id)).current;
const sound = (page = ada) => page.getByText('Nothing is wrong with it.').waitFor();

/** What stands in the editor from now on, looked at by the server. */
async function type(text: string, page = ada): Promise<void> {
  await editor(page).press('ControlOrMeta+a');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('ControlOrMeta+v');
}

async function publish(page = ada): Promise<void> {
  await page.locator('button:enabled', { hasText: 'Publish…' }).click();
  await button(page.getByRole('dialog'), 'Publish').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const readsOnly = '@id("reads")\npermit (principal, action in Action::"read", resource);';
const nothing = '@id("nothing")\nforbid (principal, action, resource);';

inChromium('a policy', () => {
  it('is written by a form, and stands in the text beside it, which decides once it is published', async () => {
    await open(ada);
    await rule('writes need approval').getByText('Ask first: review').waitFor();
    await button(ada, 'Add rule').click();
    const dialog = ada.getByRole('dialog');
    await field(dialog, 'Name').fill('no orders in chat');
    await dialog.getByText('Forbid', { exact: true }).click();
    await pick(dialog, 'What', 'workplace__post_message');
    await ada.keyboard.press('Escape');
    await button(dialog, 'Add condition').click();
    await pick(dialog, 'Condition 1: what is looked at', 'text');
    await pick(dialog, 'Condition 1: how', 'looks like');
    await dialog.getByLabel('Condition 1: value').fill('*order*');
    await button(dialog, 'Add').click();
    await rule('no orders in chat').getByText('text looks like “*order*”').waitFor();
    expect(await textOf()).toContain('@id("no orders in chat")');
    expect(await textOf()).toContain('// What every new configuration starts with');
    expect((await current())?.revision).toBe(1);
    await publish();
    await ada.getByText('Revision 2 decides, published by').waitFor();
    expect((await current())?.text).toContain('like "*order*"');
  });

  it('is written as text, and the rules beside it follow', async () => {
    await open(ada);
    await sound();
    await type(`${readsOnly}\n\n@id("rich")\npermit (principal, action, resource) when { 1 < 2 || context.tainted };`);
    await rule('rich').getByText('It says more than a form can show').waitFor();
    await rule('reads').getByText('Everybody: everything that reads').waitFor();
    expect(await rule('writes need approval').count()).toBe(0);
    await button(rule('reads'), 'What to do with the rule reads').click();
    await ada.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = ada.getByRole('dialog');
    await dialog.getByText('Ask first', { exact: true }).click();
    await button(dialog, 'Apply').click();
    await rule('reads').getByText('Ask first').waitFor();
    expect(await textOf()).toMatch(/@approval\("\w+"\)[^]*@id\("rich"\)/);
    await button(rule('reads'), 'What to do with the rule reads').click();
    await ada.getByRole('menuitem', { name: 'Remove' }).click();
    await rule('reads').waitFor({ state: 'detached' });
    expect(await textOf()).toMatch(/^@id\("rich"\)/);
  });

  it('is looked at while it is typed: what is wrong, and where', async () => {
    await open(ada);
    await sound();
    await type(`${readsOnly}\n\n@id("typo")\npermit (principal, action == Action::"workplace__creat", resource);`);
    await findings().first().waitFor();
    expect(await findings().first().innerText()).toMatch(/^5:\d+ .*workplace__creat/s);
    await findings().first().getByRole('button').click();
    expect(await ada.evaluate<string>('getSelection().toString()')).toContain('workplace__creat');
    expect(await button(ada, 'Publish…').isDisabled()).toBe(true);

    await type('permit (principal');
    await ada.getByText('The text cannot be read as policies yet').waitFor();
    expect(await button(ada, 'Add rule').isDisabled()).toBe(true);
    await type(`@aproval("review")\n${readsOnly}`);
    await findings().filter({ hasText: 'aproval' }).waitFor();
    await type(readsOnly);
    await sound();
    expect(await findings().count()).toBe(0);
  });

  it('is a draft until it is published, for whoever comes next, too', async () => {
    await open(ada);
    await sound();
    await type(readsOnly);
    await button(ada, 'Save draft').click();
    await ada.getByText('it decides nothing yet').waitFor();
    await open(rita);
    await rita.getByText('You see the draft that Ada Admin saved').waitFor();
    await editor(rita).getByText('permit').first().waitFor();
    expect(await textOf(rita)).toBe(readsOnly);
    expect((await current())?.revision).toBe(1);
    await button(rita, 'Put the draft away').click();
    await editor(ada).getByText('nothing destructive').waitFor();
    expect((await current())?.text).toBe(`${await textOf()}\n`);
  });

  it('is edited by two administrators: the second is told, and loses nothing', async () => {
    await open(ada, rita);
    await sound(ada);
    await sound(rita);
    await type(nothing, rita);
    await type(readsOnly);
    await publish();
    const told = rita.getByRole('status').filter({ hasText: 'Somebody else has changed this meanwhile' });
    await told.getByText(/Ada Admin.*published revision 2/).waitFor();
    expect(await textOf(rita)).toBe(nothing);
    await button(told, 'Go on with mine').click();
    await publish(rita);
    await ada.getByText('Revision 3 decides').waitFor();
    expect(await textOf()).toBe(nothing);
  });

  it('is never published over what somebody else has published meanwhile', async () => {
    await open(ada);
    await sound();
    await type(readsOnly);
    await ada.locator('button:enabled', { hasText: 'Publish…' }).click();
    await fixture.get(PoliciesService).publish(await fixture.principalOf(fixture.reviewer), id, nothing);
    await button(ada.getByRole('dialog'), 'Publish').click();
    await ada.getByRole('dialog').getByRole('alert').waitFor();
    expect(await current()).toMatchObject({ revision: 2, text: nothing });
    await button(ada.getByRole('dialog'), 'Cancel').click();
    await button(ada, 'Take theirs').click();
    await rule('nothing').getByText('Forbid').waitFor();
  });

  it('keeps every revision, which can be compared and decide again', async () => {
    await fixture.get(PoliciesService).publish(await fixture.principalOf(fixture.reviewer), id, readsOnly);
    await open(ada);
    const rows = ada.getByRole('table', { name: 'Revisions' }).getByRole('row');
    await rows.filter({ hasText: 'Rita Reviewer' }).getByText('Decides now').waitFor();
    await button(ada, 'Compare revision 1').click();
    await ada.getByRole('dialog').getByText('nothing destructive').waitFor();
    await ada.keyboard.press('Escape');
    await button(ada, 'Roll back to revision 1').click();
    await button(ada.getByRole('dialog', { name: 'Roll back to revision 1?' }), 'Publish').click();
    await rows.filter({ hasText: 'Ada Admin' }).getByText('Decides now').waitFor();
    expect(await rows.count()).toBe(4);
    await editor().getByText('nothing destructive').waitFor();
    expect((await current())?.revision).toBe(3);
  });

  it('is read by auditors, who change nothing', async () => {
    const auditor = await openConsole(server, await fixture.organization.member({ roles: ['auditor'] }));
    await open(auditor);
    await sound(auditor);
    await auditor.getByText('Ask first: review').waitFor();
    expect(await auditor.getByRole('button', { name: /Publish|Save|Add rule|Roll back/ }).count()).toBe(0);
    expect(await editor(auditor).getAttribute('aria-readonly')).toBe('true');
  });
});
