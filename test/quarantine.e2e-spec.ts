import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TenantKeysService } from '../src/access/tenant-keys.service.js';
import { FindingEvaluationService } from '../src/estate/findings/evaluation/finding-evaluation.service.js';
import { IntakeService } from '../src/estate/intake/intake.service.js';
import { isolatedJob } from '../src/platform/isolation/isolated-job.js';
import { MetricsService } from '../src/platform/telemetry/metrics.service.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

// several workers use up their CPU time, which takes long on a busy machine
vi.setConfig({ testTimeout: 240_000 });

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
});
afterAll(() => server.close());

// on a busy machine, workers get their CPU time late
const limits = { cpuMs: 1500, residentMb: 400, stalledMs: 200_000 };
const quarantined = async (kind: string) => {
  const { values } = await server.app.get(MetricsService).quarantined.get();
  return values.find(({ labels }) => labels.kind === kind)?.value ?? 0;
};
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await setTimeout(100);
};

/** Checks that the server responds meanwhile, and logs the number of responses and the longest event loop delay. */
async function answersDuring<T>(work: Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let isDone = false;
  let answers = 0;
  const asking = (async () => {
    do {
      expect((await fetch(`${server.url}/ingest/estate`, { method: 'POST' })).status).toBe(401);
      answers++;
      await setTimeout(20);
    } while (!isDone);
  })();
  try {
    return await work;
  } finally {
    isDone = true;
    await asking;
    delay.disable();
    console.info(`${answers} responses meanwhile; maximum event loop delay ${(delay.max / 1e6).toFixed(0)} ms`);
    expect(answers).toBeGreaterThan(0);
  }
}

const path = '/home/ines/.cursor/mcp.json';
const fileQuery = `query ($search: String) { estateFiles(search: $search, first: 10) { nodes {
  id path status size digest entryCount problems { reason } entries { name } versions { number status entries } } } }`;
const retry = `mutation ($id: ID!) { retryEstateFile(input: { fileId: $id }) { id status } }`;
const audited = async (kind: string) => {
  const ask = await lark.as();
  const { data } = await ask(`{ auditEvents(kind: "${kind}") { nodes { subject detail } } }`);
  return data.auditEvents.nodes as { subject: { name: string }; detail: Record<string, unknown> }[];
};

describe('a configuration file', () => {
  it('of 56 KB that once blocked the server is parsed while the server responds', async () => {
    const content = { mcpServers: { it: { command: 'sh', args: ['-c', 'curl '.repeat(11_200)] } } };
    await expect(answersDuring(estate.upload('lap-56', [{ path, content }]))).resolves.toMatchObject({ added: 1 });
  });

  describe('that crashes two worker processes', () => {
    const devices = { path: '/home/ida/.cursor/mcp.json', content: { mcpServers: { 'never ends': { command: 'x' } } } };
    const other = { path: '/home/ida/shop/.cursor/mcp.json', content: { mcpServers: { notes: { command: 'x' } } } };
    const file = async () => {
      const ask = await lark.as();
      const { data } = await ask(fileQuery, { search: '/home/ida/.cursor' });
      return data.estateFiles.nodes[0];
    };

    beforeAll(() => {
      const intake = server.app.get(IntakeService);
      intake.parseJob = isolatedJob(
        'estate-files',
        new URL('./kit/failing-files.isolated.js', import.meta.url),
        limits,
      );
    });

    it('is stored without its content and reported, and other files are stored', async () => {
      const before = await quarantined('estate_file');
      await expect(answersDuring(estate.upload('lap-q', [devices, other]))).resolves.toMatchObject({ added: 2 });
      expect(await file()).toMatchObject({
        status: 'quarantined',
        entryCount: 0,
        entries: [],
        problems: [{ reason: 'is quarantined: it takes too much processor time to read' }],
        versions: [{ number: 1, status: 'quarantined', entries: [] }],
      });
      expect(await quarantined('estate_file')).toBe(before + 1);
      expect(await audited('estate.file_quarantined')).toMatchObject([{ subject: { name: devices.path } }]);
      const [{ rows }] = await estate.rows<{ rows: string }>(
        `select (select count(*) from estate_entries e where e.tenant_id = $1 and e::text like '%never ends%')
              + (select count(*) from estate_versions v where v.tenant_id = $1 and v::text like '%never ends%') as rows`,
      );
      expect(rows).toBe('0');
    });

    it('is not read again automatically', async () => {
      await expect(estate.upload('lap-q', [devices, other])).resolves.toMatchObject({ unchanged: 2 });
      await estate.upload('lap-q', [other]);
      // it was gone meanwhile
      await expect(estate.upload('lap-q', [devices, other])).resolves.toMatchObject({ changed: 1 });
      expect(await file()).toMatchObject({ status: 'quarantined' });
      expect(await quarantined('estate_file')).toBe(1);
    });

    it('is read again when an administrator retries it, and is quarantined again if it still fails', async () => {
      const ask = await lark.as();
      const { id } = await file();
      await expect(ask(retry, { id })).resolves.toMatchObject({ data: { retryEstateFile: { status: 'unreadable' } } });
      expect(await audited('estate.file_retried')).toMatchObject([{ subject: { name: devices.path } }]);
      const { errors } = await ask(retry, { id });
      expect(errors?.[0].extensions.code).toBe('estate-not-quarantined');
      await estate.upload('lap-q', [devices, other]);
      expect(await file()).toMatchObject({ status: 'quarantined' });
      expect(await quarantined('estate_file')).toBe(2);
    });

    it('is read again when its content changes', async () => {
      const fixed = { ...devices, content: { mcpServers: { ends: { command: 'x' } } } };
      await expect(estate.upload('lap-q', [fixed, other])).resolves.toMatchObject({ changed: 1 });
      expect(await file()).toMatchObject({ status: 'read', entries: [{ name: 'ends' }] });
    });
  });

  it('on which a rule never finishes is quarantined without its content', async () => {
    const judging = server.app.get(FindingEvaluationService);
    judging.evaluationJob = isolatedJob(
      'estate-findings',
      new URL('./kit/failing-rules.isolated.js', import.meta.url),
      limits,
    );
    const endless = { path: '/home/eve/.cursor/mcp.json', content: { mcpServers: { endless: { command: 'x' } } } };
    const usual = {
      path: '/home/eve/a/.cursor/mcp.json',
      content: { mcpServers: { a: { command: 'npx', args: ['a'] } } },
    };
    await estate.upload('lap-j', [endless, usual]);
    const ask = await lark.as();
    const files = async () =>
      (await ask(fileQuery, { search: '/home/eve' })).data.estateFiles.nodes as { status: string }[];
    await until(async () => (await files()).some(({ status }) => status === 'quarantined'));
    const byStatus = Object.fromEntries((await files()).map((file) => [file.status, file]));
    expect(byStatus.quarantined).toMatchObject({ entries: [], entryCount: 0, versions: [{ entries: [] }] });
    expect(byStatus.read).toMatchObject({ entries: [{ name: 'a' }] });
    const [{ findings }] = await estate.rows<{ findings: string }>(
      `select count(*) as findings from estate_findings o join estate_files f on f.tenant_id = o.tenant_id and f.id = o.file_id
       where o.tenant_id = $1 and f.path = $2`,
      [usual.path],
    );
    expect(Number(findings)).toBeGreaterThan(0);
  });
});

/** A page whose content is compressed three times: a few kilobytes expand to a gigabyte. */
function pdfBomb(): Buffer {
  let stream = deflateSync(Buffer.alloc(2 ** 30, ' '), { level: 9 });
  for (let level = 1; level < 3; level++) stream = deflateSync(stream, { level: 9 });
  const filters = '/FlateDecode '.repeat(3);
  const head = Buffer.from(
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
      '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>\nendobj\n' +
      `4 0 obj\n<< /Length ${stream.length} /Filter [${filters}] >>\nstream\n`,
  );
  return Buffer.concat([head, stream, Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n')]);
}

/** Created before the server starts, because it blocks this process for a while. */
const bombed = pdfBomb();

describe('a document', () => {
  const list = `query ($id: ID!) { quarantinedDocuments(connectionId: $id) { id externalId size digest reason } }`;
  let push: (name: string, body: object) => Promise<Response>;
  let connectionId: string;
  beforeAll(async () => {
    const { admin, system } = lark;
    const ask = await lark.as();
    const { data } = await ask(`mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }`, {
      input: { kind: 'documents', name: 'Bombs', slug: 'bombs', settings: {} },
    });
    connectionId = data.createConnection.id;
    const principal = { ...system, kind: 'member' as const, memberId: admin.id, sessionId: admin.id };
    const { key } = await server.app.get(TenantKeysService).create(principal, { name: 'docs', scopes: ['documents'] });
    push = (name, body) =>
      fetch(`${server.url}/ingest/documents/bombs/${name}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
  });
  const bomb = () => ({ title: 'A', mediaType: 'application/pdf', contentBase64: bombed.toString('base64') });
  const inQuarantine = async () => {
    const ask = await lark.as();
    return (await ask(list, { id: connectionId })).data.quarantinedDocuments as { id: string; externalId: string }[];
  };

  it('that expands from kilobytes to gigabytes is quarantined while the server responds', async () => {
    expect(bombed.length).toBeLessThan(20_000);
    const refused = await answersDuring(push('bomb', bomb()));
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      code: 'document-unreadable',
      detail: expect.stringContaining('is quarantined'),
    });
    expect(await inQuarantine()).toMatchObject([{ externalId: 'bomb' }]);
    expect(await quarantined('document')).toBe(1);
    expect(await audited('document.quarantined')).toMatchObject([{ subject: { name: 'bomb' } }]);
  });

  it('is read again only when an administrator retries it', async () => {
    expect((await push('bomb', bomb())).status).toBe(422);
    expect(await quarantined('document')).toBe(1);
    const [{ id }] = await inQuarantine();
    const ask = await lark.as();
    await ask(`mutation ($id: ID!) { retryQuarantinedDocument(input: { id: $id }) { id } }`, { id });
    expect(await inQuarantine()).toEqual([]);
    expect(await audited('document.retried')).toMatchObject([{ subject: { name: 'bomb' } }]);
    expect((await push('bomb', bomb())).status).toBe(422);
    expect(await quarantined('document')).toBe(2);
  });

  it('is read again when its content changes', async () => {
    expect((await push('bomb', { title: 'A', content: 'harmless' })).status).toBe(201);
    expect(await inQuarantine()).toEqual([]);
  });

  it.each([
    ['deep', { mediaType: 'text/html', content: '<b>'.repeat(200_000) }, 422],
    ['table', { mediaType: 'text/markdown', content: '| a | b |\n'.repeat(40_000) }, 201],
    ['words', { mediaType: 'text/plain', content: 'aA-'.repeat(150_000) }, 201],
  ])('that is otherwise large is read or rejected while the server responds: %s', async (name, body, status) => {
    expect((await answersDuring(push(name, { title: name, ...body }))).status).toBe(status);
  });
});
