import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let admin: GraphqlRequest;
let analyst: GraphqlRequest;
let cursorId: string;
let ines: { email: string; name: string };
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  admin = await lark.as();
  analyst = await lark.as(await lark.member({ name: 'Anna Analyst', roles: ['analyst'] }));
  ({ id: cursorId } = await SpendIdentityFixture.create(server, lark));
  ines = await lark.member({ name: 'Ines Owner' });
  await requestData(admin, '{ spendPeople { totalCount } }');
  const files = [
    {
      path: '/Users/ines/.cursor/mcp.json',
      content: {
        mcpServers: {
          notes: { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'], env: { NOTES_TOKEN: 'one-long-secret' } },
        },
      },
    },
    {
      path: '/Users/ines/shop/.cursor/mcp.json',
      content: {
        mcpServers: {
          'shop notes': { command: 'npx', args: ['mcp-notes'] },
          wiki: { url: 'https://wiki.example.net/mcp' },
        },
      },
    },
  ];
  await estate.upload('lap-ines', files, { owner: ines.email.toUpperCase(), platform: 'darwin' });
  await estate.upload(
    'lap-otto',
    [
      {
        path: '/home/otto/.cursor/mcp.json',
        content: { mcpServers: { wiki: { url: 'https://wiki.example.net/mcp/' } } },
      },
    ],
    { owner: 'otto@elsewhere.example' },
  );
});
afterAll(() => server.close());

async function requestData(ask: GraphqlRequest, query: string, variables?: object) {
  const { data, errors } = await ask(query, variables);
  expect(errors).toBeUndefined();
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows the shape of its query
  return Object.values(data as object)[0] as any;
}

describe('the inventory', () => {
  it('returns counts', async () => {
    await expect(requestData(admin, '{ estateCounts { devices folders files servers } }')).resolves.toEqual({
      devices: 2,
      folders: 0,
      files: 3,
      servers: 2,
    });
  });

  it('lists files with their entries and owners', async () => {
    const { nodes, totalCount } = await requestData(
      admin,
      `{ estateFiles { totalCount nodes {
      path scope status version connectionId owner { name email } source { name kind platform fileCount }
      entries { name transport command package { manager name versionSpec isPinned } envNames definition secrets { type place fingerprint } server { names } } } } }`,
    );
    expect(totalCount).toBe(3);
    expect(nodes[0]).toMatchObject({
      path: '/Users/ines/.cursor/mcp.json',
      scope: 'user',
      status: 'read',
      version: 1,
      connectionId: cursorId,
      owner: { name: 'Ines Owner', email: ines.email },
      source: { name: 'lap-ines', kind: 'device', platform: 'darwin', fileCount: 2 },
      entries: [
        {
          name: 'notes',
          transport: 'stdio',
          command: 'npx',
          package: { manager: 'npm', name: 'mcp-notes', versionSpec: '1.0.0', isPinned: true },
          envNames: ['NOTES_TOKEN'],
          definition: { env: { NOTES_TOKEN: '[secret:generic]' } },
          secrets: [
            { type: 'generic', place: '/env/NOTES_TOKEN', fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) },
          ],
          server: { names: ['notes', 'shop notes'] },
        },
      ],
    });
    expect(nodes.at(-1)).toMatchObject({ owner: { name: 'otto@elsewhere.example' } });
  });

  it('lists a server on several devices once, with its declarations', async () => {
    const { nodes } = await requestData(
      admin,
      `{ estateServers { nodes { name host fileCount sourceCount ownerCount names versionSpecs definitionCount
      entries { totalCount nodes { name file { path owner { name } } } } } } }`,
    );
    expect(nodes).toMatchObject([
      {
        name: 'notes',
        fileCount: 2,
        sourceCount: 1,
        ownerCount: 1,
        names: ['notes', 'shop notes'],
        versionSpecs: ['', '1.0.0'],
        definitionCount: 2,
      },
      {
        name: 'wiki',
        host: 'wiki.example.net',
        fileCount: 2,
        sourceCount: 2,
        ownerCount: 2,
        entries: { totalCount: 2 },
      },
    ]);
  });

  it('supports pagination and filters', async () => {
    const paths: string[] = [];
    for (let after: string | null = null, more = true; more;) {
      const found: { nodes: { path: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } =
        await requestData(
          admin,
          'query ($after: String) { estateFiles(first: 1, after: $after) { nodes { path } pageInfo { hasNextPage endCursor } } }',
          { after },
        );
      paths.push(...found.nodes.map(({ path }) => path));
      ({ hasNextPage: more, endCursor: after } = found.pageInfo);
    }
    expect(paths).toEqual(
      ['/Users/ines/.cursor/mcp.json', '/Users/ines/shop/.cursor/mcp.json', '/home/otto/.cursor/mcp.json'].sort(),
    );
    const entries = async (after: string | null) => {
      const query = `query ($after: String) { estateServers { nodes {
        name entries(first: 1, after: $after) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } } } }`;
      const { nodes } = await requestData(admin, query, { after });
      return nodes as { name: string; entries: { nodes: { id: string }[]; pageInfo: { endCursor: string } } }[];
    };
    const [notes, wiki] = await entries(null);
    expect([notes, wiki]).toMatchObject([
      { name: 'notes', entries: { totalCount: 2, nodes: [{}], pageInfo: { hasNextPage: true } } },
      { name: 'wiki', entries: { totalCount: 2, nodes: [{}], pageInfo: { hasNextPage: true } } },
    ]);
    const [, rest] = await entries(wiki.entries.pageInfo.endCursor);
    expect(rest).toMatchObject({ entries: { totalCount: 2, nodes: [{}], pageInfo: { hasNextPage: false } } });
    expect(rest.entries.nodes).not.toEqual(wiki.entries.nodes);
    const count = (args: string, field = 'estateFiles') =>
      requestData(admin, `{ ${field}(${args}) { totalCount } }`).then(({ totalCount }) => totalCount as number);
    await expect(count('scope: project')).resolves.toBe(1);
    await expect(count('search: "SHOP"')).resolves.toBe(1);
    await expect(count(`connectionId: "${cursorId}"`)).resolves.toBe(3);
    await expect(count('isGone: true')).resolves.toBe(0);
    await expect(count('search: "mcp-notes"', 'estateServers')).resolves.toBe(1);
    await expect(count('transport: http', 'estateServers')).resolves.toBe(1);
    await expect(count('kind: folder', 'estateSources')).resolves.toBe(0);
    await expect(count('notSeenSince: "2020-01-01T00:00:00Z"', 'estateSources')).resolves.toBe(0);
  });

  it('keeps earlier versions of a file', async () => {
    const path = '/home/vera/.cursor/mcp.json';
    for (const version of ['1.0.0', '1.1.0'])
      await estate.upload('lap-vera', [
        { path, content: { mcpServers: { notes: { command: 'npx', args: [`mcp-notes@${version}`] } } } },
      ]);
    await estate.upload('lap-vera', []);
    const { nodes } = await requestData(
      admin,
      '{ estateFiles(isGone: true, search: "vera") { nodes { goneAt version versions { number isGone status entries } } } }',
    );
    expect(nodes).toMatchObject([
      {
        version: 3,
        versions: [
          { number: 3, isGone: true, entries: [] },
          { number: 2, isGone: false, entries: [{ name: 'notes', definition: { args: ['mcp-notes@1.1.0'] } }] },
          { number: 1, isGone: false, entries: [{ definition: { args: ['mcp-notes@1.0.0'] } }] },
        ],
      },
    ]);
  });

  it('removes a device until it uploads again', async () => {
    const upload = () =>
      estate.upload('lap-gone', [{ path: '/home/gone/.cursor/mcp.json', content: { mcpServers: {} } }]);
    await upload();
    const { nodes } = await requestData(admin, '{ estateSources(first: 200) { nodes { id name } } }');
    const { id } = nodes.find(({ name }: { name: string }) => name === 'lap-gone');
    const forget = 'mutation ($id: ID!) { removeEstateDevice(input: { sourceId: $id }) { fileCount } }';
    await expect(requestData(admin, forget, { id })).resolves.toEqual({ fileCount: 0 });
    await expect(upload()).resolves.toMatchObject({ changed: 1 });
    await expect(
      admin('mutation ($id: ID!) { scanEstateFolder(input: { sourceId: $id }) { id } }', { id }),
    ).resolves.toMatchObject({ code: 'estate-not-a-folder' });
  });
});

describe('an analyst', () => {
  it('sees files, but not their owners', async () => {
    const { nodes } = await requestData(
      analyst,
      '{ estateFiles { nodes { path owner { name } source { name owner { name } } } } }',
    );
    expect(nodes[0]).toMatchObject({
      path: '/Users/•/.cursor/mcp.json',
      owner: null,
      source: { name: expect.stringMatching(/^Device [0-9a-f]{8}$/), owner: null },
    });
    expect(JSON.stringify(nodes)).not.toMatch(/ines|otto/i);
    await expect(requestData(analyst, '{ estateFiles(search: "ines") { totalCount } }')).resolves.toEqual({
      totalCount: 0,
    });
  });

  it('cannot change the inventory', async () => {
    for (const mutation of ['removeEstateDevice', 'scanEstateFolder'])
      await expect(
        analyst(`mutation { ${mutation}(input: { sourceId: "${cursorId}" }) { id } }`),
      ).resolves.toMatchObject({ code: 'forbidden' });
  });
});

describe('a member', () => {
  it('cannot see the inventory', async () => {
    const member = await lark.as(await lark.member({}));
    await expect(member('{ estateFiles { totalCount } }')).resolves.toMatchObject({ code: 'forbidden' });
  });
});

describe('another organization', () => {
  it('cannot see the inventory', async () => {
    const wren = await anOrganization(server);
    const ask = await wren.as();
    await expect(requestData(ask, '{ estateFiles { totalCount } }')).resolves.toEqual({ totalCount: 0 });
    const { nodes } = await requestData(admin, '{ estateFiles(first: 1) { nodes { id } } }');
    await expect(ask(`{ estateFile(id: "${nodes[0].id}") { path } }`)).resolves.toMatchObject({
      code: 'estate-not-found',
    });
  });
});
