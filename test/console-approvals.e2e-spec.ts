import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalInboxService } from '../src/approvals/approval-inbox.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const readable = ['list_tickets', 'get_ticket', 'list_channels'].map((name) => upstreamTool(name));
const tools = [
  ...readable,
  upstreamTool('create_ticket', { title: 'Create a ticket', description: 'Opens a ticket.' }),
  upstreamTool('break', { title: 'Break', description: 'Always fails.' }),
  upstreamTool('pay', { title: 'Pay', description: 'Sends money.', annotations: { destructiveHint: true } }),
];

const failed = { ...toolTextResult('The disk is full.'), isError: true };

let server: TestServer;
let upstream: McpUpstream;

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  upstream.serveStateless({ tools, call: (name) => (name === 'break' ? failed : toolTextResult('Done.')) });
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

/** A separate organization per test: its inbox contains only the test's requests. */
class Inbox {
  private constructor(
    readonly fixture: GateFixture,
    readonly page: Page,
  ) {}

  static async open(asked: [string, object][], options: object = {}): Promise<Inbox> {
    const fixture = await GateFixture.create(server, upstream);
    await fixture.publish(
      'permit (principal, action in Action::"read", resource); @approval("review") permit (principal, action, resource);',
    );
    const inbox = new Inbox(fixture, await openConsole(server, fixture.reviewer, options));
    for (const [name, args] of asked) await inbox.ask(name, args);
    return inbox;
  }

  async ask(name: string, args: object): Promise<string> {
    const outcome = await this.fixture.call(name, args);
    if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
    return outcome.approvalId;
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name, exact: typeof name === 'string' });
  item = (text: string) => this.page.getByRole('navigation', { name: 'Approvals' }).getByRole('link', { name: text });
  argument = (text: string) => this.page.getByRole('definition').getByText(text, { exact: true });
  status = (text: RegExp) => this.page.getByRole('status').filter({ hasText: text });

  async states(): Promise<string[]> {
    const reviewer = await this.fixture.principalOf(this.fixture.reviewer);
    const { nodes } = await this.fixture.get(ApprovalInboxService).list(reviewer, { first: 50 });
    return nodes.map(({ state }) => state).reverse();
  }

  decide = async (id: string, by: Member) =>
    this.fixture.get(ApprovalsService).decide(await this.fixture.principalOf(by), id, 'deny', 'Decided elsewhere.');
}

inChromium('the inbox of approvals', () => {
  it('approves the shown call and opens the next one', async () => {
    const inbox = await Inbox.open([
      ['create_ticket', { title: 'First of two' }],
      ['create_ticket', { title: 'Second of two' }],
    ]);
    await inbox.page.goto('/console/approvals');
    await inbox.argument('First of two').waitFor();
    await inbox.page.getByText('Ada Admin').waitFor();
    await inbox.page.getByText(`Address: ${upstream.url}`).waitFor();
    await inbox.button('Approve').click();
    await inbox.page.getByText('Approved: Create a ticket.', { exact: false }).waitFor();
    await inbox.argument('Second of two').waitFor();
    await inbox.button('Approve').click();
    await inbox.page.getByText('No pending approvals').first().waitFor();
    expect(await inbox.states()).toEqual(['approved', 'approved']);
    await inbox.page.getByText('Decided').first().click();
    await inbox.item('title: First of two').waitFor();
  });

  it('requires a reason for a denial', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: 'Not this one' }]]);
    await inbox.page.goto('/console/approvals');
    await inbox.button('Deny').click();
    await expect.poll(() => inbox.button('Deny').isDisabled()).toBe(true);
    await inbox.page.getByLabel('Reason for denial').fill('There is one already.');
    await inbox.button('Deny').click();
    await inbox.page.getByText('Denied: Create a ticket.').waitFor();
    expect(await inbox.states()).toEqual(['denied']);
    const again = await inbox.ask('create_ticket', { title: 'Another one' });
    await inbox.page.goto(`/console/approvals/${again}`);
    await inbox.page.getByText('There is one already.').waitFor();
    await inbox.page.getByText('0 approved, 1 denied', { exact: false }).waitFor();
  });

  it('works with the keyboard alone, and no single key press decides', async () => {
    const inbox = await Inbox.open([
      ['create_ticket', { title: 'Oldest' }],
      ['create_ticket', { title: 'Middle' }],
      ['create_ticket', { title: 'Newest' }],
    ]);
    const { keyboard } = inbox.page;
    await inbox.page.goto('/console/approvals');
    await inbox.argument('Oldest').waitFor();
    await keyboard.press('j');
    await inbox.argument('Middle').waitFor();
    await keyboard.press('ArrowDown');
    await inbox.argument('Newest').waitFor();
    await keyboard.press('k');
    await inbox.argument('Middle').waitFor();
    await keyboard.press('?');
    await inbox.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await keyboard.press('Escape');
    await inbox.page.getByRole('dialog').waitFor({ state: 'hidden' });
    await inbox.page.locator('button:enabled', { hasText: 'Approve' }).waitFor();
    await keyboard.press('a');
    expect(await inbox.states()).toEqual(['pending', 'pending', 'pending']);
    await keyboard.press('Enter');
    await inbox.argument('Newest').waitFor();
    await keyboard.press('d');
    await keyboard.type('Too late.');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await inbox.argument('Oldest').waitFor();
    expect(await inbox.states()).toEqual(['pending', 'approved', 'denied']);
  });

  it('requires collapsed and hidden values to be shown before approval, and hides no destination', async () => {
    const long = 'It lets go. '.repeat(60);
    const inbox = await Inbox.open([['pay', { iban: 'DE02 1203', apiKey: 'k-123', note: long }]]);
    await inbox.page.goto('/console/approvals');
    await inbox.argument('DE02 1203').waitFor();
    expect(await inbox.page.getByText('k-123').count()).toBe(0);
    expect(await inbox.button('Approve').count()).toBe(0);
    await inbox.button('Expand note').click();
    await inbox.page.getByText(long.trim()).waitFor();
    await inbox.status(/first show the collapsed or hidden value/).waitFor();
    expect(await inbox.button('Approve').count()).toBe(0);
    await inbox.button('Show apiKey').click();
    await inbox.argument('k-123').waitFor();
    await inbox.button('Approve').click();
    await inbox.page.getByText('Approved: Pay.', { exact: false }).waitFor();
    await inbox.page.getByRole('link', { name: 'View approval' }).click();
    await inbox.status(/The call ran once\./).waitFor();
    const paid = upstream.calls.filter(({ name }) => name === 'pay');
    expect(paid).toEqual([expect.objectContaining({ arguments: { iban: 'DE02 1203', apiKey: 'k-123', note: long } })]);
  });

  it('renders markup and invisible characters from the caller as text', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: '<img src=x onerror=alert(1)>\u202Etxt.exe' }]]);
    inbox.page.on('dialog', () => expect('a dialog').toBe('none'));
    await inbox.page.goto('/console/approvals');
    await inbox.page.getByRole('definition').getByText('<img src=x onerror=alert(1)>').waitFor();
    await inbox.page.getByRole('definition').locator('mark', { hasText: 'U+202E' }).waitFor();
    expect(await inbox.page.locator('main img').count()).toBe(0);
  });

  it('shows immediately that another person decided, and keeps the unsent reason', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: 'Wanted by two' }]]);
    const id = await inbox.ask('create_ticket', { title: 'Decided by another' });
    const second = await inbox.fixture.organization.member({ name: 'Sven Second', roles: ['admin'] });
    const fresh = await inbox.ask('create_ticket', { title: 'After Sven joined' });
    await inbox.page.goto(`/console/approvals/${fresh}`);
    await inbox.button('Deny').click();
    await inbox.page.getByLabel('Reason for denial').fill('Half a sentence');
    await inbox.decide(fresh, second);
    await inbox.status(/Denied.*by Sven Second.*Half a sentence/s).waitFor();
    expect(await inbox.button('Deny').count()).toBe(0);
    await inbox.decide(id, inbox.fixture.reviewer);
    await inbox.item('Wanted by two').waitFor();
    await inbox.item('Decided by another').waitFor({ state: 'hidden' });
  });

  it('shows new requests without a reload', async () => {
    const inbox = await Inbox.open([]);
    await inbox.page.goto('/console/approvals');
    await inbox.page.getByText('No pending approvals').first().waitFor();
    await inbox.ask('create_ticket', { title: 'Came just now' });
    await inbox.argument('Came just now').waitFor();
  });

  it('shows how long each call waits', async () => {
    const inbox = await Inbox.open([
      ['create_ticket', { title: 'Waits longest' }],
      ['create_ticket', { title: 'Waits shortly' }],
    ]);
    const { system } = inbox.fixture.organization;
    await inbox.fixture
      .get(DatabaseService)
      .tenant(system, (tx) =>
        runSql(
          tx,
          `update approvals set created_at = now() - interval '190 minutes' where id = (select min(id::text)::uuid from approvals)`,
        ),
      );
    await inbox.page.goto('/console/approvals');
    await inbox.page.getByText('Waiting 3 h, expires').waitFor();
    await inbox.page
      .getByText('Waiting less than 1 min, expires')
      .or(inbox.page.getByText(/Waiting \d min/))
      .waitFor();
    await expect.poll(() => inbox.page.locator('.inbox-items li').first().innerText()).toContain('Waits longest');
  });

  it('shows requesters who can decide', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: 'Asked by Ada' }]]);
    const page = await openConsole(server, inbox.fixture.organization.admin);
    await page.goto('/console/approvals');
    await page.getByText("You can't decide this").waitFor();
    await page.getByText('You requested this call').waitFor();
    await page.getByText('Rita Reviewer can decide.').waitFor();
    const reviewers = await openConsole(
      server,
      await inbox.fixture.organization.member({ name: 'Late', roles: ['admin'] }),
    );
    await reviewers.goto(page.url());
    await reviewers.getByText('You became an approver after the call was requested.').waitFor();
    await reviewers.getByRole('button', { name: "Why 1 other approver can't decide" }).click();
    await reviewers
      .getByRole('list', { name: "Approvers who can't decide" })
      .getByText('Requested this call')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    const nobody = await openConsole(server, await inbox.fixture.organization.member({ name: 'Nob Ody' }));
    await nobody.goto('/console/approvals');
    await nobody.getByText('No pending approvals').first().waitFor();
  });

  it('counts beside its link only what the person can decide', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: 'One' }]]);
    await inbox.page.goto('/console/tasks');
    const link = (page: Page) =>
      page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: /^Approvals/ });
    await link(inbox.page).getByLabel('1 waiting for you').waitFor();
    const requester = await openConsole(server, inbox.fixture.organization.admin);
    await requester.goto('/console/approvals');
    await requester.getByText("You can't decide this").waitFor();
    await expect.poll(() => link(requester).innerText()).toBe('Approvals');
  });

  it('shows a waiting call only among the pending ones', async () => {
    const inbox = await Inbox.open([['create_ticket', { title: 'Denied before' }]]);
    await inbox.page.goto('/console/approvals');
    await inbox.button('Deny').click();
    await inbox.page.getByLabel('Reason for denial').fill('Not now.');
    await inbox.button('Deny').click();
    const id = await inbox.ask('create_ticket', { title: 'Still waiting' });
    await inbox.item('title: Still waiting').click();
    await inbox.button('Approve').waitFor();
    await inbox.page.getByText('Decided', { exact: true }).click();
    await inbox.status(/Denied.*by Rita Reviewer/s).waitFor();
    expect(await inbox.button('Approve').count()).toBe(0);
    expect(await inbox.item('title: Still waiting').count()).toBe(0);
    await inbox.page.goto(`/console/approvals/${id}?show=decided`);
    await inbox.page.waitForURL(`/console/approvals/${id}`);
    await inbox.button('Approve').waitFor();
  });

  it('shows the failure of an approved call', async () => {
    const inbox = await Inbox.open([['break', { title: 'Bound to fail' }]]);
    await inbox.page.goto('/console/approvals');
    await inbox.button('Approve').click();
    await inbox.page.getByRole('link', { name: 'View approval' }).click();
    await inbox.status(/Approved.*by Rita Reviewer.*The call failed\..*The disk is full/s).waitFor();
  });

  it('works on a phone: list, approval, and back', async () => {
    const inbox = await Inbox.open(
      [
        ['create_ticket', { title: 'On a phone' }],
        ['create_ticket', { title: 'On a phone, too', text: 'Word after word. '.repeat(80) }],
      ],
      phone,
    );
    await inbox.page.goto('/console/approvals');
    await inbox.item('title: On a phone, too').tap();
    await inbox.item('title: On a phone, too').waitFor({ state: 'hidden' });
    await inbox.button('Show value').tap();
    await inbox.button('Approve').tap();
    await inbox.argument('On a phone').waitFor();
    await inbox.page.getByRole('link', { name: 'Approvals' }).last().tap();
    await inbox.item('title: On a phone Requested').waitFor();
    expect(await inbox.states()).toEqual(['pending', 'approved']);
    await inbox.item('title: On a phone Requested').tap();
    await inbox.button('Deny').tap();
    await inbox.page.getByLabel('Reason for denial').fill('Not from here.');
    await inbox.button('Deny').tap();
    await inbox.page.getByText('No pending approvals').first().waitFor();
    expect(await inbox.states()).toEqual(['denied', 'approved']);
    expect(await inbox.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
