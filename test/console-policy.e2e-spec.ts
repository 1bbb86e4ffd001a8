import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { GateService } from '../src/gate/gate.service.js';
import { PolicyShadowScheduler } from '../src/gate/policy-shadow-scheduler.service.js';
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
/** The id of the tested configuration. */
let id: string;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await openConsole(server, fixture.organization.admin, clipboards);
  rita = await openConsole(server, fixture.reviewer, clipboards);
});
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
const findings = () => ada.getByRole('list', { name: 'Issues' }).getByRole('listitem');
const current = async () => (await fixture.get(PoliciesService).get(await fixture.principalOf(), id)).current;
const sound = (page = ada) => page.getByText('No issues found').waitFor();

/** Replaces the text in the editor. */
async function type(text: string, page = ada): Promise<void> {
  await editor(page).press('ControlOrMeta+a');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('ControlOrMeta+v');
}

async function publish(page = ada): Promise<void> {
  await page.locator('button:enabled', { hasText: 'Publish…' }).click();
  await button(page.getByRole('dialog'), 'Publish policy').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const readsOnly = '@id("reads")\npermit (principal, action in Action::"read", resource);';
const nothing = '@id("nothing")\nforbid (principal, action, resource);';

inChromium('a policy', () => {
  it('is edited in a form, appears in the Cedar text, and applies once published', async () => {
    await open(ada);
    await rule('writes need approval').getByText('Require approval: review').waitFor();
    await button(ada, 'Add rule').click();
    const dialog = ada.getByRole('dialog');
    await field(dialog, 'Name').fill('no orders in chat');
    await dialog.getByText('Forbid', { exact: true }).click();
    await pick(dialog, 'Tools', 'workplace__post_message');
    await ada.keyboard.press('Escape');
    await button(dialog, 'Add condition').click();
    await pick(dialog, 'Condition 1: attribute', 'text');
    await pick(dialog, 'Condition 1: operator', 'matches');
    await dialog.getByLabel('Condition 1: value').fill('*order*');
    await button(dialog, 'Add rule').click();
    await rule('no orders in chat').getByText('text matches “*order*”').waitFor();
    expect(await textOf()).toContain('@id("no orders in chat")');
    expect(await textOf()).toContain('// The default policies of every new configuration');
    expect((await current())?.revision).toBe(1);

    await ada.locator('button:enabled', { hasText: 'Publish…' }).click();
    const changed = ada.getByRole('list', { name: 'Changed verdicts' }).getByRole('listitem');
    await changed
      .filter({ hasText: 'workplace__post_message: Require approval: review → Deny' })
      .getByText(/Everyone, for some calls. For example: \{"text":".*order.*"\}/)
      .waitFor();
    await expect.poll(() => changed.count()).toBe(1);
    await button(ada.getByRole('dialog'), 'Publish policy').click();
    await ada.getByText('Revision 2 is live. Published by').waitFor();
    expect((await current())?.text).toContain('like "*order*"');
  });

  it('says that a text without effect changes no verdict', async () => {
    await open(ada);
    await sound();
    await type(`${(await current())!.text}\n// checked in spring`);
    await ada.locator('button:enabled', { hasText: 'Publish…' }).click();
    await ada.getByText('None. Every tool keeps its verdict for everyone.').waitFor();
  });

  it('shows all errors of a rule at once, each at its field, and then adds the rule', async () => {
    await open(ada);
    await button(ada, 'Add rule').click();
    const dialog = ada.getByRole('dialog');
    await field(dialog, 'Name').fill('no secrets');
    await pick(dialog, 'Tools', 'workplace__post_message');
    await ada.keyboard.press('Escape');
    for (const number of [1, 2]) {
      await button(dialog, 'Add condition').click();
      await pick(dialog, `Condition ${number}: attribute`, 'text');
      await pick(dialog, `Condition ${number}: operator`, 'matches');
    }
    const condition = (number: number) => dialog.getByRole('group', { name: `Condition ${number}` });
    const faults = dialog.getByText('must not be empty', { exact: true });
    await button(dialog, 'Add rule').click();
    await condition(1).filter({ hasText: 'must not be empty' }).waitFor();
    await condition(2).filter({ hasText: 'must not be empty' }).waitFor();
    await expect.poll(() => faults.count()).toBe(2);

    await dialog.getByLabel('Condition 1: value').fill('*secret*');
    await dialog.getByLabel('Condition 2: value').fill('*key*');
    await button(dialog, 'Add rule').click();
    await dialog.waitFor({ state: 'detached' });
    await rule('no secrets').getByText('text matches “*key*”').waitFor();
  });

  it('is edited as text, and the rules follow', async () => {
    await open(ada);
    await sound();
    await type(`${readsOnly}\n\n@id("rich")\npermit (principal, action, resource) when { 1 < 2 || context.tainted };`);
    await rule('rich').getByText('This rule is too complex for the form').waitFor();
    await rule('reads').getByText('Everyone: all read-only tools').waitFor();
    expect(await rule('writes need approval').count()).toBe(0);
    await button(rule('reads'), 'Actions for rule reads').click();
    await ada.getByRole('menuitem', { name: 'Edit rule' }).click();
    const dialog = ada.getByRole('dialog');
    await dialog.getByText('Require approval', { exact: true }).click();
    await button(dialog, 'Apply changes').click();
    await rule('reads').getByText('Require approval').waitFor();
    expect(await textOf()).toMatch(/@approval\("\w+"\)[^]*@id\("rich"\)/);
    await button(rule('reads'), 'Actions for rule reads').click();
    await ada.getByRole('menuitem', { name: 'Remove rule' }).click();
    await rule('reads').waitFor({ state: 'detached' });
    expect(await textOf()).toMatch(/^@id\("rich"\)/);
  });

  it('is checked while it is typed, with the position of each issue', async () => {
    await open(ada);
    await sound();
    await type(`${readsOnly}\n\n@id("typo")\npermit (principal, action == Action::"workplace__creat", resource);`);
    await findings().first().waitFor();
    await expect.poll(() => findings().first().innerText()).toMatch(/^5:\d+ .*workplace__creat/s);
    await findings().first().getByRole('button').click();
    expect(await ada.evaluate<string>('getSelection().toString()')).toContain('workplace__creat');
    await expect.poll(() => button(ada, 'Publish…').isDisabled()).toBe(true);

    await type('permit (principal');
    await ada.getByText('The Cedar text has a syntax error').waitFor();
    await expect.poll(() => button(ada, 'Add rule').isDisabled()).toBe(true);
    await type(`@aproval("review")\n${readsOnly}`);
    await findings().filter({ hasText: 'aproval' }).waitFor();
    await type(readsOnly);
    await sound();
    expect(await findings().count()).toBe(0);
  });

  it('stays a draft that others can see until it is published', async () => {
    await open(ada);
    await sound();
    await type(readsOnly);
    await button(ada, 'Save draft').click();
    await ada.getByText('It is not live.').waitFor();
    await open(rita);
    await rita.getByText('You are viewing the draft that Ada Admin saved').waitFor();
    await editor(rita).getByText('permit').first().waitFor();
    expect(await textOf(rita)).toBe(readsOnly);
    expect((await current())?.revision).toBe(1);
    await button(rita, 'Discard draft').click();
    await editor(ada).getByText('nothing destructive').waitFor();
    expect((await current())?.text).toBe(`${await textOf()}\n`);
  });

  it('reports a conflict between two administrators without losing unsaved text', async () => {
    await open(ada, rita);
    await sound(ada);
    await sound(rita);
    await type(nothing, rita);
    await type(readsOnly);
    await publish();
    const told = rita.getByRole('status').filter({ hasText: 'Another person changed this policy' });
    await told.getByText(/Ada Admin.*published revision 2/).waitFor();
    expect(await textOf(rita)).toBe(nothing);
    await button(told, 'Keep my version').click();
    await publish(rita);
    await ada.getByText('Revision 3 is live.').waitFor();
    expect(await textOf()).toBe(nothing);
  });

  it('is not published over a newer revision of another person', async () => {
    await open(ada);
    await sound();
    await type(readsOnly);
    await ada.locator('button:enabled', { hasText: 'Publish…' }).click();
    await fixture.get(PoliciesService).publish(await fixture.principalOf(fixture.reviewer), id, nothing);
    await button(ada.getByRole('dialog'), 'Publish policy').click();
    await ada.getByRole('dialog').getByRole('alert').waitFor();
    expect(await current()).toMatchObject({ revision: 2, text: nothing });
    await button(ada.getByRole('dialog'), 'Cancel').click();
    await button(ada, 'Use their version').click();
    await rule('nothing').getByText('Forbid').waitFor();
  });

  it('keeps every revision for comparison and rollback', async () => {
    await fixture.get(PoliciesService).publish(await fixture.principalOf(fixture.reviewer), id, readsOnly);
    await open(ada);
    const rows = ada.getByRole('table', { name: 'Revisions' }).getByRole('row');
    await rows.filter({ hasText: 'Rita Reviewer' }).getByText('Live').waitFor();
    await button(ada, 'Compare revision 1').click();
    await ada.getByRole('dialog').getByText('nothing destructive').waitFor();
    await ada.keyboard.press('Escape');
    await button(ada, 'Roll back to revision 1').click();
    const dialog = ada.getByRole('dialog', { name: 'Roll back to revision 1?' });
    await field(dialog, 'Note').fill('Writes are needed again');
    await button(dialog, 'Publish policy').click();
    await rows.filter({ hasText: 'Writes are needed again' }).getByText('Live').waitFor();
    await expect.poll(() => rows.count()).toBe(4);
    await editor().getByText('nothing destructive').waitFor();
    expect((await current())?.revision).toBe(3);
  });

  it('is replayed against recorded calls before it is published', async () => {
    const principal = { ...fixture.agent, configurationId: id };
    const call = (tool: string, args: object) =>
      fixture.get(GateService).call(principal, { configurationId: id, tool, arguments: JSON.stringify(args) });
    await call('workplace__list_channels', {});
    await call('workplace__no_such_tool', {});
    await open(ada);
    await sound();
    await type(nothing);
    await ada.locator('button:enabled', { hasText: 'Replay recorded calls' }).click();
    await ada.getByText('Replay finished. 2 of 2 calls read, 1 with a different verdict, 1 not evaluated.').waitFor();
    const results = ada.getByRole('list', { name: 'Replay results' });
    await results.getByText('Allow → Deny: 1').waitFor();
    await results.getByText('Not evaluated, the tool was removed: 1 (workplace__no_such_tool)').waitFor();
    const row = ada.getByRole('table', { name: 'Changed calls' }).getByRole('row').filter({ hasText: 'list_channels' });
    await row.getByText('The policy "nothing" forbids this.').waitFor();
    await type(readsOnly);
    await ada.getByText('The text changed after this replay.').waitFor();
    expect((await current())?.revision).toBe(1);
  });

  it('explains a call that nobody makes, by the live revision and by the text in the editor', async () => {
    const admin = await fixture.principalOf();
    const agent = await fixture.get(AgentsService).create(admin, { configurationId: id, name: 'Tried' });
    await fixture.get(KeysService).create(admin, agent.id);
    await open(ada);
    await sound();
    await pick(ada, 'Tool', 'workplace__post_message');
    await field(ada, 'Arguments').fill('{"channel": "general"}');
    await button(ada, 'Try call').click();
    const result = ada.getByRole('status', { name: 'Verdict' });
    await result.getByRole('list', { name: 'Argument errors' }).getByText(/text/).waitFor();
    await field(ada, 'Arguments').fill('{"channel": "general", "text": "hello"}');
    await result.getByText('Try the call again.').waitFor();
    await button(ada, 'Try call').click();
    await result.getByText('Require approval: review').waitFor();
    await result.getByRole('list', { name: 'Who could decide' }).getByText('Rita Reviewer could decide.').waitFor();
    const rules = result.getByRole('list', { name: 'Deciding rules' });
    await button(rules, 'Show in Cedar').click();
    await expect.poll(() => ada.evaluate<string>('getSelection().toString()')).toContain('writes need approval');

    await type(nothing);
    await sound();
    await ada.getByText('Text in the editor', { exact: true }).click();
    await button(ada, 'Try call').click();
    await result.getByText('The policy "nothing" forbids this. The caller cannot see this tool.').waitFor();
    expect((await current())?.revision).toBe(1);
  });

  it('is tried on new calls as a shadow', async () => {
    const principal = { ...fixture.agent, configurationId: id };
    await open(ada);
    await sound();
    await ada.getByText('No shadow yet.').waitFor();
    await type(nothing);
    await ada.locator('button:enabled', { hasText: 'Start shadow' }).click();
    await ada.getByText('No calls yet.').waitFor();
    await fixture
      .get(GateService)
      .call(principal, { configurationId: id, tool: 'workplace__list_channels', arguments: '{}' });
    const evaluate = () =>
      fixture
        .getInternal(PolicyShadowScheduler)
        .evaluate(principal.tenantId, id, new AbortController().signal, new Date(Date.now() + 1));
    await evaluate();
    await ada.reload();
    await ada.getByText('1 of 1 evaluated calls would change: 1 to denied.', { exact: true }).waitFor();
    await fixture
      .get(GateService)
      .call(principal, { configurationId: id, tool: 'workplace__no_such_tool', arguments: '{}' });
    await evaluate();
    await ada.reload();
    await ada.getByText('1 of 1 evaluated calls would change: 1 to denied. 1 could not be evaluated.').waitFor();
    const changes = ada.getByRole('list', { name: 'Different verdicts' });
    await changes.getByText('workplace__list_channels: Allow → Deny, 1 call.').waitFor();
    await button(ada, 'Stop shadow').click();
    await ada.getByText('Shadow stopped.').waitFor();
    await button(ada, 'Start shadow').waitFor();
  });

  it('is replaced by a template or a file, and exported as a file', async () => {
    await open(ada);
    await sound();
    await button(ada, 'Use template').click();
    await button(ada.getByRole('dialog'), 'Use template Business hours').click();
    await rule('writes in business hours').waitFor();
    await sound();
    const files = ada.locator('input[type=file]');
    const hostile = Buffer.from('// \u202e looks different\n');
    await files.setInputFiles({ name: 'hostile.cedar', mimeType: 'text/plain', buffer: hostile });
    await ada.locator('.cm-specialChar').waitFor();
    await files.setInputFiles({ name: 'desk.cedar', mimeType: 'text/plain', buffer: Buffer.from(readsOnly) });
    await expect.poll(() => textOf()).toBe(readsOnly);
    // otherwise browsers ignore that the same file is chosen again
    expect(await files.inputValue()).toBe('');
    await files.setInputFiles({ name: 'huge.cedar', mimeType: 'text/plain', buffer: Buffer.alloc(1024 * 1024, 'x') });
    await ada.getByText('huge.cedar is too large for a policy.').waitFor();
    const downloading = ada.waitForEvent('download');
    await ada.getByRole('link', { name: 'Export file' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^Configuration-\d+\.cedar$/);
    expect(await readFile(await download.path(), 'utf8')).toBe(readsOnly);
    expect((await current())?.revision).toBe(1);
  });

  it('is read-only for auditors', async () => {
    const auditor = await openConsole(server, await fixture.organization.member({ roles: ['auditor'] }));
    await open(auditor);
    await sound(auditor);
    await auditor.getByText('Require approval: review').waitFor();
    expect(
      await auditor.getByRole('button', { name: /Publish|Save|Add rule|Roll back|Use template|Import|shadow/ }).count(),
    ).toBe(0);
    await expect.poll(() => editor(auditor).getAttribute('aria-readonly')).toBe('true');
  });
});
