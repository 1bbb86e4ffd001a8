import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openConsole, inChromium } from './kit/console.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let agent: Wire;
/** The approver's page, with the inbox open before the first request. */
let inbox: Page;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  agent = wireOf(fixture, server.url);
  inbox = await openConsole(server, fixture.reviewer, phone);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const ticket = (title: string) => `workplace__create_ticket: ${JSON.stringify({ project: 'FLD', title })}`;
const item = (text: string) =>
  inbox.getByRole('navigation', { name: 'Approvals' }).getByRole('link', { name: new RegExp(text) });
const button = (name: string) => inbox.getByRole('button', { name, exact: true });
const ticketsMade = async () => (await workplace.arrivals()).filter(({ tool }) => tool === 'create_ticket').length;

inChromium('a task of an external agent', () => {
  it('waits for a person, is approved on their phone, and ends completed on its stream', async () => {
    await inbox.goto('/console/approvals');
    await inbox.getByText('No pending approvals').first().waitFor();
    const stream = await agent.subscribe(newTaskId(), ticket('A gripper lets go'));
    const waiting = await stream.until('input-required');
    expect(JSON.stringify(waiting.data.status.message)).toContain('workplace__create_ticket');
    expect(await ticketsMade()).toBe(0);

    await item('A gripper lets go').tap();
    await inbox.getByRole('definition').getByText('A gripper lets go', { exact: true }).waitFor();
    await inbox.getByText('Helper').filter({ visible: true }).first().waitFor();
    await button('Approve').tap();

    const { states, updates } = await stream.end();
    expect(states).toEqual(['submitted', 'working', 'input-required', 'working', 'completed']);
    expect(updates.every(({ event }) => event === 'task_update')).toBe(true);
    const { final, artifacts } = updates.at(-1)!.data;
    expect(final).toBe(true);
    expect(JSON.stringify(artifacts)).toContain('"kind":"receipt"');
    expect(await ticketsMade()).toBe(1);
    await inbox.getByText('No pending approvals').first().waitFor();
    expect(await inbox.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('is denied there with a reason, which the agent receives', async () => {
    await inbox.goto('/console/approvals');
    const stream = await agent.subscribe(newTaskId(), ticket('Not this one'));
    await stream.until('input-required');
    await item('Not this one').tap();
    await button('Deny').tap();
    await inbox.getByLabel('Reason for denial').fill('There is one already.');
    await button('Deny').tap();
    const { updates } = await stream.end();
    expect(updates.at(-1)!.data).toMatchObject({
      final: true,
      status: { state: 'failed', error: { code: 'approval-denied' } },
    });
    expect(JSON.stringify(updates.at(-1)!.data.status)).toContain('There is one already');
    expect(await ticketsMade()).toBe(1);
  });

  it('can be followed in the console by administrators', async () => {
    const id = newTaskId();
    await agent.send(id, ticket('Seen from the desk'));
    await agent.until(id, 'input-required');
    const desk = await openConsole(server, fixture.organization.admin);
    await desk.goto('/console/tasks');
    await desk
      .getByRole('row', { name: /Seen from the desk/ })
      .getByRole('link')
      .click();
    const heading = desk.getByRole('heading', { level: 1 });
    await heading.getByText('Input required', { exact: true }).waitFor();
    expect((await agent.cancel(id)).body.status.state).toBe('canceled');
    await heading.getByText('Canceled', { exact: true }).waitFor();
    await item('Seen from the desk').waitFor({ state: 'detached' });
  });
});
