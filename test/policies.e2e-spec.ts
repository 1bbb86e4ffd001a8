import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import type { OfferedTool } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { DecisionsService } from '../src/policies/decisions.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { type Principal, systemPrincipal } from '../src/principal/principal.js';
import { cpuMsBeyondWaiting } from './kit/cpu-time.js';
import { createWorkplaceFixture, type WorkplaceFixture, mutate } from './kit/workplace-fixture.js';
import type { GraphqlRequest, Organization } from './kit/organization.js';
import type { TestServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let desk: WorkplaceFixture;
let server: TestServer;
let lark: Organization;
let moor: Organization;
let ada: GraphqlRequest;
let connectionId: string;
let groupId: string;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);

beforeAll(async () => {
  desk = await createWorkplaceFixture();
  ({ server, lark, moor, ada, connectionId } = desk);
  await lark.member({ name: 'Bo Second' });
  groupId = (await get(GroupsService).create(lark.system, 'Support')).id;
});
afterAll(() => desk?.close());

let count = 0;
const configuration = async (): Promise<string> => {
  const input = { name: `Desk ${++count}`, connectionIds: [connectionId] };
  return (await mutate(ada, 'createConfiguration', 'CreateConfigurationInput', input)).it.id;
};
const publish = (configurationId: string, text: string, more: object = {}, ask = ada) =>
  mutate(ask, 'publishPolicy', 'PublishPolicyInput', { configurationId, text, ...more }, 'revision text publisher');
const current = async (configurationId: string, ask = ada) =>
  (
    await ask(
      'query ($id: ID!) { policy(configurationId: $id) { current { revision text } draft { text basedOn saver } } }',
      { id: configurationId },
    )
  ).data.policy;
const events = async (kind: string) =>
  (await ada('query ($kind: String) { auditEvents(kind: $kind) { nodes { subject detail } } }', { kind })).data
    .auditEvents.nodes;

const agent = (more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(lark.tenant.id, 'agent'),
  kind: 'agent',
  agentId: newId(),
  surface: 'a2a',
  ...more,
});
const tool = (more: Partial<OfferedTool> = {}): OfferedTool => ({
  name: 'desk__create_ticket',
  connectionId,
  connectionSlug: 'desk',
  connectionRevision: 1,
  operation: 'tool',
  title: 'Create',
  description: '',
  inputSchema: { type: 'object', properties: { title: { type: 'string' }, amount: { type: 'integer' } } },
  effect: 'write',
  definitionHash: 'one',
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
  ...more,
});
const decide = (
  configurationId: string,
  more: { principal?: Principal; tool?: OfferedTool; args?: JsonObject; tainted?: boolean; groups?: string[] } = {},
) =>
  get(DatabaseService).tenant(lark.system, async (tx) =>
    get(DecisionsService).decide({
      policies: await get(DecisionsService).loadPublished(tx, lark.tenant.id, configurationId),
      principal: agent(),
      groups: [],
      tool: tool(),
      args: {},
      tainted: false,
      ...more,
    }),
  );
const read = tool({ name: 'desk__get_ticket', effect: 'read' });
const purge = tool({ name: 'desk__purge', effect: 'destructive' });

const numbered = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(', ');

describe('a new configuration', () => {
  it('allows reads, requires review for writes, and denies destructive tools', async () => {
    const id = await configuration();
    expect(await decide(id, { tool: read })).toMatchObject({ verdict: 'allow', revision: 1, policyIds: ['reads'] });
    expect(await decide(id)).toEqual({
      verdict: 'approval',
      steps: ['review'],
      policyIds: ['writes need approval'],
      revision: 1,
      reason: 'The policy "writes need approval" requires the approval "review".',
    });
    expect(await decide(id, { tool: purge })).toMatchObject({ verdict: 'deny', policyIds: ['nothing destructive'] });
  });

  it('denies everything if no policies are published', async () => {
    expect(await decide(newId(), { tool: read })).toMatchObject({
      verdict: 'deny',
      revision: 0,
      reason: 'No policies are published for this configuration.',
    });
  });
});

describe('publishing', () => {
  it('creates a numbered revision that applies to the next call, and records it', async () => {
    const id = await configuration();
    expect(await decide(id)).toMatchObject({ verdict: 'approval' });
    const text = `@id("go") permit (principal in Group::"${groupId}", action, resource);`;
    expect((await publish(id, text, { basedOn: 1 })).it).toEqual({ revision: 2, text, publisher: 'Ada Admin' });
    expect(await decide(id, { groups: [groupId] })).toMatchObject({ verdict: 'allow', revision: 2, policyIds: ['go'] });
    expect(await decide(id)).toMatchObject({ verdict: 'deny', revision: 2, reason: 'No policy permits this.' });
    expect(await events('policy.published')).toContainEqual({
      subject: { type: 'configuration', id },
      detail: { revision: 2, textHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const outbox = await get(DatabaseService).tenant(lark.system, (tx) =>
      runSql<{ payload: object }>(tx, `select payload from outbox where kind = 'policy.published'`),
    );
    expect(outbox).toContainEqual({ payload: { configurationId: id, revision: 2 } });
  });

  it('preserves every revision unchanged and lists them newest first', async () => {
    const id = await configuration();
    await publish(id, 'permit (principal, action, resource);');
    await publish(id, 'forbid (principal, action, resource);');
    const page = async (after?: string) =>
      (
        await ada(
          'query ($id: ID!, $after: String) { policyRevisions(configurationId: $id, first: 2, after: $after) { nodes { revision } totalCount pageInfo { hasNextPage endCursor } } }',
          { id, after },
        )
      ).data.policyRevisions;
    const first = await page();
    expect(first).toMatchObject({
      nodes: [{ revision: 3 }, { revision: 2 }],
      totalCount: 3,
      pageInfo: { hasNextPage: true },
    });
    expect((await page(first.pageInfo.endCursor)).nodes).toEqual([{ revision: 1 }]);
    const change = get(DatabaseService).tenant(lark.system, (tx) =>
      runSql(tx, `update policy_revisions set text = ''`),
    );
    await expect(change).rejects.toMatchObject({ code: '42501' });
  });

  it('reports errors with line and column, and changes nothing', async () => {
    const id = await configuration();
    const { code, errors } = await publish(
      id,
      '@aproval("review")\npermit (principal, action in Action::"write", resource);',
    );
    expect(code).toBe('policy-invalid');
    expect(errors![0].message).toBe(
      'Line 1, column 1: The annotation @aproval is unknown. Use @id("name") or @approval("step").',
    );
    expect(errors![0].extensions).toMatchObject({
      errors: [{ pointer: '/text' }],
      findings: [{ line: 1, column: 1, length: 18 }],
    });
    expect((await current(id)).current.revision).toBe(1);
    expect(await decide(id)).toMatchObject({ verdict: 'approval' });
  });

  it.each([
    [
      'an unknown tool',
      'permit (principal, action == Action::"desk__creat_ticket", resource);',
      /unrecognized action/i,
    ],
    [
      'an unknown attribute',
      'permit (principal, action == Action::"desk__create_ticket", resource) when { context.arguments has titel };',
      /"titel"/,
    ],
    ['an unknown step', '@approval("boss") permit (principal, action, resource);', /no approval step "boss"/],
    ['an unknown group', 'forbid (principal in Group::"Support", action, resource);', /no group with the id "Support"/],
    [
      'another organization’s member',
      () => `forbid (principal == Member::"${moor.admin.id}", action, resource);`,
      /no member/,
    ],
    ['bad syntax', 'permit (principal action, resource);', /unexpected token/i],
  ])('rejects %s', async (_, text, message) => {
    const { code, errors } = await publish(await configuration(), typeof text === 'string' ? text : text());
    expect([code, errors![0].message]).toEqual(['policy-invalid', expect.stringMatching(message)]);
  });

  it('accepts an existing approval step and an existing member', async () => {
    const id = await configuration();
    await mutate(ada, 'saveApprovalStep', 'SaveApprovalStepInput', { name: 'boss', tier: 'review' }, 'name');
    const text = `@approval("boss") permit (principal == Member::"${lark.admin.id}", action, resource);`;
    expect((await publish(id, text)).it).toMatchObject({ revision: 2 });
    const principal = agent({ kind: 'member', agentId: undefined, memberId: lark.admin.id, surface: 'console' });
    expect(await decide(id, { principal })).toMatchObject({ verdict: 'approval', steps: ['boss'] });
  });

  it('does not overwrite a revision that was published meanwhile', async () => {
    const id = await configuration();
    const texts = ['permit (principal, action, resource);', 'forbid (principal, action, resource);'];
    const codes = await Promise.all(texts.map((text) => publish(id, text, { basedOn: 1 }).then(({ code }) => code)));
    expect(codes.sort()).toEqual(['policy-changed', undefined].sort());
    expect((await current(id)).current.revision).toBe(2);
  });

  it('serializes concurrent publications without losing a revision', async () => {
    const id = await configuration();
    await Promise.all([1, 2, 3, 4].map((n) => publish(id, `@id("p${n}") permit (principal, action, resource);`)));
    expect((await current(id)).current.revision).toBe(5);
  });

  it('changes nothing if the text is already published', async () => {
    const id = await configuration();
    const { text } = (await current(id)).current;
    expect((await publish(id, text)).it.revision).toBe(1);
  });

  it('requires a signed-in administrator', async () => {
    const id = await configuration();
    const text = 'permit (principal, action, resource);';
    const auditor = await lark.as(await lark.member({ name: 'Au Ditor', roles: ['auditor'] }));
    expect((await publish(id, text, {}, auditor)).code).toBe('forbidden');
    expect((await current(id, auditor)).current.revision).toBe(1);
    const max = await lark.as(await lark.member());
    expect((await max('query ($id: ID!) { policy(configurationId: $id) { current { text } } }', { id })).code).toBe(
      'forbidden',
    );
    const admin: Principal = {
      ...lark.system,
      kind: 'member',
      memberId: lark.admin.id,
      sessionId: newId(),
      surface: 'console',
    };
    const { token } = await get(AdminTokensService).create(admin, {
      name: 'ci',
      expiresAt: new Date(Date.now() + 60_000),
    });
    expect((await publish(id, text, {}, lark.withToken(token))).code).toBe('unauthenticated');
    expect((await publish(id, text, {}, await moor.as())).code).toBe('configuration-not-found');
    expect((await current(id)).current.revision).toBe(1);
  });

  it('runs its handlers in the same transaction', async () => {
    const id = await configuration();
    const seen: number[] = [];
    get(PoliciesService).onPublished(async (_, { configurationId, revision }) => {
      if (configurationId !== id) return;
      seen.push(revision);
      if (revision === 3) throw new Error('on purpose');
    });
    await publish(id, 'permit (principal, action, resource);');
    expect((await publish(id, 'forbid (principal, action, resource);')).code).toBe('internal-error');
    expect(seen).toEqual([2, 3]);
    expect((await current(id)).current.revision).toBe(2);
  });
});

describe('a draft', () => {
  it('may have errors, has no effect on calls, and is deleted on publication', async () => {
    const id = await configuration();
    const save = (text: string) =>
      mutate(ada, 'savePolicyDraft', 'SavePolicyDraftInput', { configurationId: id, text }, 'basedOn');
    expect((await save('permit (')).it).toEqual({ basedOn: 1 });
    await save('permit (principal, action, resource)');
    expect((await current(id)).draft).toEqual({
      text: 'permit (principal, action, resource)',
      basedOn: 1,
      saver: 'Ada Admin',
    });
    expect(await decide(id)).toMatchObject({ verdict: 'approval', revision: 1 });
    await publish(id, 'permit (principal, action, resource);');
    expect((await current(id)).draft).toBeNull();
    await save('x');
    const discarded = await mutate(
      ada,
      'discardPolicyDraft',
      'DiscardPolicyDraftInput',
      { configurationId: id },
      'draft { text }',
    );
    expect(discarded.it).toEqual({ draft: null });
    expect((await current(id)).draft).toBeNull();
  });
});

describe('two editors of one draft', () => {
  const save = (id: string, text: string, on: object = {}, ask = ada) =>
    mutate(ask, 'savePolicyDraft', 'SavePolicyDraftInput', { configurationId: id, text, ...on }, 'savedAt');

  it('do not overwrite each other’s unseen changes', async () => {
    const id = await configuration();
    const first = await save(id, '// first', { basedOn: 1, replaces: null });
    const again = await save(id, '// mine', { basedOn: 1, replaces: null });
    expect(again).toMatchObject({ code: 'policy-draft-changed' });
    expect(again.errors![0].message).toContain('Ada Admin');
    expect((await current(id)).draft.text).toBe('// first');
    expect((await save(id, '// next', { replaces: first.it.savedAt })).code).toBeUndefined();
    expect((await save(id, '// whatever is there')).code).toBeUndefined();
  });

  it('cannot save on a superseded revision', async () => {
    const id = await configuration();
    await publish(id, 'permit (principal, action, resource);');
    expect((await save(id, '// on what was', { basedOn: 1 })).code).toBe('policy-changed');
    expect((await current(id)).draft).toBeNull();
  });
});

describe('checking', () => {
  it('reports the position of each policy, and its rule if a form can show it', async () => {
    const id = await configuration();
    const { data } = await ada(
      `query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { statements {
        id start end rule { name verdict step who { kind id } actions connection conditions { path test type values } }
      } } }`,
      {
        id,
        text: '// one\n@id("reads") permit (principal, action in Action::"read", resource);\nforbid (principal, action, resource) unless { context.tainted };',
      },
    );
    expect(data.checkPolicy.statements).toEqual([
      {
        id: 'reads',
        start: 7,
        end: 75,
        rule: {
          name: 'reads',
          verdict: 'allow',
          step: null,
          who: { kind: 'everybody', id: null },
          actions: ['read'],
          connection: null,
          conditions: [],
        },
      },
      { id: 'policy 2', start: 76, end: 140, rule: null },
    ]);
  });

  it('writes a rule as one policy, or reports its invalid fields', async () => {
    const write = (rule: object, ask = ada) =>
      ask('query ($rule: PolicyRuleInput!) { policyRuleText(rule: $rule) }', {
        rule: { name: '', verdict: 'forbid', who: { kind: 'agents' }, actions: [], conditions: [], ...rule },
      });
    expect((await write({})).data.policyRuleText).toBe('forbid (principal is Agent, action, resource);');
    const faulty = await write({ verdict: 'approval' });
    expect(faulty.code).toBe('invalid-request');
    expect(faulty.errors![0].extensions.errors).toEqual([expect.objectContaining({ pointer: '/rule/step' })]);
    const odd = { conditions: [{ path: ['arguments', 'a\0'], test: 'given', type: 'text', values: [] }] };
    expect((await write(odd)).code).toBe('invalid-request');
    expect((await write({}, await lark.as(await lark.member()))).code).toBe('forbidden');
  });

  it('returns errors and warnings without saving', async () => {
    const id = await configuration();
    const check = async (text: string) =>
      (
        await ada(
          'query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { errors { message help line column length } warnings { line } } }',
          { id, text },
        )
      ).data.checkPolicy;
    expect(await check('permit (principal, action in Action::"read", resource);')).toEqual({
      errors: [],
      warnings: [],
    });
    expect(await check('permit (principal, action, resource);')).toEqual({ errors: [], warnings: [{ line: 1 }] });
    expect(await check('\n permit (principal is Robot, action, resource);')).toMatchObject({
      errors: [{ line: 2, column: 23, length: 5 }],
    });
    expect((await check('permit (principal, action, resource) when { 1 == 2 };')).errors).toMatchObject([
      { line: 1, column: 1 },
    ]);
    expect((await current(id)).current.revision).toBe(1);
  });

  it('lists the tools whose verdict a text would change, without saving it', async () => {
    const id = await configuration();
    const changes = (text: string, ask = ada) =>
      ask(
        'query ($id: ID!, $text: String!) { policyVerdictChanges(configurationId: $id, text: $text) { tool who { kind } before { verdict steps } after { verdict steps } example { args } } }',
        { id, text },
      );
    const published = (await current(id)).current.text as string;
    expect(await changes(published)).toMatchObject({ data: { policyVerdictChanges: [] } });
    const found = (await changes('permit (principal, action, resource);')).data.policyVerdictChanges as object[];
    expect(found).toContainEqual({
      tool: 'desk__create_ticket',
      who: [{ kind: 'everybody' }],
      before: { verdict: 'approval', steps: [expect.any(String)] },
      after: { verdict: 'allow', steps: [] },
      example: null,
    });
    expect((await changes('permit (principal')).code).toBe('policy-invalid');
    expect((await changes(published, await lark.as(await lark.member()))).code).toBe('forbidden');
    expect((await current(id)).current.revision).toBe(1);
  });

  it.each([
    ['brackets', `${'('.repeat(200)}true${')'.repeat(200)}`],
    ['operators in a row', `${'context.tainted || '.repeat(5000)}true`],
    ['records in sets', `${'[{a: '.repeat(150)}1${'}]'.repeat(150)} == [1]`],
  ])('rejects %s that would crash Cedar for every organization, and keeps checking', async (_, condition) => {
    const id = await configuration();
    const check = async (text: string) =>
      (
        await ada(
          'query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { errors { message } } }',
          { id, text },
        )
      ).data?.checkPolicy;
    const text = `permit (principal, action, resource) when { ${condition} };`;
    expect(await check(text)).toEqual({ errors: [{ message: expect.stringMatching(/nested too deeply/) }] });
    expect((await publish(id, text)).code).toBe('policy-invalid');
    expect(await check('permit (principal, action, resource);')).toEqual({ errors: [] });
  });

  it.each([
    [
      'a set of thousands of values that never occur',
      () => [`[${numbered(12_000, (n) => `"v${n}"`)}].contains(context.surface)`],
    ],
    ['thousands of groups that do not exist', () => [`principal in [${numbered(6000, (n) => `Group::"g${n}"`)}]`]],
    [
      'hundreds of policies with unknown attributes',
      () => Array<string>(490).fill(`context.a || context.b || context.c || context.d`),
    ],
  ])('checks %s without blocking others, and reports at most 100 errors', async (_, conditions) => {
    const id = await configuration();
    const text = conditions()
      .map((condition, n) => `@id("p${n}") permit (principal, action, resource) when { ${condition} };`)
      .join('\n');
    let errors: unknown[] = [];
    // of the server's thread, not of the worker that checks
    const ms = await cpuMsBeyondWaiting(async () => {
      const { data } = await ada(
        'query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { errors { message } } }',
        { id, text },
      );
      errors = data.checkPolicy.errors as unknown[];
    });
    expect(ms).toBeLessThan(2000);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(100);
  });

  it('rejects malformed ids, unknown configurations, oversized texts and invalid cursors', async () => {
    const codes = async (id: string) => [
      (await ada('query ($id: ID!) { policy(configurationId: $id) { current { text } } }', { id })).code,
      (await ada('query ($id: ID!) { policyVocabulary(configurationId: $id) { steps } }', { id })).code,
      (await ada('query ($id: ID!) { checkPolicy(configurationId: $id, text: "") { errors { line } } }', { id })).code,
      (await publish(id, 'permit (principal, action, resource);')).code,
    ];
    expect(await codes('nonsense')).toEqual(Array(4).fill('invalid-request'));
    expect(await codes(newId())).toEqual(Array(4).fill('configuration-not-found'));
    const mine = await configuration();
    for (const text of [`// ${'x'.repeat(140_000)}`, '// a\0b', '// \ud800']) {
      expect((await publish(mine, text)).code).toBe('invalid-request');
      expect((await mutate(ada, 'savePolicyDraft', 'SavePolicyDraftInput', { configurationId: mine, text })).code).toBe(
        'invalid-request',
      );
    }
    const after = Buffer.from('["x"]').toString('base64url');
    const query = `query ($id: ID!, $after: String) { policyRevisions(configurationId: $id, after: $after) { totalCount } }`;
    expect((await ada(query, { id: mine, after })).code).toBe('invalid-request');
  });

  it('lists the names that policies can use', async () => {
    const { data } = await ada(
      `query ($id: ID!) { policyVocabulary(configurationId: $id) {
        connections steps groups { id name } tools { name effect connection attributes { path type required values } unusable { path reason } } } }`,
      { id: await configuration() },
    );
    const { tools, connections, steps, groups } = data.policyVocabulary;
    expect(connections).toContain('desk');
    expect(steps).toEqual(expect.arrayContaining(['review', 'confirm']));
    expect(groups).toContainEqual({ id: groupId, name: 'Support' });
    const create = tools.find(({ name }: { name: string }) => name === 'desk__create_ticket');
    expect(create).toMatchObject({ effect: 'write', connection: 'desk' });
    expect(create.attributes).toContainEqual({ path: 'title', type: 'String', required: true, values: null });
  });
});

describe('the principal of a call', () => {
  const open = async () => {
    const id = await configuration();
    await publish(id, 'permit (principal, action, resource);');
    return id;
  };
  const member = (more: Partial<Principal>) =>
    agent({ kind: 'member', agentId: undefined, memberId: lark.admin.id, ...more });

  it('can only run tools with the effect "read" with the scope api:read', async () => {
    const id = await open();
    for (const surface of ['api', 'mcp'] as const) {
      const reader = member({ surface, scopes: ['api:read'] });
      expect((await decide(id, { principal: reader, tool: read })).verdict).toBe('allow');
      expect(await decide(id, { principal: reader })).toMatchObject({
        verdict: 'deny',
        reason: expect.stringContaining('scope'),
      });
      expect((await decide(id, { principal: member({ surface, scopes: ['api:write'] }) })).verdict).toBe('allow');
      expect((await decide(id, { principal: member({ surface, scopes: [] }), tool: read })).verdict).toBe('deny');
    }
  });

  it('must be a member or an agent', async () => {
    const id = await open();
    expect((await decide(id, { principal: lark.system })).verdict).toBe('deny');
    expect((await decide(id, { principal: agent({ agentId: undefined }) })).verdict).toBe('deny');
  });

  it('sees the tools in listings that the policies could allow', async () => {
    const id = await configuration();
    await publish(
      id,
      `permit (principal, action in Action::"read", resource);
       @approval("review") permit (principal, action in Action::"write", resource) when { context.tainted };
       permit (principal is Member, action in Action::"destructive", resource);`,
    );
    const listed = (principal: Principal) =>
      get(DatabaseService).tenant(lark.system, async (tx) => {
        const policies = await get(DecisionsService).loadPublished(tx, lark.tenant.id, id);
        const could = (one: OfferedTool) =>
          get(DecisionsService).couldAllow({ policies, principal, groups: [], tool: one });
        return [read, tool(), purge].map(could);
      });
    expect(await listed(agent())).toEqual(['allow', 'approval', 'deny']);
    expect(await listed(member({ surface: 'console' }))).toEqual(['allow', 'approval', 'allow']);
    expect(await listed(member({ surface: 'mcp', scopes: ['api:read'] }))).toEqual(['allow', 'deny', 'deny']);
  });
});

describe('a changed tool', () => {
  it('is denied if the published policies no longer fit its definition', async () => {
    const id = await configuration();
    const text =
      'permit (principal, action, resource); forbid (principal, action == Action::"desk__create_ticket", resource) when { context.arguments.title like "*secret*" };';
    expect((await publish(id, text)).code).toBeUndefined();
    const schema = (title: object) => ({ type: 'object', properties: { title }, required: ['title'] }) as JsonObject;
    const before = tool({ inputSchema: schema({ type: 'string' }) });
    expect((await decide(id, { tool: before, args: { title: 'x' } })).verdict).toBe('allow');
    expect((await decide(id, { tool: before, args: { title: 'a secret' } })).verdict).toBe('deny');
    const after = tool({ inputSchema: schema({ type: 'array', items: { type: 'string' } }), definitionHash: 'two' });
    expect(await decide(id, { tool: after, args: { title: ['a secret'] } })).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('do not fit'),
    });
  });
});
