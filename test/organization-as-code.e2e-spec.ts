import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { GateFixture, sessionPrincipal } from './kit/gate-fixture.js';
import { McpUpstream } from './kit/mcp-upstream.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ HOST: 'localhost' }), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

interface Plan {
  hash: string;
  changes: {
    action: string;
    kind: string;
    name: string;
    fields: { path: string; before?: unknown; after?: unknown }[];
  }[];
  unchanged: number;
  unmanaged: { kind: string; name: string }[];
}
type Documents = Record<string, unknown>[];

const planFields = 'hash changes { action kind name fields } unchanged unmanaged { kind name }';

async function exportOf(graphql: GraphqlRequest): Promise<Documents> {
  const { data, errors } = await graphql('{ organizationDocuments }');
  expect(errors).toBeUndefined();
  return data.organizationDocuments;
}

const requestPlan = (graphql: GraphqlRequest, documents: Documents, options: object = {}) =>
  graphql(`query ($input: PlanOrganizationInput!) { organizationPlan(input: $input) { ${planFields} } }`, {
    input: { documents: JSON.stringify(documents), ...options },
  });

async function planOf(graphql: GraphqlRequest, documents: Documents, options: object = {}): Promise<Plan> {
  const { data, errors } = await requestPlan(graphql, documents, options);
  expect(errors).toBeUndefined();
  return data.organizationPlan;
}

const requestApply = (graphql: GraphqlRequest, documents: Documents, hash: string, options: object = {}) =>
  graphql(`mutation ($input: ApplyOrganizationInput!) { applyOrganization(input: $input) { ${planFields} } }`, {
    input: { documents: JSON.stringify(documents), hash, ...options },
  });

async function apply(graphql: GraphqlRequest, documents: Documents, options: object = {}): Promise<Plan> {
  const { secrets: _secrets, ...planOptions } = options as { secrets?: unknown };
  const { hash } = await planOf(graphql, documents, planOptions);
  const { data, errors } = await requestApply(graphql, documents, hash, options);
  expect(errors).toBeUndefined();
  return data.applyOrganization;
}

async function adminTokenOf(organization: Organization): Promise<GraphqlRequest> {
  const session = await organization.as();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { data } = await session(
    `mutation { createAdminToken(input: { name: "ci", expiresAt: "${expiresAt}" }) { token } }`,
  );
  return organization.withToken(data.createAdminToken.token);
}

/** An organization with an object of every kind, with references between them. */
async function furnished(): Promise<GateFixture> {
  const at = await GateFixture.create(server, workplace);
  const admin = await at.organization.as();
  const run = async (name: string, type: string, input: object, fields = 'id') => {
    const { data, errors } = await admin(`mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`, {
      input,
    });
    expect(errors).toBeUndefined();
    return data[name];
  };
  const group = await run('createGroup', 'CreateGroupInput', { name: 'Support "A"' });
  await run('updateConfiguration', 'UpdateConfigurationInput', {
    configurationId: at.configurationId,
    description: 'Answers tickets.',
    groupIds: [group.id],
  });
  await run(
    'saveApprovalStep',
    'SaveApprovalStepInput',
    { name: 'support', tier: 'review', approverGroupId: group.id, quorum: 1, position: 2, expiresAfterSeconds: 3600 },
    'name',
  );
  await run(
    'createOauthClient',
    'CreateOauthClientInput',
    {
      name: 'Desk plugin',
      type: 'confidential',
      redirectUris: ['https://plugin.example/callback'],
      target: 'mcp',
      configurationId: at.configurationId,
      scopes: ['api_read'],
    },
    'client { id }',
  );
  const unit = await run('createSpendUnit', 'CreateSpendUnitInput', { kind: 'group', name: 'Engineering' });
  await run('createSpendBudget', 'CreateSpendBudgetInput', { scope: 'organization', amountCents: '250000' });
  await run('createSpendBudget', 'CreateSpendBudgetInput', { scope: 'group', unitId: unit.id, amountCents: '12.5' });
  await at.publish(`permit (principal in Group::"${group.id}", action in Action::"read", resource);
@approval("support")
permit (principal, action == Action::"workplace__create_ticket", resource) when { context.arguments.title != "" };
`);
  return at;
}

describe('the documents of an organization', () => {
  it('applied to an empty organization give the same organization', async () => {
    const at = await furnished();
    const documents = await exportOf(await at.organization.as());
    expect(documents.map(({ kind, name }) => [kind, name])).toEqual([
      ['group', 'Support "A"'],
      ['connection', 'workplace'],
      ['configuration', 'Desk'],
      ['approval-step', 'support'],
      ['policy', undefined],
      ['client', 'Desk plugin'],
      ['budget', undefined],
      ['budget', undefined],
    ]);
    expect(documents.find(({ kind }) => kind === 'policy')!.text).toContain('Group::"Support \\"A\\""');

    const empty = await anOrganization(server);
    const admin = await empty.as();
    const plan = await apply(admin, documents);
    expect(plan.changes.map(({ action }) => action)).toEqual(Array(8).fill('create'));
    expect(JSON.stringify(await exportOf(admin))).toBe(JSON.stringify(documents));
    expect(await planOf(admin, documents)).toMatchObject({ changes: [], unchanged: 8, unmanaged: [] });
    const { data } = await admin('{ connections { nodes { status tools { name } } } }');
    expect(data.connections.nodes[0]).toMatchObject({ status: 'connected' });
  });

  it('are compared field by field', async () => {
    const at = await furnished();
    const admin = await at.organization.as();
    const documents = await exportOf(admin);
    const changed = documents
      .filter(({ kind, name }) => !(kind === 'client' && name === 'Desk plugin'))
      .map((document) => {
        if (document.kind === 'connection')
          return { ...document, settings: { ...(document.settings as object), timeoutSeconds: 9 } };
        if (document.kind === 'configuration') return { ...document, groups: [], description: 'New' };
        if (document.kind === 'approval-step') return { ...document, quorum: 2, position: undefined };
        return document;
      });
    const plan = await planOf(admin, [...changed, { kind: 'group', name: 'Finance' }]);
    expect(plan).toMatchObject({ unchanged: 4, unmanaged: [{ kind: 'client', name: 'Desk plugin' }] });
    expect(plan.changes).toEqual([
      { action: 'create', kind: 'group', name: 'Finance', fields: [{ path: 'name', after: 'Finance' }] },
      {
        action: 'update',
        kind: 'connection',
        name: 'workplace',
        fields: [{ path: 'settings.timeoutSeconds', before: 5, after: 9 }],
      },
      {
        action: 'update',
        kind: 'configuration',
        name: 'Desk',
        fields: [
          { path: 'description', before: 'Answers tickets.', after: 'New' },
          { path: 'groups', before: ['Support "A"'], after: [] },
        ],
      },
      {
        action: 'update',
        kind: 'approval-step',
        name: 'support',
        fields: [
          { path: 'quorum', before: 1, after: 2 },
          { path: 'position', before: 2, after: 1 },
        ],
      },
    ]);
    await apply(admin, changed, { prune: true });
    const rest = (await exportOf(admin)).filter(({ kind }) => kind === 'client');
    expect(rest).toEqual([]);
    expect(await planOf(admin, changed)).toMatchObject({ changes: [], unmanaged: [] });
  });

  it('are refused as a whole if one of them cannot be applied', async () => {
    const at = await furnished();
    const admin = await at.organization.as();
    const before = await exportOf(admin);
    const text = 'permit (principal, action == Action::"silent__search", resource);';
    const documents = [
      { kind: 'group', name: 'Finance' },
      { kind: 'policy', configuration: 'Desk', text },
    ];
    const fault = { pointer: '/1/text', detail: expect.stringContaining('silent__search') };
    const unknown = await requestPlan(admin, documents);
    expect(unknown.errors![0].extensions).toMatchObject({ code: 'documents-invalid', errors: [fault] });

    // its tools are unknown until it has answered, which it does not
    const silent = { kind: 'connection', name: 'silent', connector: 'mcp', settings: { url: 'http://127.0.0.1:1' } };
    const { hash } = await planOf(admin, [...documents, silent]);
    const refused = await requestApply(admin, [...documents, silent], hash);
    expect(refused.errors![0].extensions).toMatchObject({ code: 'documents-invalid', errors: [fault] });
    expect(await exportOf(admin)).toEqual(before);
  });

  it('are not applied if the organization has changed since the plan', async () => {
    const at = await furnished();
    const admin = await at.organization.as();
    const documents = [{ kind: 'configuration', name: 'Desk', description: 'From files', connections: ['workplace'] }];
    const { hash } = await planOf(admin, documents);
    await admin(
      `mutation { updateConfiguration(input: { configurationId: "${at.configurationId}", description: "By hand" }) { id } }`,
    );
    expect(await requestApply(admin, documents, hash)).toMatchObject({ code: 'plan-outdated' });
  });

  it('are applied once if two administrators apply them at the same time', async () => {
    const organization = await anOrganization(server);
    const [one, other] = [await organization.as(), await organization.as()];
    const documents = [{ kind: 'group', name: 'Support' }];
    const { hash } = await planOf(one, documents);
    const codes = await Promise.all(
      [one, other].map(async (admin) => (await requestApply(admin, documents, hash)).code),
    );
    expect(codes.toSorted()).toEqual(['plan-outdated', undefined]);
    expect(await exportOf(one)).toEqual(documents);
  });

  it('do not delete an object that one without a document still uses', async () => {
    const at = await furnished();
    const admin = await at.organization.as();
    const before = await exportOf(admin);
    const documents = before.filter(({ kind }) => kind === 'connection');
    const { hash, changes } = await planOf(admin, documents, { prune: true });
    expect(changes).toContainEqual({ action: 'delete', kind: 'group', name: 'Support "A"', fields: [] });
    const { code, errors } = await requestApply(admin, documents, hash, { prune: true });
    expect(code).toBe('conflict');
    expect(errors![0].message).toContain('"Support "A"" is still used');
    expect(await exportOf(admin)).toEqual(before);
  });

  it('can name groups, members and agents of policies by their ids, too', async () => {
    const at = await furnished();
    const admin = await at.organization.as();
    const [{ id }] = (await admin('{ groups { nodes { id } } }')).data.groups.nodes as { id: string }[];
    const member = at.organization.admin;
    const text = `permit (principal in Group::"${id}", action in Action::"read", resource);
permit (principal == Member::"${member.id}", action in Action::"read", resource);
permit (principal == Agent::"${at.agentId}", action in Action::"read", resource);
`;
    const documents = [{ kind: 'policy', configuration: 'desk', text }];
    await apply(admin, documents);
    expect(await planOf(admin, documents)).toMatchObject({ changes: [], unchanged: 1 });
    const { text: exported } = (await exportOf(admin)).find(({ kind }) => kind === 'policy')!;
    expect(exported).toContain(`Group::"Support \\"A\\""`);
    expect(exported).toContain(`Member::"${member.email}"`);
    expect(exported).toContain('Agent::"Helper"');
    const spelled = String(exported)
      .replace('Agent::"Helper"', 'Agent::"helper"')
      .replace(member.email, member.email.toUpperCase());
    expect(await planOf(admin, [{ ...documents[0], text: spelled }])).toMatchObject({ changes: [] });
  });

  it('are unchanged although a policy names a group that was removed', async () => {
    const at = await GateFixture.create(server, workplace);
    const admin = await at.organization.as();
    const { data } = await admin('mutation { createGroup(input: { name: "Support" }) { id } }');
    const groupId = data.createGroup.id as string;
    await at.publish(`permit (principal in Group::"${groupId}", action in Action::"read", resource);\n`);
    await admin(`mutation { removeGroup(input: { groupId: "${groupId}" }) { id } }`);
    const documents = await exportOf(admin);
    expect(await planOf(admin, documents)).toMatchObject({ changes: [], unmanaged: [] });
  });

  it('can be replaced although the policies deny everything', async () => {
    const at = await GateFixture.create(server, workplace);
    const admin = await at.organization.as();
    const policy = { kind: 'policy', configuration: 'Desk' };
    await apply(admin, [{ ...policy, text: 'forbid (principal, action, resource);\n' }]);
    await apply(admin, [{ ...policy, text: 'permit (principal, action, resource);\n' }]);
  });

  it.each([
    ['group', 'createGroup(input: { name: $name }) { id }'],
    ['configuration', 'createConfiguration(input: { name: $name }) { id }'],
  ])('are refused while two objects of kind %s have names that look the same', async (kind, mutation) => {
    const admin = await (await anOrganization(server)).as();
    for (const name of ['Caf\u00e9', 'Cafe\u0301'])
      expect((await admin(`mutation ($name: String!) { ${mutation} }`, { name })).errors).toBeUndefined();
    const { code, errors } = await admin('{ organizationDocuments }');
    expect(code).toBe('conflict');
    expect(errors![0].message).toContain(`Files cannot tell the ${kind}`);
    expect(await requestPlan(admin, [{ kind: 'group', name: 'B' }])).toMatchObject({ code: 'conflict' });
  });

  it.each<[string, Documents, string, string]>([
    ['an unknown field', [{ kind: 'group', name: 'A', colour: 'red' }], '/0/colour', 'is not a known field'],
    ['an unknown kind', [{ kind: 'team', name: 'A' }], '/0/kind', 'must be one of: group, connection'],
    ['no name', [{ kind: 'group' }], '/0/name', 'is required'],
    [
      'two objects of one name',
      [
        { kind: 'group', name: 'A' },
        { kind: 'group', name: 'a' },
      ],
      '/1',
      'another document is also the group "a"',
    ],
    [
      'two objects whose names look the same',
      [
        { kind: 'group', name: 'Caf\u00e9' },
        { kind: 'group', name: 'CAFE\u0301' },
      ],
      '/1',
      'another document is also the group',
    ],
    ['a name with a line break', [{ kind: 'group', name: 'A\nB' }], '/0/name', 'must be one line of printable text'],
    [
      'a name that runs backwards',
      [{ kind: 'group', name: 'A\u202eB' }],
      '/0/name',
      'must be one line of printable text',
    ],
    [
      'a secret value',
      [{ kind: 'connection', name: 'x', connector: 'mcp', secrets: { token: 'abc' } }],
      '/0/secrets/token',
      'must be of type',
    ],
    [
      'a variable that is not for credentials',
      [{ kind: 'connection', name: 'x', connector: 'mcp', secrets: { token: { fromEnvironment: 'MASTER_KEYS' } } }],
      '/0/secrets/token/fromEnvironment',
      'must be the name of an environment variable that starts with SECRET_',
    ],
    [
      'a missing group',
      [{ kind: 'configuration', name: 'X', groups: ['Nobody'] }],
      '/0/groups/0',
      'there is no group "Nobody"',
    ],
    [
      'an unknown connector',
      [{ kind: 'connection', name: 'x', connector: 'nothing' }],
      '/0/connector',
      'there is no connector',
    ],
    [
      'an unknown setting',
      [{ kind: 'connection', name: 'x', connector: 'mcp', settings: { url: 'https://a.example', color: 1 } }],
      '/0/settings/color',
      'has no setting',
    ],
    [
      'an unknown member',
      [{ kind: 'group', name: 'A', members: ['nobody@a.example'] }],
      '/0/members/0',
      'there is no member',
    ],
  ])('are refused with %s', async (_, documents, pointer, detail) => {
    const organization = await anOrganization(server);
    const { code, errors } = await requestPlan(await organization.as(), documents);
    expect(code).toBe('documents-invalid');
    expect((errors![0].extensions.errors as { pointer: string; detail: string }[])[0]).toMatchObject({
      pointer,
      detail: expect.stringContaining(detail),
    });
  });
});

describe('credentials', () => {
  const documents = () => [
    {
      kind: 'connection',
      name: 'workplace',
      connector: 'mcp',
      settings: { url: workplace.url },
      secrets: { token: { fromEnvironment: 'SECRET_WORKPLACE_TOKEN' } },
    },
  ];

  it('are taken by reference, needed once, and never exported', async () => {
    const organization = await anOrganization(server);
    const admin = await organization.as();
    const { hash } = await planOf(admin, documents());
    expect(await requestApply(admin, documents(), hash)).toMatchObject({ code: 'documents-invalid' });
    await apply(admin, documents(), {
      secrets: [{ connection: 'workplace', secret: 'token', value: 'sesame-1234567' }],
    });
    const exported = await exportOf(admin);
    expect(exported[0].secrets).toEqual({ token: { fromEnvironment: 'SECRET_WORKPLACE_TOKEN' } });
    expect(JSON.stringify(exported)).not.toContain('sesame');
    expect(await planOf(admin, documents())).toMatchObject({ changes: [] });
    expect(await planOf(admin, documents(), { replaceSecrets: true })).toMatchObject({
      changes: [{ fields: [{ path: 'secrets.token', before: 'stored', after: 'from SECRET_WORKPLACE_TOKEN' }] }],
    });
  });

  it('are refused if they are blank', async () => {
    const admin = await (await anOrganization(server)).as();
    const { hash } = await planOf(admin, documents());
    const { errors } = await requestApply(admin, documents(), hash, {
      secrets: [{ connection: 'workplace', secret: 'token', value: ' \n' }],
    });
    expect(errors![0].extensions).toMatchObject({
      code: 'documents-invalid',
      errors: [{ pointer: '/0/secrets/token', detail: 'SECRET_WORKPLACE_TOKEN is not set' }],
    });
  });

  it('are cleared by a new target, unless the documents name them', async () => {
    const organization = await anOrganization(server);
    const admin = await organization.as();
    await apply(admin, documents(), {
      secrets: [{ connection: 'workplace', secret: 'token', value: 'sesame-1234567' }],
    });
    const moved = [{ ...documents()[0], settings: { url: 'https://elsewhere.example/mcp' } }];
    expect(await planOf(admin, moved)).toMatchObject({
      changes: [
        { fields: [{ path: 'settings.url' }, { path: 'secrets.token', after: 'from SECRET_WORKPLACE_TOKEN' }] },
      ],
    });
    expect(await planOf(admin, [{ ...moved[0], secrets: {} }])).toMatchObject({
      changes: [{ fields: [{ path: 'settings.url' }, { path: 'secrets.token', before: 'stored' }] }],
    });
  });
});

describe('names that every JavaScript object has', () => {
  const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
  const token = 'sesame-1234567';
  let guarded: Workplace;
  beforeAll(async () => {
    guarded = await Workplace.start({ token });
  });
  afterAll(() => guarded.stop());

  it('lose neither credentials nor references', async () => {
    const admin = await (await anOrganization(server)).as();
    const tools = 'action == Action::"constructor__list_tickets"';
    const documents: Documents = [
      ...names.map((name) => ({ kind: 'group', name })),
      {
        kind: 'connection',
        name: 'constructor',
        connector: 'mcp',
        settings: { url: guarded.url },
        secrets: { token: { fromEnvironment: 'SECRET_CONSTRUCTOR_TOKEN' } },
      },
      ...names.map((name) => ({ kind: 'configuration', name, connections: ['constructor'], groups: [name] })),
      { kind: 'approval-step', name: 'constructor', tier: 'review', approvers: '__proto__' },
      ...names.map((name) => ({
        kind: 'policy',
        configuration: name,
        text: `@approval("constructor")\npermit (principal in Group::"${name}", ${tools}, resource);\n`,
      })),
      ...names.map((name) => ({
        ...{ kind: 'client', name, type: 'public', redirectUris: ['https://a.example/callback'], target: 'mcp' },
        ...{ configuration: name, scopes: ['api:read'], authMethod: 'none' },
      })),
      ...names.map((of) => ({ kind: 'budget', scope: 'group', of, amountCents: '5' })),
    ];
    await apply(admin, documents, { secrets: [{ connection: 'constructor', secret: 'token', value: token }] });
    const { data } = await admin('{ connections { nodes { status credentials tools { name } } } }');
    expect(data.connections.nodes).toMatchObject([
      {
        status: 'connected',
        credentials: ['token'],
        tools: expect.arrayContaining([{ name: 'constructor__list_tickets' }]),
      },
    ]);
    const exported = await exportOf(admin);
    expect(exported).toHaveLength(documents.length);
    for (const document of documents) expect(exported).toContainEqual(expect.objectContaining(document));
    expect(await planOf(admin, documents)).toMatchObject({ changes: [], unchanged: documents.length });
  });

  it.each(names)('are unknown settings, credentials and fields: %s', async (name) => {
    const admin = await (await anOrganization(server)).as();
    const field = (value: unknown) => Object.fromEntries([[name, value]]);
    const connection = { kind: 'connection', name: 'x', connector: 'mcp', settings: { url: 'https://x.example/mcp' } };
    const refused: [object, RegExp][] = [
      [{ ...connection, settings: { ...connection.settings, ...field(1) } }, /\/0\/settings/],
      [{ ...connection, secrets: field({ fromEnvironment: 'SECRET_X' }) }, /\/0\/secrets/],
      [{ kind: 'group', name: 'A', ...field('x') }, /\/0/],
    ];
    for (const [document, message] of refused) {
      const { code, errors } = await requestPlan(admin, [document as Documents[number]]);
      expect(['documents-invalid', 'invalid-request']).toContain(code);
      expect(errors![0].message).toMatch(message);
    }
  });
});

it('an application responds even if many systems hang, and verifies them in the background', async () => {
  const upstream = await McpUpstream.start();
  upstream.fault = () => true; // no answer
  const admin = await (await anOrganization(server)).as();
  const connection = (name: string, url: string) => ({ kind: 'connection', name, connector: 'mcp', settings: { url } });
  const documents = [
    ...Array.from({ length: 20 }, (_, nth) => connection(`hangs-${nth}`, upstream.url)),
    connection('works', workplace.url), // the last one
    { kind: 'configuration', name: 'Desk', connections: ['works'] },
    {
      kind: 'policy',
      configuration: 'Desk',
      text: 'permit (principal, action == Action::"works__list_tickets", resource);\n',
    },
  ];
  await apply(admin, documents);
  const statuses = async () => {
    const { data } = await admin('{ connections(first: 50) { nodes { slug status } } }');
    return Map.groupBy(data.connections.nodes as { slug: string; status: string }[], ({ status }) => status);
  };
  const atOnce = await statuses();
  expect(atOnce.get('connected')).toEqual([{ slug: 'works', status: 'connected' }]);
  expect(atOnce.get('unverified')!.length).toBeGreaterThan(0);
  upstream.stop();
  await expect.poll(async () => (await statuses()).get('failed')?.length).toBe(20);
});

describe('an admin token', () => {
  it('exports, plans, and applies what it may change by itself', async () => {
    const organization = await anOrganization(server);
    const token = await adminTokenOf(organization);
    const documents = [
      { kind: 'configuration', name: 'Desk', description: 'Answers tickets.' },
      { kind: 'budget', scope: 'organization', amountCents: '1000' },
    ];
    await apply(token, documents);
    expect(await planOf(token, documents)).toMatchObject({ changes: [], unchanged: 2 });
  });

  it('only proposes changes that need a session; the owner of the token confirms them', async () => {
    const organization = await anOrganization(server);
    const token = await adminTokenOf(organization);
    const documents = [
      { kind: 'group', name: 'Support' },
      { kind: 'configuration', name: 'Desk', groups: ['Support'] },
      { kind: 'budget', scope: 'organization', amountCents: '1000' },
    ];
    const { hash } = await planOf(token, documents);
    const { code, errors } = await requestApply(token, documents, hash);
    expect(code).toBe('change-proposed');
    expect(await exportOf(token)).toEqual([]);
    const id = errors![0].extensions.proposedChangeId as string;
    const principal = await sessionPrincipal(server, organization, organization.admin);
    const changes = server.app.get(ProposedChangesService);
    const change = await changes.get(principal, id);
    expect(change).toMatchObject({ kind: 'organization.apply', areas: [], isByToken: true });
    expect(change.fields).toContainEqual({ label: 'configuration Desk: groups', before: null, after: '["Support"]' });
    expect(await changes.confirm(principal, id)).toMatchObject({ state: 'confirmed' });
    expect(await planOf(token, documents)).toMatchObject({ changes: [], unchanged: 3 });
  });

  it('needs a second administrator where the organization requires one', async () => {
    const at = await GateFixture.create(server, workplace);
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'policies', true);
    const token = await adminTokenOf(at.organization);
    const text = 'permit (principal, action in Action::"read", resource);\n';
    const documents = [{ kind: 'policy', configuration: 'Desk', text }];
    const { hash } = await planOf(token, documents);
    const { code, errors } = await requestApply(token, documents, hash);
    expect(code).toBe('change-proposed');
    const id = errors![0].extensions.proposedChangeId as string;
    const changes = at.get(ProposedChangesService);
    await expect(changes.confirm(await at.principalOf(), id)).rejects.toMatchObject({
      code: 'confirmation-not-independent',
    });
    await changes.confirm(await at.principalOf(at.reviewer), id);
    expect(await planOf(token, documents)).toMatchObject({ changes: [], unchanged: 1 });
  });

  it('proposes a plan that is outdated once the organization has changed', async () => {
    const organization = await anOrganization(server);
    const token = await adminTokenOf(organization);
    const documents = [
      { kind: 'group', name: 'Support' },
      { kind: 'configuration', name: 'Desk', groups: ['Support'] },
    ];
    const { hash } = await planOf(token, documents);
    const { errors } = await requestApply(token, documents, hash);
    await (
      await organization.as()
    )('mutation { createGroup(input: { name: "Support" }) { id } }');
    const principal = await sessionPrincipal(server, organization, organization.admin);
    const id = errors![0].extensions.proposedChangeId as string;
    expect(await server.app.get(ProposedChangesService).confirm(principal, id)).toMatchObject({ state: 'outdated' });
    expect(await planOf(token, documents)).toMatchObject({ unchanged: 1 });
  });

  it('cannot make the owner confirm alone what needs two persons by now', async () => {
    const at = await GateFixture.create(server, workplace);
    const token = await adminTokenOf(at.organization);
    const documents = [{ kind: 'policy', configuration: 'Desk', text: 'permit (principal, action, resource);\n' }];
    const { hash } = await planOf(token, documents);
    const { errors } = await requestApply(token, documents, hash);
    const id = errors![0].extensions.proposedChangeId as string;
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'policies', true);
    const closed = await at.get(ProposedChangesService).confirm(await at.principalOf(), id);
    expect(closed).toMatchObject({ state: 'outdated' });
    expect(await planOf(token, documents)).toMatchObject({ unchanged: 0 });
  });
});

describe('a session', () => {
  it('proposes everything together where a second administrator is required', async () => {
    const at = await GateFixture.create(server, workplace);
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'connection_targets', true);
    const admin = await at.organization.as();
    const documents = [
      { kind: 'group', name: 'Support' },
      { kind: 'connection', name: 'other', connector: 'mcp', settings: { url: workplace.url } },
    ];
    const { hash } = await planOf(admin, documents);
    expect(await requestApply(admin, documents, hash)).toMatchObject({ code: 'change-proposed' });
    expect((await exportOf(admin)).map(({ name }) => name)).not.toContain('Support');
    expect(await at.get(ConnectionsService).findBySlug(at.organization.system, 'other')).toBeNull();
  });
});

it('records an event for each change and one for the application', async () => {
  const organization = await anOrganization(server);
  await apply(await organization.as(), [
    { kind: 'group', name: 'Support' },
    { kind: 'configuration', name: 'Desk', groups: ['Support'] },
  ]);
  const owner = new Client(server.databaseUrl);
  await owner.connect();
  const { rows } = await owner.query<{ kind: string }>(
    'select kind from audit_events where tenant_id = $1 order by id',
    [organization.tenant.id],
  );
  await owner.end();
  expect(rows.map(({ kind }) => kind).slice(-4)).toEqual([
    'group.created',
    'configuration.created',
    'policy.published',
    'organization.applied',
  ]);
});
