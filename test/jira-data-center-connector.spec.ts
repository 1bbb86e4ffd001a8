import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataCenterDirectory } from '../examples/simulators/atlassian/data-center-directory.js';
import type { JiraDataCenterSimulator } from '../examples/simulators/jira-data-center/simulator.js';
import { NotSent, OutcomeUnknown, SourcePaused } from '../src/connections/connections.error.js';
import { jiraDataCenterConnector } from '../src/knowledge/jira/jira-data-center.connector.js';
import { SourceRequestError } from '../src/knowledge/source-kit/source-request.error.js';
import { connectorContract } from './connector-contract.js';
import { documentsContext } from './kit/documents-context.js';
import { aJiraSite, startJiraDataCenter } from './kit/jira-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
const running: JiraDataCenterSimulator[] = [];
const aSite = () => aJiraSite(new DataCenterDirectory());
let world: ReturnType<typeof aSite>;
let simulator: JiraDataCenterSimulator;
let source: SourceFixture;

beforeEach(async () => {
  world = aSite();
  ({ simulator, source } = await startJiraDataCenter(world, outgoing));
});
afterEach(() => simulator.stop());
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await outgoing.onApplicationShutdown();
});

connectorContract('jira-data-center', async () => {
  const own = aSite();
  const first = own.site.addIssue(own.project, 'Carts stop', { description: 'The brakes lock.' });
  const second = own.site.addIssue(own.project, 'Invoices late', { description: 'Since Monday.' });
  const started = await startJiraDataCenter(own, outgoing);
  running.push(started.simulator);
  return {
    kind: jiraDataCenterConnector,
    outgoing,
    settings: started.source.settings,
    secrets: started.source.secrets,
    brokenSettings: { ...started.source.settings },
    brokenSecrets: { token: 'a token of another account' },
    change: async () => own.site.editIssue(first, { description: 'The brakes lock on ramps.' }),
    remove: async () => own.site.deleteIssue(second),
    calls: {
      create_issue: { project: 'BILL', type: 'Task', summary: 'Check the ramps' },
      add_comment: { issue: 'BILL-1', text: 'On it.' },
      transition_issue: { issue: 'BILL-1', status: 'Done' },
    },
  };
});

const refusedWith = (fault: string) => expect.objectContaining({ name: 'SourceRequestError', fault });
const textOf = async (id: string) => (await source.walk()).documents.get(`issue/${id}`)!.text!;

describe('an issue', () => {
  it('is one document with its comments, the oldest first, and its markup as Markdown', async () => {
    const { site, project, ada, ben } = world;
    const issue = site.addIssue(project, 'Carts stop', {
      description: 'h2. Cause\nThe brakes lock. Ask [~ben].\n{code:java}\nbrake();\n{code}',
      reporterId: ada.accountId,
      labels: ['brakes'],
    });
    const at = site.now();
    site.addComment(issue, ben.accountId, '', { body: 'Second', created: at + 2000 });
    site.addComment(issue, ada.accountId, '', { body: 'First', created: at + 1000 });
    const document = (await source.walk()).documents.get(`issue/${issue.id}`)!;
    expect(document).toMatchObject({
      kind: 'ticket',
      title: 'BILL-1: Carts stop',
      author: 'Ada',
      container: 'Billing',
      url: `${simulator.url}/browse/BILL-1`,
      updatedAt: new Date(issue.updated),
    });
    expect(document.text).toMatch(
      /Labels: brakes[^]*### Cause[^]*Ask @ben\.[^]*```java\nbrake\(\);\n```[^]*Comment by Ada[^]*First[^]*Comment by Ben[^]*Second/,
    );
  });

  it('leaves out comments for a group or role', async () => {
    const { site, project, ada, developers } = world;
    const issue = site.addIssue(project, 'Carts stop');
    const group = { type: 'group' as const, value: developers.name, identifier: developers.groupId };
    const role = { type: 'role' as const, value: 'Administrators', identifier: '10002' };
    site.addComment(issue, ada.accountId, '', { body: 'For all.' });
    site.addComment(issue, ada.accountId, '', { body: 'For developers only.', visibility: group });
    site.addComment(issue, ada.accountId, '', { body: 'For administrators only.', visibility: role });
    const text = await textOf(issue.id);
    expect(text).toContain('For all.');
    expect(text).not.toContain('only.');
  });

  it('of a service project leaves out internal notes', async () => {
    const { site, asBot, ada } = world;
    const desk = site.addProject('DESK', 'Service desk', { type: 'service_desk' });
    site.setBrowsers(desk, asBot);
    const issue = site.addIssue(desk, 'No access');
    site.addComment(issue, ada.accountId, '', { body: 'Try again.' });
    site.addComment(issue, ada.accountId, '', { body: 'An internal note.', jsdPublic: false });
    const text = await textOf(issue.id);
    expect(text).toContain('Try again.');
    expect(text).not.toContain('internal note');
  });

  it('of a project of an unknown type leaves out comments that are not clearly public', async () => {
    const { site, asBot, ada } = world;
    const project = site.addProject('NEW', 'New', { type: '' as never });
    site.setBrowsers(project, asBot);
    const issue = site.addIssue(project, 'No access');
    site.addComment(issue, ada.accountId, '', { body: 'Try again.' });
    site.addComment(issue, ada.accountId, '', { body: 'An internal note.', jsdPublic: false });
    const text = await textOf(issue.id);
    expect(text).toContain('Try again.');
    expect(text).not.toContain('internal note');
    const marks = [{ internal: false }, { internal: 'TRUE' }, {}, null];
    const comments = marks.map((value, index) => ({
      id: String(index),
      body: `Comment ${index}`,
      created: '2026-11-20T10:00:00.000+0000',
      properties: [{ key: 'sd.public.comment', value }],
    }));
    const body = { comments, total: comments.length };
    simulator.http.faults.add({ kind: 'status', status: 200, body, on: /\/comment$/ });
    expect((await textOf(issue.id)).match(/Comment \d/g)).toEqual(['Comment 0']);
  });

  it('names its epic and the issue of a subtask', async () => {
    const { site, project } = world;
    const epic = site.addIssue(project, 'Sell more', { type: 'Epic', epicName: 'Checkout' });
    const story = site.addIssue(project, 'Pay by invoice', { parentId: epic.id });
    const subtask = site.addIssue(project, 'Check the address', { parentId: story.id });
    const { documents } = await source.walk();
    expect(documents.get(`issue/${epic.id}`)!.text).toContain('Epic name: Checkout');
    expect(documents.get(`issue/${story.id}`)!.text).toContain('Epic: BILL-1 Sell more (Checkout)');
    expect(documents.get(`issue/${subtask.id}`)!.text).toContain('Parent: BILL-2 Pay by invoice');
    simulator.hasEpics = false;
    expect(await textOf(subtask.id)).toContain('Parent: BILL-2 Pay by invoice');
  });

  it('does not name an epic with a security level', async () => {
    const { site, project, asBot } = world;
    const level = site.addLevel(project, 'Board', asBot);
    const epic = site.addIssue(project, 'Layoffs', { type: 'Epic', epicName: 'Layoffs', levelId: level.id });
    const story = site.addIssue(project, 'Book a room', { parentId: epic.id });
    const text = await textOf(story.id);
    expect(text).toContain('Parent: BILL-1');
    expect(text).not.toContain('Layoffs');
  });
});

describe('a complete pass', () => {
  it('reads pages of the size that Jira permits, and no text of unchanged issues', async () => {
    await simulator.stop();
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { mostPerPage: 50 }));
    for (let index = 0; index < 120; index++) world.site.addIssue(world.project, `Issue ${index}`);
    const { documents, expected } = await source.walk();
    expect([documents.size, expected]).toEqual([120, 120]);
    simulator.http.requests.length = 0;
    const known = new Map([...documents].map(([id, { fingerprint }]) => [id, fingerprint]));
    await source.walk(null, known);
    expect(simulator.http.count(/\/issue\/\d+$/)).toBe(0);
    expect(simulator.http.count(/\/search$/)).toBe(4);
  });

  it('misses no issue if others are deleted while it runs', async () => {
    await simulator.stop();
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { mostPerPage: 50 }));
    const { site, project } = world;
    const issues = Array.from({ length: 200 }, (_, index) => site.addIssue(project, `Issue ${index}`));
    const seen: string[] = [];
    for await (const { externalId } of source.each()) {
      seen.push(externalId);
      if (seen.length === 60) for (const issue of issues.slice(0, 55)) site.deleteIssue(issue);
    }
    const missing = issues.slice(55).filter(({ id }) => !seen.includes(`issue/${id}`));
    expect(missing).toEqual([]);
  });

  it('resumes at the stored progress of an interrupted pass', async () => {
    await simulator.stop();
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { mostPerPage: 50 }));
    for (let index = 0; index < 120; index++) world.site.addIssue(world.project, `Issue ${index}`);
    const complete = await source.walk();
    for (const progress of complete.checkpoints) {
      const rest = await source.walk(progress);
      expect(rest.documents.size).toBeLessThan(75);
      expect(rest.cursor).toEqual(complete.cursor);
    }
    const [first] = complete.checkpoints;
    expect((await source.walk({ ...first, nextPageToken: 'no longer valid' })).documents.size).toBe(120);
  });

  it('reads only the chosen projects, and fails if one of them is no longer visible', async () => {
    const { site, project, asBot } = world;
    const other = site.addProject('OPS', 'Operations');
    site.setBrowsers(other, asBot);
    site.addIssue(project, 'In');
    site.addIssue(other, 'Out');
    source.settings = { ...source.settings, containers: [project.id] };
    expect([...(await source.walk()).documents.values()].map(({ title }) => title)).toEqual(['BILL-1: In']);
    site.setBrowsers(project);
    await expect(source.walk()).rejects.toEqual(refusedWith('missing'));
    await expect(source.verify()).resolves.toMatchObject({ status: 'limited' });
  });

  it('skips an issue that got a security level between listing and reading', async () => {
    const { site, project, asBot } = world;
    const level = site.addLevel(project, 'Security', asBot);
    const issue = site.addIssue(project, 'Leak');
    site.pauseIndex();
    site.editIssue(issue, { levelId: level.id, description: 'The password is swordfish.' });
    const behind = await source.walk();
    expect(behind.documents.size).toBe(0);
    expect(behind.skipped).toEqual([
      { externalId: `issue/${issue.id}`, reason: expect.stringContaining('other readers') },
    ]);
  });

  it.each([
    ['a failing server', { kind: 'status', status: 500, on: /search$/ } as const, 'unavailable'],
    ['half a response', { kind: 'half', on: /search$/ } as const, 'unreadable'],
    ['an error page of a proxy', { kind: 'html', on: /search$/ } as const, 'unreadable'],
    ['a cut connection', { kind: 'cut', on: /search$/ } as const, 'unavailable'],
    ['a revoked permission', { kind: 'status', status: 403, on: /search$/ } as const, 'forbidden'],
    [
      'a list that ends early',
      { kind: 'status', status: 200, body: { issues: [], total: 7 }, on: /search$/, after: 1 } as const,
      'unreadable',
    ],
    ['no list of fields', { kind: 'status', status: 500, on: /field$/ } as const, 'unavailable'],
  ])('fails with %s instead of returning a shorter list', async (_, fault, expected) => {
    world.site.addIssue(world.project, 'One');
    simulator.http.faults.add(fault);
    await expect(source.walk()).rejects.toEqual(refusedWith(expected));
  });

  it('fails if the account loses a project while it runs, because this looks like a deletion', async () => {
    const { site, project, asBot } = world;
    const other = site.addProject('OPS', 'Operations');
    site.setBrowsers(other, asBot);
    site.addIssue(project, 'One');
    site.addIssue(other, 'Two');
    const readAll = async () => {
      for await (const { title } of source.each()) if (title.startsWith('BILL')) site.setBrowsers(other);
    };
    await expect(readAll()).rejects.toEqual(refusedWith('refused'));
  });

  it('fails if the token is revoked while it runs', async () => {
    const { site, project, directory, bot } = world;
    for (let index = 0; index < 30; index++) site.addIssue(project, `Issue ${index}`);
    const readAll = async () => {
      for await (const { content } of source.each()) {
        directory.revokeTokens(bot);
        await (content as () => Promise<string>)();
      }
    };
    await expect(readAll()).rejects.toEqual(refusedWith('unauthorized'));
  });

  it('works with a context path, which is part of the citations', async () => {
    await simulator.stop();
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { basePath: '/jira' }));
    world.site.addIssue(world.project, 'One');
    source.settings = { url: `${simulator.url}/jira/` };
    const { documents } = await source.walk();
    expect([...documents.values()][0].url).toBe(`${simulator.url}/jira/browse/BILL-1`);
    expect((await source.roster()).audiences.size).toBe(1);
  });
});

describe('changes', () => {
  it('are found whatever the clock of the site and the time zone of the account are', async () => {
    const { site, project } = world;
    site.clockOffsetMs = -7 * 3_600_000;
    site.utcOffsetMinutes = -480;
    const old = { updated: site.now() - 3_600_000, created: site.now() - 3_600_000 };
    const issue = site.addIssue(project, 'Old', old);
    const { cursor } = await source.walk();
    const added = site.addIssue(project, 'New');
    const first = await source.changes(cursor!);
    expect([...first.documents.keys()]).toEqual([`issue/${added.id}`]);
    site.editIssue(issue, { summary: 'Edited' });
    // another node of the cluster has indexed it only now
    const minutesAgo = site.now() - 14 * 60_000;
    const late = site.addIssue(project, 'Late', { updated: minutesAgo, created: minutesAgo });
    const second = await source.changes(first.cursor!);
    expect(second.documents.get(`issue/${issue.id}`)!.title).toBe('BILL-1: Edited');
    expect(second.documents.has(`issue/${late.id}`)).toBe(true);
  });

  it('are all found, however long it takes to read them', async () => {
    const { site, project } = world;
    await simulator.stop();
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { mostPerPage: 5 }));
    const { cursor } = await source.walk();
    const added = Array.from({ length: 12 }, (_, index) => site.addIssue(project, `Issue ${index}`));
    const read: string[] = [];
    const { documents } = documentsContext({ ...source.context(), cursor: cursor!, hints: [] });
    for await (const document of jiraDataCenterConnector.changes!(documents)) {
      if ('externalId' in document) read.push(document.externalId);
      site.clockOffsetMs += 10 * 60_000;
    }
    expect(read).toEqual(added.map(({ id }) => `issue/${id}`));
  });

  it('read the current state of the issues in webhook events', async () => {
    const { site, project, asBot } = world;
    const other = site.addProject('OPS', 'Operations');
    site.setBrowsers(other, asBot);
    source.settings = { ...source.settings, containers: [project.id] };
    const [edited, deleted, moved] = ['Edited', 'Deleted', 'Moved'].map((name) => site.addIssue(project, name));
    const { cursor } = await source.walk();
    site.pauseIndex();
    site.editIssue(edited, { summary: 'Edited twice' });
    site.deleteIssue(deleted);
    site.moveIssue(moved, other);
    const { documents, removed } = await source.changes(
      cursor!,
      [deleted, edited, moved].map(({ id }) => ({ issue: id })),
    );
    expect(documents.get(`issue/${edited.id}`)!.title).toBe('BILL-1: Edited twice');
    expect(removed.sort()).toEqual([`issue/${deleted.id}`, `issue/${moved.id}`].sort());
  });

  it('include the issues of an epic whose name changed, and its subtasks', async () => {
    const { site, project } = world;
    const old = { updated: site.now() - 3_600_000, created: site.now() - 3_600_000 };
    const epic = site.addIssue(project, 'Checkout', { type: 'Epic', ...old });
    const story = site.addIssue(project, 'Pay by invoice', { parentId: epic.id, ...old });
    const { cursor } = await source.walk();
    site.editIssue(epic, { summary: 'Payments' });
    const { documents } = await source.changes(cursor!);
    expect(documents.get(`issue/${story.id}`)!.text).toContain('Epic: BILL-1 Payments');
  });
});

it('changes are read although an issue was deleted before its children are searched', async () => {
  const { site, project } = world;
  const { cursor } = await source.walk();
  const [remaining, deleted] = ['Remaining', 'Deleted'].map((name) => site.addIssue(project, name));
  const read: string[] = [];
  const { documents } = documentsContext({ ...source.context(), cursor: cursor!, hints: [] });
  for await (const document of jiraDataCenterConnector.changes!(documents)) {
    if ('externalId' in document) read.push(document.externalId);
    site.deleteIssue(deleted);
  }
  expect(read).toEqual([`issue/${remaining.id}`, `issue/${deleted.id}`]);
});

describe('rate limits', () => {
  it('leave a fifth of the token bucket to other clients', async () => {
    await simulator.stop();
    const limits = { limit: 100, fillRate: 1, intervalSeconds: 3600 };
    ({ simulator, source } = await startJiraDataCenter(world, outgoing, { limits }));
    for (let index = 0; index < 200; index++) world.site.addIssue(world.project, `Issue ${index}`);
    await expect(source.walk()).rejects.toBeInstanceOf(SourcePaused);
    expect(simulator.http.requests.length).toBeGreaterThanOrEqual(80);
    expect(simulator.http.requests.length).toBeLessThan(90);
  });

  it('delay the sync without losing an issue', async () => {
    for (let index = 0; index < 30; index++) world.site.addIssue(world.project, `Issue ${index}`);
    simulator.http.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '0' }, on: /issue/, times: 2 });
    expect((await source.walk()).documents.size).toBe(30);
  });
});

describe('a webhook', () => {
  const deliver = ({ headers, body }: ReturnType<JiraDataCenterSimulator['webhook']>) =>
    jiraDataCenterConnector.receive!(source.context(), { headers, body });

  beforeEach(() => (source.secrets.webhookSecret = simulator.webhookSecret));

  it('reports the id of the changed issue, and has the same id if it is repeated', async () => {
    const delivery = simulator.webhook('jira:issue_updated', { issue: { id: '10012', key: 'BILL-1' } });
    const first = await deliver(delivery);
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), hints: [{ issue: '10012' }] });
    // only the body is signed
    delivery.headers['x-atlassian-webhook-identifier'] = 'forged';
    expect(await deliver(delivery)).toEqual(first);
  });

  it('of a comment, which does not name its issue, starts a sync', async () => {
    await expect(deliver(simulator.webhook('comment_created', { comment: { id: '1' } }))).resolves.toMatchObject({
      hints: [],
    });
  });

  it('with another signature or body, or without a secret, is ignored', async () => {
    const payload = { issue: { id: '10012' } };
    const forged = simulator.webhook('jira:issue_updated', payload, 'another secret');
    await expect(deliver(forged)).resolves.toBeNull();
    const changed = simulator.webhook('jira:issue_updated', payload);
    changed.body = Buffer.from(changed.body.toString().replace('10012', '10013'));
    await expect(deliver(changed)).resolves.toBeNull();
    delete source.secrets.webhookSecret;
    await expect(deliver(simulator.webhook('jira:issue_updated', payload))).resolves.toBeNull();
  });
});

describe('an action', () => {
  it('writes wiki markup without mentions and macros', async () => {
    const result = await source.execute('create_issue', {
      project: 'BILL',
      type: 'Bug',
      summary: 'Ramps',
      description: '# Steps\n- one\n\n```ts\nbrake();\n```\nPing [~ben] {panel}',
      labels: ['ramp'],
    });
    expect(result).toMatchObject({
      isError: false,
      structured: { key: 'BILL-1' },
      url: `${simulator.url}/browse/BILL-1`,
    });
    const [issue] = world.site.issues.values();
    expect(issue.description).toBe(
      'h1. Steps\n\n* one\n\n{code:ts}\nbrake();\n{code}\n\nPing \\[\\~ben\\] \\{panel\\}',
    );
    expect(await textOf(issue.id)).toContain('Ping [~ben] {panel}');
    await source.execute('add_comment', { issue: 'BILL-1', text: 'Fixed.' });
    expect(issue.comments.map(({ body }) => body)).toEqual(['Fixed.']);
    await source.execute('transition_issue', { issue: 'BILL-1', status: 'done' });
    expect(issue.status).toBe('Done');
  });

  it('reports whether it took effect if Jira fails', async () => {
    const create = () => source.execute('create_issue', { project: 'BILL', type: 'Bug', summary: 'X' });
    simulator.http.faults.add({ kind: 'cut', on: /\/issue$/, method: 'POST', times: 1 });
    await expect(create()).rejects.toBeInstanceOf(OutcomeUnknown);
    simulator.http.faults.add({ kind: 'status', status: 502, on: /\/project\/BILL$/ });
    await expect(create()).rejects.toBeInstanceOf(NotSent);
  });
});

describe('verification', () => {
  it.each([
    ['ADMINISTER', 'Jira Administrators'],
    ['USER_PICKER', 'Browse Users'],
  ])('names the missing permission without %s', async (permission, name) => {
    world.site.globalPermissions.delete(permission);
    await expect(source.verify()).resolves.toMatchObject({
      status: 'limited',
      reason: expect.stringContaining(`global permission “${name}”`),
    });
  });

  it('fails without leaking a rejected token', async () => {
    source.secrets.token = 'a-wrong-token-0123456789';
    const error = await source.verify().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SourceRequestError);
    expect(String(error)).not.toContain('a-wrong-token-0123456789');
  });

  it('lists the visible projects', async () => {
    world.site.addProject('GONE', 'Archived', { isArchived: true });
    await expect(source.containers()).resolves.toEqual([{ id: world.project.id, title: 'Billing (BILL)' }]);
  });
});
