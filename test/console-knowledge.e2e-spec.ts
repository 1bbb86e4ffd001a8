import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { GroupsService } from '../src/access/groups.service.js';
import { DocumentsService } from '../src/knowledge/documents.service.js';
import { upsertQuarantined } from '../src/knowledge/quarantine.sql.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { accessibilityFaults } from './kit/axe.js';
import { openConsole, inChromium } from './kit/console.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let knowledge: KnowledgeFixture;
let page: Page;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor' });
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
  page = await openConsole(server, lark.admin);
});
afterAll(() => server.close());

let folders = 0;
async function folderOf(fill: (folder: string) => void, settings: object = {}): Promise<string> {
  const folder = path.join(server.folder, `console-${++folders}`);
  mkdirSync(folder, { recursive: true });
  fill(folder);
  const slug = `folder${folders}`;
  const { id } = await knowledge.connect({ kind: 'folder', slug, settings: { path: folder, ...settings } });
  await knowledge.waitUntilComplete(id);
  return id;
}
const said = (text: string | RegExp) => page.getByText(text).first().waitFor();

inChromium('knowledge', () => {
  let handbook: string;
  beforeAll(async () => {
    handbook = await folderOf((folder) => cpSync('examples/demo-documents', folder, { recursive: true }));
  });

  it('is found by a question, with ranking details and readers', async () => {
    await page.goto('/console/knowledge');
    await page.getByRole('link', { name: 'folder1' }).waitFor();
    await page.getByLabel('Search knowledge').fill('How many days of vacation do I have?');
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
    await said(/Searched 42 documents from 1 source/);
    const best = page.getByRole('article').first();
    await best.getByRole('heading', { name: /Working hours and leave/ }).waitFor();
    await best.getByRole('button', { name: 'Ranking details' }).click();
    await best.getByRole('table', { name: 'Score by term' }).getByText('vacat').waitFor();
    const last = page.getByRole('article').last();
    await last.getByRole('button', { name: 'Ranking details' }).click();
    await last.getByText(/Also ranked by: \d+(\.\d+)?% of terms found/).waitFor();
    await best.getByRole('button', { name: 'Readers' }).click();
    await best.getByText('Everyone who may use these configurations:').waitFor();
    await best.getByText('No configuration includes this source, so no one can find it.').waitFor();
  });

  it('shows tickets that the results name after them', async () => {
    await knowledge.pushLinkedDocuments();
    const own = await openConsole(server, lark.admin);
    await own.goto('/console/knowledge/search?q=zebra');
    const section = own.getByRole('region', { name: 'Linked documents' });
    const linked = section.getByRole('article');
    await linked.getByRole('heading', { name: '2. PROJ-123: Worker restarts' }).waitFor();
    await linked.getByText('Named in result 1').waitFor();
    await linked.getByText('The worker runs out of memory.').waitFor();
    const address = await linked.getByRole('link', { name: 'Open in source' }).getAttribute('href');
    expect(address).toBe('https://tracker.example/browse/PROJ-123');
    expect(await accessibilityFaults(own)).toEqual([]);
    await linked.getByRole('link', { name: 'PROJ-123: Worker restarts' }).click();
    await own.getByRole('heading', { level: 1, name: 'PROJ-123: Worker restarts' }).waitFor();
    await own.context().close();
  });

  it('keeps search filters in the address', async () => {
    await page.goto('/console/knowledge/search?q=vacation&kind=code');
    await said('No results');
    await page.getByRole('combobox', { name: 'All types' }).click();
    await page.getByRole('option', { name: 'Document' }).click();
    await page.getByRole('article').first().waitFor();
    expect(new URL(page.url()).searchParams.get('kind')).toBe('doc');
  });

  it('opens a document as text', async () => {
    const id = await folderOf((folder) =>
      writeFileSync(path.join(folder, 'odd.md'), '# Odd <b>one</b>\n\nSay \u202e<script>hacked = 1</script>'),
    );
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: /Odd/ }).click();
    await said(/<script>hacked = 1<\/script>/);
    await expect.poll(() => page.locator('mark').first().textContent()).toContain('U+202E');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  it('loads a long document in parts', async () => {
    const part = (at: number) => `## Part ${at}\n\n${'figures '.repeat(120)}`;
    const id = await folderOf((folder) =>
      writeFileSync(path.join(folder, 'long.md'), Array.from({ length: 60 }, (_, at) => part(at)).join('\n\n')),
    );
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: /long/ }).click();
    await said(/Part 0/);
    expect(await page.getByText(/Part 59/).count()).toBe(0);
    while (await page.getByRole('button', { name: 'Load more' }).isVisible()) {
      const parts = page.getByText(/^lines /);
      const before = await parts.count();
      await page.getByRole('button', { name: 'Load more' }).click();
      await parts.nth(before).waitFor();
    }
    await said(/Part 59/);
  });

  it('of other groups is shown on request, which is recorded', async () => {
    await server.app.get(GroupsService).create(lark.system, 'Board');
    const id = await folderOf((folder) => writeFileSync(path.join(folder, 'agenda.md'), 'confidential agenda'), {
      groups: ['Board'],
    });
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: /agenda/ }).click();
    await said("You don't have access");
    await said(/^Groups .*, through these configurations:/);
    expect(await page.getByText('confidential agenda').count()).toBe(0);
    await page.getByRole('button', { name: /Read as these groups/ }).click();
    await said('confidential agenda');
    const { data } = await knowledge.request('{ auditEvents(kind: "knowledge.read_as_others") { totalCount } }');
    expect(data.auditEvents.totalCount).toBe(1);
  });

  it('that programs uploaded can be deleted, synced documents cannot', async () => {
    const { id, slug } = await knowledge.connect({ kind: 'documents', slug: 'notes' });
    await server.app.get(DocumentsService).push(lark.system, slug, {
      externalId: 'note-1',
      kind: 'doc',
      title: 'A note',
      mediaType: 'text/plain',
      content: 'to be deleted',
      fingerprint: '1',
    });
    await page.goto(`/console/knowledge/${id}`);
    await page.getByRole('link', { name: 'A note' }).click();
    await page.getByRole('button', { name: 'Delete document' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete document' }).click();
    await said('No documents yet');

    await page.goto(`/console/knowledge/${handbook}`);
    await page.getByRole('table', { name: 'Documents' }).getByRole('link').first().click();
    await said('Content');
    expect(await page.getByRole('button', { name: 'Delete document' }).count()).toBe(0);
  });

  it('is managed by administrators', async () => {
    const theirs = await openConsole(server, await lark.member());
    await theirs.goto('/console/knowledge/search?q=vacation');
    await theirs.getByRole('alert').getByText('forbidden').first().waitFor();
    expect(await theirs.getByRole('article').count()).toBe(0);
    await theirs.context().close();
  });

  it('names documents that could not be read, and an administrator retries one', async () => {
    const { tenant } = lark;
    await server.app
      .get(DatabaseService)
      .tenant({ tenantId: tenant.id }, (tx) =>
        tx.execute(upsertQuarantined, [
          tenant.id,
          newId(),
          handbook,
          'plans/bomb\u202e.pdf',
          'digest',
          5120,
          'takes too much memory to read',
        ]),
      );
    await page.goto(`/console/knowledge/${handbook}`);
    const notice = page.getByRole('alert').filter({ hasText: '1 document could not be read' });
    await notice.getByText('It takes too much memory to read. Size: 5,120 bytes.').waitFor();
    await expect.poll(() => notice.locator('mark').textContent()).toContain('U+202E');
    await notice.getByRole('button', { name: /^Retry document/ }).click();
    await said('The next sync or upload reads the document again.');
    await notice.waitFor({ state: 'detached' });
  });

  it('is not read while its sync is quarantined, until an administrator retries it', async () => {
    const { tenant } = lark;
    const owner = new pg.Client(server.databaseUrl);
    await owner.connect();
    await owner.query(
      `insert into suspect_jobs (tenant_id, task, payload, key, max_attempts, losses, total_losses, lost_at, quarantined_at, reported_at)
       values ($1, 'knowledge.sync', $2, $3, 1, 2, 2, now(), now(), now())`,
      [tenant.id, { tenantId: tenant.id, connectionId: handbook }, `sync:${handbook}`],
    );
    await page.goto('/console');
    await page.getByRole('alert').getByText('Knowledge sync, crashed 2 processes').waitFor();
    await page.goto(`/console/integrations/${handbook}/sync`);
    await page.getByRole('alert').getByText('It doesn’t run again until you retry it').waitFor();
    await page.getByRole('button', { name: 'Retry job' }).click();
    await said('Job released. It runs again within a minute.');
    await page.getByRole('alert').filter({ hasText: 'Quarantined job' }).waitFor({ state: 'detached' });
    const cleared = async () =>
      !(await owner.query(`select from suspect_jobs where payload ->> 'connectionId' = $1`, [handbook])).rowCount;
    await expect.poll(cleared, { timeout: 120_000 }).toBe(true);
    await owner.end();
  });
});
