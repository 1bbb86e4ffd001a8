import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ApprovalInboxService } from '../src/approvals/approval-inbox.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, Wire, wireOf } from './kit/wire.js';
import { runSql } from './kit/run-sql.js';

const annotations = { destructiveHint: false };
const tools = ['list_tickets', 'get_ticket', 'list_channels', 'create_ticket'].map((name) =>
  upstreamTool(name, { annotations }),
);
const exactly = (name: string, args: object = {}) => ({ tool: `workplace__${name}`, arguments: args });
const isOpen = 'permit (principal, action, resource);';
const asksForWrites = `
  @id("reads") permit (principal, action in Action::"read", resource);
  @id("writes need approval") @approval("review") permit (principal, action in Action::"write", resource);`;
/** Markup and invisible characters. */
const hostile = '<img src=x onerror=alert(1)> \u202egnp\u200b.exe';
const shown = '<img src=x onerror=alert(1)> ⟨U+202E⟩gnp⟨U+200B⟩.exe';

let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;
let wire: Wire;
let page: Page;
/** How the connected system handles a call. */
let work: (args: Record<string, unknown>) => unknown;

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  upstream.serveStateless({ tools, call: (_, args) => work(args) });
  fixture = await GateFixture.create(server, upstream);
  await beGivenTime();
  wire = wireOf(fixture, server.url);
  page = await openConsole(server, fixture.organization.admin);
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});
beforeEach(async () => {
  work = () => toolTextResult('Done.');
  upstream.fault = undefined;
  await fixture.publish(asksForWrites);
});

/** Keeps a call running while a test inspects it. */
async function beGivenTime(): Promise<void> {
  const ask = await fixture.organization.as();
  const id = fixture.connectionId;
  const { revision } = (await ask(`{ connection(id: "${id}") { revision } }`)).data.connection;
  const input = { id, revision, settings: { timeoutSeconds: 120 } };
  expect((await mutate(ask, 'updateConnection', 'UpdateConnectionInput', input)).errors).toBeUndefined();
}

/** Waits for the final state of a task, by the caller's id. */
async function sent(state: string, ...parts: (string | object)[]): Promise<string> {
  const id = newTaskId();
  expect((await wire.send(id, ...parts)).status).toBe(200);
  await wire.until(id, state);
  return id;
}

async function addressOf(externalId: string): Promise<string> {
  const ask = await fixture.organization.as();
  const { nodes } = (await ask('{ tasks(first: 200) { nodes { id externalId } } }')).data.tasks;
  return `/console/tasks/${(nodes as { id: string; externalId: string }[]).find((task) => task.externalId === externalId)!.id}`;
}

const open = async (externalId: string, by = page) => {
  await by.goto(await addressOf(externalId));
  await by.getByRole('button', { name: 'Copy task ID' }).waitFor();
};
const button = (name: string) => page.getByRole('button', { name, exact: true });
const region = (name: string) => page.getByRole('region', { name });
const state = (words: string) => page.getByRole('heading', { level: 1 }).getByText(words, { exact: true });

inChromium('tasks', () => {
  it('are filtered by state and configuration, which the address stores', async () => {
    const waits = await sent('input-required', exactly('create_ticket', { title: 'Waits' }));
    const done = await sent('completed', exactly('list_tickets'));
    await page.goto('/console/tasks');
    const rows = page.getByRole('table', { name: 'Tasks' });
    await rows.getByRole('link', { name: waits, exact: true }).waitFor();
    await pick(page, 'State', 'Completed');
    await rows.getByRole('link', { name: waits, exact: true }).waitFor({ state: 'hidden' });
    await pick(page, 'Configuration', 'Desk');
    await page.waitForURL(`/console/tasks?state=COMPLETED&configuration=${fixture.configurationId}`);
    await page.reload();
    expect(await rows.getByRole('link', { name: waits, exact: true }).count()).toBe(0);
    await rows.getByRole('link', { name: done, exact: true }).click();
    await state('Completed').waitFor();
    await page.goto('/console/tasks?state=REJECTED');
    await page.getByText('No matching tasks').waitFor();
  });

  it('are listed by their question and found by its words', async () => {
    await sent('completed', `Who repairs the ${hostile} lamp?\nPlease answer soon.`);
    await sent('completed', 'Where is the second ladder?');
    await page.goto('/console/tasks');
    const rows = page.getByRole('table', { name: 'Tasks' });
    await rows.getByRole('link', { name: 'Where is the second ladder?', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search by question' }).fill('LAMP repairs');
    await rows.getByRole('link', { name: `Who repairs the ${shown} lamp?`, exact: true }).waitFor();
    await page.waitForURL('/console/tasks?search=LAMP+repairs');
    await expect.poll(() => rows.getByRole('link').count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search by question' }).fill('nobody asked this');
    await page.getByText('No matching tasks').waitFor();
  });

  it('show everything from the message to the receipt, and continue after the approval', async () => {
    const id = await sent('input-required', 'Please open this ticket:', exactly('create_ticket', { title: 'A lamp' }));
    await open(id);
    await region('Activity').getByText('Please open this ticket:').waitFor();
    await page.getByRole('alert').getByText('workplace__create_ticket expires').waitFor();
    await region('Activity').getByText('Approval required by “writes need approval”').waitFor();
    await region('Activity').getByText('Awaiting approval').waitFor();
    await page.getByText('Arguments', { exact: true }).click();
    await page.getByText('"title": "A lamp"').waitFor();
    await region('About').getByText('Agent Helper, via A2A').waitFor();

    const reviewer = await fixture.principalOf(fixture.reviewer);
    const [{ id: approvalId }] = (await fixture.get(ApprovalInboxService).list(reviewer, { first: 1 })).nodes;
    await fixture.get(ApprovalsService).decide(reviewer, approvalId, 'approve', 'Fine.');
    await state('Completed').waitFor();
    await region('Activity').getByText('by Rita Reviewer').waitFor();
    await region('Result').getByText('workplace__create_ticket', { exact: true }).waitFor();
    await region('Result').getByText('Succeeded', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Approval “review”' }).click();
    await page.waitForURL(`/console/approvals/${approvalId}`);
  });

  it('update while they run', async () => {
    let answer: (result: unknown) => void = () => {};
    work = () => new Promise((resolve) => (answer = resolve));
    const id = newTaskId();
    await wire.send(id, exactly('list_tickets'));
    await open(id);
    await state('Working').waitFor();
    await region('Activity').getByText('Executing').waitFor();
    answer(toolTextResult('Here they are.'));
    await state('Completed').waitFor();
    await region('Activity').getByText('Allowed by “reads”').waitFor();
  });

  it('are canceled by people with permission, after a confirmation', async () => {
    const id = await sent('input-required', exactly('create_ticket', { title: 'Never mind' }));
    const auditor = await openConsole(server, await fixture.organization.member({ roles: ['auditor'] }));
    await open(id, auditor);
    expect(await auditor.getByRole('button', { name: 'Cancel task' }).count()).toBe(0);
    await open(id);
    await button('Cancel task').click();
    await page.getByRole('dialog').getByText('pending approvals are withdrawn').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel task', exact: true }).click();
    await state('Canceled').waitFor();
    expect(await button('Cancel task').count()).toBe(0);
    await region('Activity').getByText('Void').first().waitFor();
    expect((await wire.get(id)).status.state).toBe('canceled');
  });

  it('that are quarantined are listed as such, and an administrator retries them', async () => {
    const id = await sent('input-required', exactly('create_ticket', { title: 'Dangerous' }));
    await fixture
      .get(DatabaseService)
      .tenant(fixture.agent, (tx) =>
        runSql(tx, `update tasks set waiting = 'quarantine', due_at = null where external_id = $1`, [id]),
      );
    await page.goto('/console/tasks');
    await pick(page, 'State', 'Quarantined');
    await page.waitForURL('/console/tasks?state=QUARANTINED');
    const rows = page.getByRole('table', { name: 'Tasks' });
    await rows.getByRole('link', { name: id, exact: true }).waitFor();
    await rows.getByText('Quarantined', { exact: true }).waitFor();
    await expect.poll(() => rows.getByText('Completed', { exact: true }).count(), { timeout: 120_000 }).toBe(0);
    const auditor = await openConsole(server, await fixture.organization.member({ roles: ['auditor'] }));
    await open(id, auditor);
    await auditor.getByRole('alert').getByText('This task is quarantined').waitFor();
    await auditor.getByRole('alert').getByText('An administrator can retry it.').waitFor();
    expect(await auditor.getByRole('button', { name: 'Retry task' }).count()).toBe(0);
    await open(id);
    await state('Quarantined').waitFor();
    await button('Retry task').click();
    const confirmation = page.getByRole('dialog', { name: `Retry task ${id}?` });
    await confirmation.getByText('It may stop two more').waitFor();
    await confirmation.getByRole('button', { name: 'Retry task', exact: true }).click();
    await page.getByText('Retrying the task.').waitFor();
    await page.getByRole('alert').getByText('workplace__create_ticket expires').waitFor();
    await state('Input required').waitFor();
  });

  it('that failed show the error, and a person resolves a call with an unknown outcome', async () => {
    await fixture.publish(isOpen);
    upstream.fault = ({ method, params }, res) => {
      const isHit = method === 'tools/call' && params?.name === 'create_ticket';
      if (isHit) res.destroy();
      return isHit;
    };
    const id = await sent('failed', exactly('create_ticket', { title: 'Lost on the way' }));
    await open(id);
    await page.getByRole('alert').getByText('outcome-unsettled').waitFor();
    await page.getByText('Check the connected system').waitFor();
    await button('Resolve call').click();
    await expect.poll(() => button('Save outcome').isDisabled()).toBe(true);
    await page.getByRole('radio', { name: 'Mark as executed' }).check();
    await button('Save outcome').click();
    await region('Activity').getByText('marked as executed').waitFor();
    expect(await page.getByText('Check the connected system').count()).toBe(0);
  });

  it('that a policy denied name the policy', async () => {
    await fixture.publish('@id("nothing at night") forbid (principal, action, resource);');
    await open(await sent('failed', exactly('list_tickets')));
    await page.getByRole('alert').getByText('policy-denied').waitFor();
    await region('Activity').getByText('Denied by “nothing at night”').waitFor();
  });

  it('cite documents, and render external content only as text', async () => {
    const folder = mkdtempSync(path.join(server.folder, 'papers-'));
    writeFileSync(path.join(folder, `lamps ${hostile}.txt`), `The lamp ${hostile} costs 450 EUR.\n`);
    const ask = await fixture.organization.as();
    const knowledge = new KnowledgeFixture(server, fixture.organization, ask);
    const papers = await knowledge.connect({ kind: 'folder', slug: 'papers', settings: { path: folder } });
    await knowledge.waitUntilComplete(papers.id);
    const reader = await callerOf(papers.id, `Helper ${hostile}`);
    const id = newTaskId();
    await reader.send(id, `How much does the lamp cost? ${hostile}`);
    await reader.until(id, 'completed');
    await open(id);

    await region('Result').getByText('450 EUR').first().waitFor();
    await region('Result').getByText('papers, line').waitFor();
    await page.getByRole('link', { name: 'Citation 1' }).first().click();
    await page.waitForURL(/#citation-/);
    for (const part of ['Result', 'Activity', 'About'])
      expect((await region(part).innerText()).replaceAll('\n', ' ')).toContain(shown);
    expect(await page.locator('main img, main script, main [onerror]').count()).toBe(0);

    work = ({ title }) => toolTextResult(`Opened: ${String(title)}`);
    await fixture.publish(isOpen);
    await open(await sent('completed', exactly('create_ticket', { title: hostile, [hostile]: true })));
    await page.getByText('Arguments', { exact: true }).click();
    await region('Activity').locator('pre').waitFor();
    expect((await region('Activity').locator('pre').innerText()).split(shown).length).toBe(3);
    expect(await page.locator('main img, main script, main [onerror]').count()).toBe(0);
  });
});

/** An agent with this name and a configuration with only this connection. */
async function callerOf(connectionId: string, name: string): Promise<Wire> {
  const admin = await fixture.principalOf();
  const input = { name: `Papers ${hostile}`, description: '', connectionIds: [connectionId], groupIds: [] };
  const { id } = await fixture.get(ConfigurationsService).create(admin, input);
  const agent = await fixture.get(AgentsService).create(admin, { configurationId: id, name });
  const { key } = await fixture.get(KeysService).create(admin, agent.id);
  return new Wire(`${server.url}/agents/${id}`, key);
}
