import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { rowsOf } from './kit/csv.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  const notes = { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'], env: { NOTES_TOKEN: secret } };
  const wiki = { url: 'https://user:hidden@wiki.example.net/mcp?token=hidden', disabled: true };
  await estate.upload(
    'lap-ines',
    [
      { path: '/Users/ines/.cursor/mcp.json', content: { mcpServers: { '=notes': notes, wiki } } },
      { path: '/Users/ines/shop/.cursor/mcp.json', content: { mcpServers: {} } },
    ],
    { owner: 'ines@elsewhere.example' },
  );
});
afterAll(() => server.close());

const download = async (member: Member, organization = lark) =>
  (await organization.browser(member)).fetch('/console/exports/estate.csv');

describe('the export of the estate', () => {
  it('has a row for each file and for each server that it declares, by resource kind', async () => {
    const hash = await definitionOf('wiki');
    const admin = await lark.as();
    const approve = 'mutation ($input: ApproveEstateServersInput!) { approveEstateServers(input: $input) { id } }';
    const approved = await admin(approve, { input: { kind: 'definition', value: hash, note: 'Reviewed' } });
    expect(approved.errors).toBeUndefined();
    const response = await download(lark.admin);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="estate.csv"');
    const text = await response.text();
    expect(text).not.toContain(secret);
    expect(text).not.toContain('hidden');
    const rows = rowsOf(text);
    expect(rows).toMatchObject([
      {
        resource_kind: 'mcp_client_configuration',
        source_kind: 'device',
        source: 'lap-ines',
        owner: 'ines@elsewhere.example',
        client: 'cursor',
        path: '/Users/ines/.cursor/mcp.json',
        servers: '2',
        server: '',
        approved_by: '',
      },
      {
        resource_kind: 'mcp_server_deployment',
        path: '/Users/ines/.cursor/mcp.json',
        server: "'=notes",
        transport: 'stdio',
        command: 'npx',
        package: 'mcp-notes',
        package_version: '1.0.0',
        disabled: 'false',
        approved_by: '',
      },
      {
        resource_kind: 'mcp_server_deployment',
        server: 'wiki',
        url: 'https://wiki.example.net/mcp',
        disabled: 'true',
        approved_by: 'definition',
        definition_hash: hash,
      },
      { resource_kind: 'mcp_client_configuration', path: '/Users/ines/shop/.cursor/mcp.json', servers: '0' },
    ]);
    expect(new Set(rows.map(({ resource_id }) => resource_id)).size).toBe(4);
  });

  it('shows an analyst neither owners nor home folders of people they may not see', async () => {
    const text = await (await download(await lark.member({ roles: ['analyst'] }))).text();
    expect(text).not.toMatch(/ines/i);
    expect(rowsOf(text)).toHaveLength(4);
  });

  it('is recorded once, and refused without access', async () => {
    const events = async () =>
      (await (await lark.as())('{ auditEvents(kind: "estate.exported", first: 50) { nodes { actor } } }')).data
        .auditEvents.nodes.length as number;
    const before = await events();
    await (await download(lark.admin)).text();
    expect(await events()).toBe(before + 1);
    const refused = await download(await lark.member({ roles: ['member'] }));
    expect(refused.status).toBe(403);
    expect(await events()).toBe(before + 1);
  });

  it('is limited to the organization', async () => {
    const moor = await anOrganization(server);
    expect(rowsOf(await (await download(moor.admin, moor)).text())).toEqual([]);
  });

  it('contains every file once if there are more than fit a page', async () => {
    const wren = await anOrganization(server);
    const fixture = await EstateFixture.create(server, wren);
    const files = Array.from({ length: 1001 }, (_, at) => ({
      path: `/work/p${at}/.cursor/mcp.json`,
      content: { mcpServers: { wiki: { url: `https://wiki.example.net/${at % 7}` } } },
    }));
    for (let at = 0; at < files.length; at += 250)
      await fixture.upload('builder', files.slice(at, at + 250), { isComplete: false });
    const rows = rowsOf(await (await download(wren.admin, wren)).text());
    const paths = (kind: string) => rows.filter(({ resource_kind }) => resource_kind === kind).map(({ path }) => path);
    const all = files.map(({ path }) => path).sort();
    expect(paths('mcp_client_configuration').sort()).toEqual(all);
    expect(paths('mcp_server_deployment').sort()).toEqual(all);
  });
});

async function definitionOf(name: string): Promise<string> {
  const [{ hash }] = await estate.rows<{ hash: string }>(
    'select definition_hash as hash from estate_entries where tenant_id = $1 and name = $2',
    [name],
  );
  return hash;
}
