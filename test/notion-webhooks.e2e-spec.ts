import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotionSimulator } from '../examples/simulators/notion/notion-simulator.js';
import { notionConnector } from '../src/knowledge/notion/notion.connector.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { accessibilityFaults } from './kit/axe.js';
import { inChromium, openConsole } from './kit/console.js';
import { button } from './kit/form.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SourceFixture } from './kit/source-fixture.js';

let server: TestServer;
let notion: NotionSimulator;
let organization: Organization;
let knowledge: KnowledgeFixture;
let id: string;
let address: string;
let block: string;
let page: string;

beforeAll(async () => {
  server = await testServer();
  notion = await NotionSimulator.start();
  page = notion.workspace.addPage('Handbook');
  block = notion.workspace.addBlock(page, 'paragraph', 'Bicycles stand in the yard.');
  organization = await anOrganization(server);
  knowledge = new KnowledgeFixture(server, organization, await organization.as());
  ({ id } = await knowledge.connect({
    kind: 'notion',
    slug: 'notion',
    settings: { url: notion.url },
    secrets: { token: notion.token },
  }));
  await knowledge.waitUntilComplete(id);
  address = `${server.url}/webhooks/sources/${id}`;
});
afterAll(async () => {
  await notion.stop();
  await server.close();
});

const reveal = (request = knowledge.request) =>
  request(`mutation { revealWebhookToken(input: { connectionId: "${id}" }) { token receivedAt } }`);
const tokenAt = async () => {
  const { data } = await knowledge.request(`query { knowledgeSource(connectionId: "${id}") { webhookTokenAt } }`);
  return data.knowledgeSource.webhookTokenAt as string | null;
};
const send = async ({ headers, body }: { headers: Record<string, string>; body: unknown }) =>
  (await fetch(address, { method: 'POST', headers, body: body as string })).status;

describe('the webhook address', () => {
  it('is shown to administrators, with the events to choose', async () => {
    const { data } = await knowledge.request(
      `query { connection(id: "${id}") { webhookUrl } connectors { id webhook { setUp secretField } } }`,
    );
    expect(data.connection.webhookUrl).toBe(address);
    const connectors = data.connectors as { id: string; webhook: object | null }[];
    const webhookOf = (kind: string) => connectors.find(({ id }) => id === kind)!.webhook;
    expect(webhookOf('notion')).toEqual({
      setUp: expect.stringContaining('pages, data sources and comments'),
      secretField: 'webhookToken',
    });
    expect(webhookOf('folder')).toBeNull();
  });

  it('does not exist for a connector without webhooks, and is not shown to members', async () => {
    const { id: uploads } = await knowledge.connect({ kind: 'documents', slug: 'uploads' });
    const { data } = await knowledge.request(`query { connection(id: "${uploads}") { webhookUrl } }`);
    expect(data.connection.webhookUrl).toBeNull();
    const member = await organization.as(await organization.member());
    const refused = await member(`query { connection(id: "${id}") { webhookUrl } }`);
    expect(refused.errors?.[0].extensions.code).toBe('forbidden');
  });
});

describe('the token that Notion sends for its webhooks', () => {
  it('does not exist before', async () => {
    expect(await tokenAt()).toBeNull();
    expect((await reveal()).errors?.[0].extensions.code).toBe('not-found');
  });

  it('is shown to administrators in a session, and recorded without the token', async () => {
    notion.subscribe(address);
    await notion.http.webhooks.settled();
    expect(notion.http.webhooks.failures).toEqual([]);
    expect(await tokenAt()).not.toBeNull();
    expect((await reveal()).data.revealWebhookToken.token).toBe(notion.verificationToken);
    const { data } = await knowledge.request(
      '{ auditEvents(kind: "source.webhook_token_revealed") { nodes { subject detail } } }',
    );
    expect(data.auditEvents.nodes).toMatchObject([{ subject: { id } }]);
    expect(JSON.stringify(data)).not.toContain(notion.verificationToken);
    const member = await organization.as(await organization.member());
    expect((await reveal(member)).errors?.[0].extensions.code).toBe('forbidden');
  });

  it('has no effect before an administrator has entered it', async () => {
    notion.workspace.editBlock(block, 'Bicycles stand in the cellar.');
    await notion.http.webhooks.settled();
    expect(notion.http.webhooks.failures.splice(0)).toEqual(['status 404']);
  });

  it('verifies webhooks after it was entered, and a changed page is read within seconds', async () => {
    const { data } = await knowledge.request(`query { connection(id: "${id}") { revision } }`);
    const { errors } = await knowledge.request(
      'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { revision } }',
      { input: { id, revision: data.connection.revision, secrets: { webhookToken: notion.verificationToken } } },
    );
    expect(errors).toBeUndefined();
    await knowledge.sync(id);
    notion.workspace.hiddenFromSearch.add(page); // search shows changes late
    notion.workspace.editBlock(block, 'Bicycles stand in the attic.');
    await notion.http.webhooks.settled();
    expect(notion.http.webhooks.failures).toEqual([]);
    const finds = async () => (await knowledge.search([id], 'attic')).passages.length;
    await expect.poll(finds).toBe(1);
  });

  it('cannot be replaced by others: a forged token is only shown, and forged events are rejected', async () => {
    const forged = 'secret_of_somebody_else';
    expect(await send(notion.delivery({ verification_token: forged }, forged))).toBe(200);
    const event = { id: 'e1', type: 'page.content_updated', entity: { id: page, type: 'page' } };
    expect(await send(notion.delivery(event, forged))).toBe(404);
    expect(await send(notion.delivery(event))).toBe(200);
    expect(await send(notion.delivery({ verification_token: forged }, 'another'))).toBe(404);
  });
});

inChromium('the console', () => {
  it('shows the webhook address with the events, and whether the token is set', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto(`/console/integrations/${id}`);
    await page.getByRole('link', { name: 'View address and events' }).click();
    const section = page.getByRole('region', { name: 'Webhook', exact: true });
    await expect.poll(() => section.getByLabel('Webhook address', { exact: true }).inputValue()).toBe(address);
    await button(section, 'Copy Webhook address').waitFor();
    await section.getByText(/create a subscription with the events of pages, data sources and comments/).waitFor();
    await section.getByText(/Webhook verification token.*It is set\./).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('shows the token after a click', async () => {
    notion.subscribe(address);
    await notion.http.webhooks.settled();
    const page = await openConsole(server, organization.admin);
    await page.goto(`/console/integrations/${id}/sync`);
    await button(page, 'Show token').click();
    await expect
      .poll(() => page.getByLabel('Webhook token', { exact: true }).inputValue())
      .toBe(notion.verificationToken);
    const other = 'secret_of_the_next_subscription';
    expect(await send(notion.delivery({ verification_token: other }, other))).toBe(200);
    await button(page, 'Show token').click(); // the earlier token is no longer shown
    await expect.poll(() => page.getByLabel('Webhook token', { exact: true }).inputValue()).toBe(other);
  });
});

describe('webhooks of Notion', () => {
  const outgoing = localOutgoing();
  const connector = notionConnector({ paceMs: 0, maxWaitMs: 2000, quickWaitMs: 50, retryDelayMs: 1 });
  let own: NotionSimulator;
  beforeAll(async () => {
    own = await NotionSimulator.start();
  });
  afterAll(async () => {
    await own.stop();
    await outgoing.onApplicationShutdown();
  });
  const source = () =>
    new SourceFixture(connector, {
      outgoing,
      settings: { url: own.url },
      secrets: { token: own.token, webhookToken: own.verificationToken },
    });
  const receive = (payload: object) => {
    const { headers, body } = own.delivery(payload);
    return source().receive({ headers, body: String(body) });
  };
  const hintsOfLast = async () => {
    const { headers, body } = own.deliveries.at(-1)!;
    return [...(await source().receive({ headers, body: String(body) }))!.hints!];
  };

  it('name pages that are read again, also for a comment, and removed if they are gone', async () => {
    const { workspace } = own;
    const changed = workspace.addPage('Changed');
    const gone = workspace.addPage('Gone');
    const { cursor, documents } = await source().walk();
    workspace.hiddenFromSearch.add(changed).add(gone);
    workspace.addComment(changed, 'A new comment.', '');
    const hints: JsonObject[] = await hintsOfLast();
    expect(hints).toEqual([{ object: 'page', id: changed }]);
    workspace.trash(gone);
    hints.push(...(await hintsOfLast()));
    const changes = await source().changes(cursor!, hints);
    expect(changes.removed).toEqual([`page/${gone}`]);
    const read = changes.documents.get(`page/${changed}`)!;
    expect(read.text).toContain('A new comment.');
    expect(read.fingerprint).not.toBe(documents.get(`page/${changed}`)!.fingerprint);
    workspace.share(changed, false);
    expect((await source().changes(cursor!, hints)).removed).toEqual([`page/${changed}`, `page/${gone}`]);
  });

  it('start a sync without a name if the document is unknown, and none if no document changed', async () => {
    const event = (type: string, entity: string) => ({ id: `e of ${type}`, type, entity: { id: 'x', type: entity } });
    expect(await receive(event('database.content_updated', 'database'))).toMatchObject({ hints: [] });
    expect(await receive(event('comment.created', 'comment'))).toMatchObject({ hints: [] });
    expect(await receive(event('view.updated', 'view'))).toMatchObject({ hints: null });
    expect(await receive({ any: 'thing' })).toBeNull();
  });

  it('have the same id when Notion repeats them', async () => {
    const event = { id: 'same', type: 'page.created', entity: { id: 'x', type: 'page' } };
    expect((await receive({ ...event, attempt_number: 1 }))!.id).toBe('same');
    expect((await receive({ ...event, attempt_number: 2 }))!.id).toBe('same');
  });
});
