import { CredentialHolderRegistry } from '../src/access/credential-holder-registry.service.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { GroupsService } from '../src/access/groups.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { CredentialRevalidationService } from '../src/access/credential-revalidation.service.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { SkillsService } from '../src/configurations/skills.service.js';
import { InvitationsService } from '../src/access/invitations.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Principal } from '../src/principal/principal.js';
import { createWorkplaceFixture, type WorkplaceFixture, mutate } from './kit/workplace-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import type { TestServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let desk: WorkplaceFixture;
let server: TestServer;
let lark: Organization;
let moor: Organization;
let ada: GraphqlRequest;
let bo: Member;
let connectionId: string;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);

beforeAll(async () => {
  desk = await createWorkplaceFixture();
  ({ server, lark, moor, ada, connectionId } = desk);
  bo = await lark.member({ name: 'Bo Second', roles: ['admin'] });
});
afterAll(() => desk?.close());

let count = 0;
const configuration = async (input: object = {}, ask = ada) =>
  (
    await mutate(
      ask,
      'createConfiguration',
      'CreateConfigurationInput',
      { name: `Desk ${++count}`, ...input },
      'id name a2aUrl connections { slug } groups { name } modelConnectionId',
    )
  ).it;
const agent = async (configurationId: string, input: object = {}) =>
  (
    await mutate(
      ada,
      'createAgent',
      'CreateAgentInput',
      { configurationId, name: `Agent ${++count}`, ...input },
      'id name responsibleMemberId',
    )
  ).it;
const key = async (agentId: string, input: object = {}, ask = ada) =>
  (
    await mutate(
      ask,
      'createA2aKey',
      'CreateA2aKeyInput',
      { agentId, ...input },
      'key a2aKey { id hint createdBy expiresAt }',
    )
  ).it;
const knock = (configurationId: string, token: string | null) =>
  fetch(`${server.url}/agents/${configurationId}/tasks`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
const answer = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code];
const events = async (kind: string, ask = ada) =>
  (await ask('query ($kind: String) { auditEvents(kind: $kind) { nodes { subject detail actor } } }', { kind })).data
    .auditEvents.nodes;
/** An agent with a key, and its authenticated principal. */
async function caller(input: object = {}) {
  const { id: configurationId } = await configuration({ connectionIds: [connectionId] });
  const { id: agentId } = await agent(configurationId, input);
  const made = await key(agentId);
  const principal: Principal = {
    tenantId: lark.tenant.id,
    kind: 'agent',
    name: 'agent',
    agentId,
    configurationId,
    keyId: made.a2aKey.id,
    surface: 'a2a',
    scopes: [],
    permissions: new Set(),
    chain: [],
  };
  return { configurationId, agentId, keyId: made.a2aKey.id as string, token: made.key as string, principal };
}

describe('a configuration', () => {
  it('bundles connections and groups and starts with the default policies', async () => {
    const group = await get(GroupsService).create(lark.system, 'Support');
    const made = await configuration({ name: ' Front desk ', connectionIds: [connectionId], groupIds: [group.id] });
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Front desk',
      a2aUrl: `${server.url}/agents/${made.id}`,
      connections: [{ slug: 'desk' }],
      groups: [{ name: 'Support' }],
      modelConnectionId: null,
    });
    const { data } = await ada(
      'query ($id: ID!) { policy(configurationId: $id) { current { revision text publisher } } }',
      { id: made.id },
    );
    expect(data.policy.current).toMatchObject({
      revision: 1,
      publisher: 'Ada Admin',
      text: expect.stringContaining('@approval("review")'),
    });
    expect(await events('configuration.created')).toContainEqual(
      expect.objectContaining({ subject: { type: 'configuration', id: made.id, name: 'Front desk' } }),
    );
  });

  it('lets the only member of a small organization confirm calls', async () => {
    const { id } = await configuration({}, await moor.as());
    const { data } = await (
      await moor.as()
    )('query ($id: ID!) { policy(configurationId: $id) { current { text } } }', { id });
    expect(data.policy.current.text).toContain('@approval("confirm")');
  });

  it('requires a review while an administrator is invited, and reports configurations without one', async () => {
    const gull = await anOrganization(server);
    const ask = await gull.as();
    const answer = async () => (await ask('{ reviewerStatus configurationsWithoutReview }')).data;
    const policyOf = async (id: string) => {
      const query = 'query ($id: ID!) { policy(configurationId: $id) { current { text } } }';
      return (await ask(query, { id })).data.policy.current.text as string;
    };
    const invite = async (email: string, roles: string[]) =>
      (await mutate(ask, 'inviteMember', 'InviteMemberInput', { email, roles }, 'url')).it.url as string;
    const { id: withoutReview } = await configuration({}, ask);
    await invite('max@gull.example', ['member']);
    expect(await answer()).toEqual({ reviewerStatus: 'alone', configurationsWithoutReview: [withoutReview] });

    const url = await invite('grace@gull.example', ['admin', 'member']);
    expect((await answer()).reviewerStatus).toBe('invited');
    const { id: reviewed } = await configuration({}, ask);
    expect(await policyOf(reviewed)).toContain('@approval("review")');

    const token = new URL(url).searchParams.get('link');
    const { session } = await get(InvitationsService).accept(token, {
      name: 'Grace',
      password: 'four plain words here',
    });
    expect(await answer()).toEqual({ reviewerStatus: 'dependent', configurationsWithoutReview: [withoutReview] });
    await get(VouchesService).vouch(gull.system, session.memberId);
    expect((await answer()).reviewerStatus).toBe('available');
    const text = (await policyOf(withoutReview)).replace('@approval("confirm")', '@approval("review")');
    await mutate(ask, 'publishPolicy', 'PublishPolicyInput', { configurationId: withoutReview, text }, 'revision');
    expect((await answer()).configurationsWithoutReview).toEqual([]);
  });

  it('changes only the given fields', async () => {
    const { id } = await configuration({ description: 'before', connectionIds: [connectionId] });
    const change = (input: object) =>
      mutate(
        ada,
        'updateConfiguration',
        'UpdateConfigurationInput',
        { configurationId: id, ...input },
        'name description connections { slug }',
      );
    expect((await change({ description: 'after' })).it).toEqual({
      name: expect.any(String),
      description: 'after',
      connections: [{ slug: 'desk' }],
    });
    expect((await change({ connectionIds: [] })).it.connections).toEqual([]);
  });

  it('rejects the second of two concurrent changes', async () => {
    const { id } = await configuration();
    const change = (input: object) =>
      mutate(
        ada,
        'updateConfiguration',
        'UpdateConfigurationInput',
        { configurationId: id, ...input },
        'name revision',
      );
    expect((await change({ description: 'one', revision: 1 })).it).toMatchObject({ revision: 2 });
    expect((await change({ description: 'another', revision: 1 })).code).toBe('configuration-changed');
    const { data } = await ada('query ($id: ID!) { configuration(id: $id) { description revision } }', { id });
    expect(data.configuration).toEqual({ description: 'one', revision: 2 });
  });

  it('allows names without a prefix only for a single connection', async () => {
    const ambiguous = { code: 'invalid-request', pointer: '/unprefixed' };
    const attempt = async (name: string, input: object) => {
      const type = `${name[0].toUpperCase()}${name.slice(1)}Input`;
      const { it: made, code, errors } = await mutate(ada, name, type, input, 'id unprefixed');
      return made ?? { code, pointer: (errors![0].extensions.errors as { pointer: string }[])[0].pointer };
    };
    const create = (input: object) => attempt('createConfiguration', { name: `Desk ${++count}`, ...input });
    expect(await create({ unprefixed: true })).toEqual(ambiguous);
    const { id } = await create({ connectionIds: [connectionId] });
    const update = (input: object) => attempt('updateConfiguration', { configurationId: id, ...input });
    expect(await update({ unprefixed: true })).toEqual({ id, unprefixed: true });
    expect(await update({ name: `Desk ${++count}` })).toEqual({ id, unprefixed: true });
    expect(await update({ connectionIds: [] })).toEqual(ambiguous);
    expect(await update({ connectionIds: [], unprefixed: false })).toEqual({ id, unprefixed: false });
    expect(await update({ unprefixed: true })).toEqual(ambiguous);
    expect(await update({ connectionIds: [connectionId, connectionId], unprefixed: true })).toMatchObject({ id });
  });

  it('reports every id that does not exist and changes nothing', async () => {
    const input = {
      name: 'Nowhere',
      connectionIds: [connectionId, newId()],
      groupIds: [newId()],
      modelConnectionId: connectionId,
    };
    const { code, errors } = await mutate(ada, 'createConfiguration', 'CreateConfigurationInput', input);
    expect(code).toBe('invalid-request');
    expect(errors![0].extensions.errors).toEqual([
      { pointer: '/connectionIds/1', detail: 'does not exist' },
      { pointer: '/groupIds/0', detail: 'does not exist' },
      { pointer: '/modelConnectionId', detail: 'is not a connection that provides a model' },
    ]);
    const { data } = await ada('{ configurations(first: 200) { nodes { name } } }');
    expect(data.configurations.nodes).not.toContainEqual({ name: 'Nowhere' });
  });

  it('rejects a duplicate name and an unreadable one', async () => {
    await configuration({ name: 'Only One' });
    expect((await mutate(ada, 'createConfiguration', 'CreateConfigurationInput', { name: 'only one' })).code).toBe(
      'configuration-name-taken',
    );
    expect((await mutate(ada, 'createConfiguration', 'CreateConfigurationInput', { name: ' \u0000 ' })).code).toBe(
      'invalid-request',
    );
    const described = { name: 'Described', description: 'a\u0000b' };
    expect((await mutate(ada, 'createConfiguration', 'CreateConfigurationInput', described)).code).toBe(
      'invalid-request',
    );
    const after = Buffer.from('["x"]').toString('base64url');
    const asked = 'query ($after: String) { configurations(after: $after) { totalCount } }';
    expect((await ada(asked, { after })).code).toBe('invalid-request');
  });

  it('is listed newest first, page by page', async () => {
    const made = [await configuration(), await configuration()];
    const page = async (after?: string) =>
      (
        await ada(
          'query ($after: String) { configurations(first: 1, after: $after) { nodes { id } totalCount pageInfo { hasNextPage endCursor } } }',
          { after },
        )
      ).data.configurations;
    const first = await page();
    expect(first).toMatchObject({ nodes: [{ id: made[1].id }], pageInfo: { hasNextPage: true } });
    expect((await page(first.pageInfo.endCursor)).nodes).toEqual([{ id: made[0].id }]);
  });

  it('is found by part of its name, in which no character is a placeholder', async () => {
    const { id } = await configuration({ name: 'Harbour_100% Desk' });
    const search = async (text: string, ask = ada) =>
      (
        await ask('query ($text: String) { configurations(search: $text) { nodes { id } totalCount } }', {
          text,
        })
      ).data.configurations;
    expect(await search('HARBOUR_100% d')).toEqual({ nodes: [{ id }], totalCount: 1 });
    expect(await search('harbour%desk')).toEqual({ nodes: [], totalCount: 0 });
    expect(await search('harbour', await moor.as())).toEqual({ nodes: [], totalCount: 0 });
  });

  it('prevents the removal of a group that it uses', async () => {
    const group = await get(GroupsService).create(lark.system, 'Bound');
    await configuration({ groupIds: [group.id] });
    expect((await mutate(ada, 'removeGroup', 'GroupInput', { groupId: group.id })).code).toBe('conflict');
  });

  it('is not accessible to another organization', async () => {
    const { id } = await configuration({ connectionIds: [connectionId] });
    const eve = await moor.as();
    expect((await eve('query ($id: ID!) { configuration(id: $id) { id } }', { id })).code).toBe(
      'configuration-not-found',
    );
    expect((await mutate(eve, 'pauseConfiguration', 'PauseConfigurationInput', { configurationId: id })).code).toBe(
      'configuration-not-found',
    );
    expect((await mutate(eve, 'createAgent', 'CreateAgentInput', { configurationId: id, name: 'Eve' })).code).toBe(
      'configuration-not-found',
    );
    expect(
      (
        await mutate(eve, 'createConfiguration', 'CreateConfigurationInput', {
          name: 'Theirs',
          connectionIds: [connectionId],
        })
      ).code,
    ).toBe('invalid-request');
  });

  it('can be read by auditors but not by other members', async () => {
    const auditor = await lark.as(await lark.member({ roles: ['auditor'] }));
    expect((await auditor('{ configurations { totalCount } }')).data.configurations.totalCount).toBeGreaterThan(0);
    const max = await lark.as(await lark.member({ roles: ['analyst'] }));
    expect((await max('{ configurations { totalCount } }')).code).toBe('forbidden');
    for (const ask of [auditor, max])
      expect((await mutate(ask, 'createConfiguration', 'CreateConfigurationInput', { name: 'Mine' })).code).toBe(
        'forbidden',
      );
    expect((await lark.withToken('nothing')('{ configurations { totalCount } }')).code).toBe('unauthenticated');
  });

  it('shows auditors no fields of its connections that require other permissions', async () => {
    const { id } = await configuration({ connectionIds: [connectionId] });
    const auditor = await lark.as(await lark.member({ roles: ['auditor'] }));
    const look = (ask: GraphqlRequest, field: string) =>
      ask(`query ($id: ID!) { configuration(id: $id) { connections { ${field} } } }`, { id });
    expect((await look(auditor, 'name')).code).toBeUndefined();
    for (const field of ['accounts { totalCount }', 'changedBy { email }', 'tools { confirmedBy { email } }']) {
      expect((await look(auditor, field)).code).toBe('forbidden');
      expect((await look(ada, field)).code).toBeUndefined();
    }
  });
});

describe('an agent identity', () => {
  it('has its creator or the given member as responsible member', async () => {
    const { id } = await configuration();
    expect((await agent(id)).responsibleMemberId).toBe(lark.admin.id);
    expect((await agent(id, { responsibleMemberId: bo.id })).responsibleMemberId).toBe(bo.id);
  });

  it('rejects a responsible member who is inactive or of another organization', async () => {
    const { id: configurationId } = await configuration();
    const gone = await lark.member();
    await get(MemberStatusService).remove(lark.system, gone.id);
    for (const responsibleMemberId of [gone.id, moor.admin.id, newId()]) {
      const { code, errors } = await mutate(ada, 'createAgent', 'CreateAgentInput', {
        configurationId,
        name: 'x',
        responsibleMemberId,
      });
      expect([code, errors![0].extensions.errors]).toEqual([
        'invalid-request',
        [{ pointer: '/responsibleMemberId', detail: 'is not an active member' }],
      ]);
    }
  });

  it('lists its responsible member first, then everyone who created or saw one of its keys', async () => {
    const { agentId, keyId } = await caller({ responsibleMemberId: bo.id });
    const answerable = () =>
      get(DatabaseService).tenant(lark.system, (tx) =>
        get(CredentialHolderRegistry).listHolders(tx, lark.tenant.id, 'agent', agentId),
      );
    expect(await answerable()).toEqual([bo.id, lark.admin.id]);

    const third = await lark.member({ name: 'Cy Third', roles: ['admin'] });
    const cy = await lark.as(third);
    expect((await mutate(cy, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: keyId }, 'key')).it.key).toMatch(/^cs_a2a_/);
    expect([...(await answerable())].sort()).toEqual([bo.id, lark.admin.id, third.id].sort());

    // requests made with a key may be decided long after the key ended
    const fresh = await mutate(
      await lark.as(bo),
      'rotateA2aKey',
      'RotateA2aKeyInput',
      { a2aKeyId: keyId, overlapSeconds: 0 },
      'key',
    );
    expect(fresh.code).toBeUndefined();
    const [responsible, ...others] = await answerable();
    expect(responsible).toBe(bo.id);
    expect(others.sort()).toEqual([lark.admin.id, third.id].sort());
  });

  it('changes its responsible member only in a session', async () => {
    const { agentId } = await caller();
    const { token } = await get(AdminTokensService).create(adminPrincipal(), {
      name: 'ci',
      expiresAt: new Date(Date.now() + 60_000),
    });
    const program = lark.withToken(token);
    const input = { agentId, responsibleMemberId: bo.id };
    expect((await mutate(program, 'updateAgent', 'UpdateAgentInput', input)).code).toBe('session-required');
    expect((await mutate(program, 'updateAgent', 'UpdateAgentInput', { agentId, name: 'Renamed' }, 'name')).it).toEqual(
      { name: 'Renamed' },
    );
    expect((await mutate(ada, 'updateAgent', 'UpdateAgentInput', input, 'responsibleMemberId')).it).toEqual({
      responsibleMemberId: bo.id,
    });
  });
});

/** The principal of Ada's session. */
const adminPrincipal = (): Principal => ({
  ...lark.system,
  kind: 'member',
  memberId: lark.admin.id,
  sessionId: newId(),
  surface: 'console',
});

describe('an A2A key', () => {
  it('grants access to the URL of its configuration', async () => {
    const { configurationId, token } = await caller();
    expect((await knock(configurationId, token)).status).toBe(200);
  });

  it('is rejected if it is missing, unknown or of another kind', async () => {
    const { configurationId, token } = await caller();
    for (const wrong of [null, 'nonsense', newToken('a2a'), newToken('api'), `${token}x`, token.slice(0, -1)]) {
      const response = await knock(configurationId, wrong);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await answer(response)).toEqual([401, 'unauthenticated']);
    }
  });

  it('gets the same error for another configuration and one that never existed', async () => {
    const [mine, other] = [await caller(), await caller()];
    for (const elsewhere of [other.configurationId, newId(), 'nonsense']) {
      expect(await answer(await knock(elsewhere, mine.token))).toEqual([404, 'configuration-not-found']);
    }
  });

  it('is rejected on the next request after revocation, expiry, a pause, or the loss of its responsible member', async () => {
    const { configurationId, agentId, keyId, token, principal } = await caller({ responsibleMemberId: bo.id });
    const meets = async (door: [number, string?], reason: string | null) => {
      const response = await knock(configurationId, token);
      expect([response.status, ...(response.ok ? [] : [((await response.json()) as { code: string }).code])]).toEqual(
        door,
      );
      expect((await get(CredentialRevalidationService).revalidate(principal))?.reason ?? null).toBe(reason);
    };
    await meets([200], null);

    await mutate(ada, 'pauseA2aKey', 'A2aKeyInput', { a2aKeyId: keyId });
    await meets([403, 'key-paused'], 'the key is paused');
    await mutate(ada, 'resumeA2aKey', 'A2aKeyInput', { a2aKeyId: keyId });

    await mutate(ada, 'pauseAgent', 'PauseAgentInput', { agentId });
    await meets([403, 'key-paused'], 'the agent is paused');
    await mutate(ada, 'resumeAgent', 'PauseAgentInput', { agentId });

    await get(MemberStatusService).suspend(lark.system, bo.id);
    await meets([403, 'agent-unattended'], 'the member responsible for the agent is no longer active');
    await get(MemberStatusService).reactivate(adminPrincipal(), bo.id);

    await ada('mutation { pauseTenant { id } }');
    await meets([403, 'tenant-paused'], 'the organization is paused');
    await ada('mutation { resumeTenant { id } }');
    await meets([200], null);

    await mutate(ada, 'revokeA2aKey', 'A2aKeyInput', { a2aKeyId: keyId });
    await meets([401, 'unauthenticated'], 'the key was revoked');
    await mutate(ada, 'revokeA2aKey', 'A2aKeyInput', { a2aKeyId: keyId });
    const kinds = ['a2a_key.paused', 'a2a_key.resumed', 'agent.paused', 'agent.resumed', 'a2a_key.revoked'];
    for (const kind of kinds) expect((await events(kind)).length).toBe(1);
  });

  it('can submit tasks to a paused configuration, which wait', async () => {
    const { configurationId, token } = await caller();
    expect(
      (await mutate(ada, 'pauseConfiguration', 'PauseConfigurationInput', { configurationId }, 'pausedAt')).it.pausedAt,
    ).not.toBeNull();
    expect((await knock(configurationId, token)).status).toBe(200);
    expect(
      (await mutate(ada, 'resumeConfiguration', 'PauseConfigurationInput', { configurationId }, 'pausedAt')).it
        .pausedAt,
    ).toBeNull();
  });

  it('expires', async () => {
    const { id: configurationId } = await configuration();
    const { id: agentId } = await agent(configurationId);
    expect(
      (await mutate(ada, 'createA2aKey', 'CreateA2aKeyInput', { agentId, expiresAt: new Date(Date.now() - 1) }, 'key'))
        .code,
    ).toBe('invalid-request');
    const short = await key(agentId, { expiresAt: new Date(Date.now() + 5000) });
    expect((await knock(configurationId, short.key)).status).toBe(200);
    await expect.poll(async () => (await knock(configurationId, short.key)).status).toBe(401);
    expect((await mutate(ada, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: short.a2aKey.id }, 'key')).code).toBe(
      'key-unusable',
    );
  });

  it('is created in one step with an identity named after the configuration', async () => {
    const { id: configurationId } = await configuration();
    const create = (ask = ada) =>
      mutate(ask, 'createAgentWithKey', 'CreateAgentWithKeyInput', { configurationId }, 'key a2aKey { agentId }');
    const [first, second] = (await Promise.all([create(), create()])).map(({ it }) => it);
    expect((await knock(configurationId, first.key)).status).toBe(200);
    expect((await knock(configurationId, second.key)).status).toBe(200);
    const { data } = await ada(
      'query ($id: ID!) { configuration(id: $id) { name agents { name responsibleMemberId } } }',
      { id: configurationId },
    );
    const { name, agents } = data.configuration;
    const responsibleMemberId = lark.admin.id;
    expect(agents).toEqual([
      { name, responsibleMemberId },
      { name: `${name} 2`, responsibleMemberId },
    ]);
    expect((await create(await lark.as(await lark.member()))).code).toBe('forbidden');
    expect(
      (await mutate(ada, 'createAgentWithKey', 'CreateAgentWithKeyInput', { configurationId: newId() }, 'key')).code,
    ).toBe('configuration-not-found');
  });

  it('can be rotated with an overlap that never exceeds its expiry', async () => {
    const { configurationId, agentId, keyId, token } = await caller();
    const next = await mutate(
      ada,
      'rotateA2aKey',
      'RotateA2aKeyInput',
      { a2aKeyId: keyId, overlapSeconds: 60 },
      'key a2aKey { agentId }',
    );
    expect(next.it.a2aKey.agentId).toBe(agentId);
    expect(next.it.key).not.toBe(token);
    for (const works of [token, next.it.key]) expect((await knock(configurationId, works)).status).toBe(200);
    await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId, overlapSeconds: 86_400 }, 'key');
    const { data } = await ada('query ($id: ID!) { configuration(id: $id) { agents { keys { id expiresAt } } } }', {
      id: configurationId,
    });
    const old = data.configuration.agents[0].keys.find((one: { id: string }) => one.id === keyId);
    expect(new Date(old.expiresAt).getTime()).toBeLessThan(Date.now() + 61_000);
    await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId, overlapSeconds: 0 }, 'key');
    expect((await knock(configurationId, token)).status).toBe(401);
    expect(
      (await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId, overlapSeconds: 0 }, 'key')).code,
    ).toBe('key-unusable');
    expect(
      (await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId, overlapSeconds: -1 }, 'key')).code,
    ).toBe('invalid-request');
  });

  it('can be revealed after a recent password confirmation, which is recorded', async () => {
    const { agentId, keyId, token } = await caller();
    const stale = await lark.as(bo, { isFresh: false });
    expect((await mutate(stale, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: keyId }, 'key')).code).toBe(
      'reauthentication-required',
    );
    const { token: adminToken } = await get(AdminTokensService).create(adminPrincipal(), {
      name: 'ci 2',
      expiresAt: new Date(Date.now() + 60_000),
    });
    const program = lark.withToken(adminToken);
    expect((await mutate(program, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: keyId }, 'key')).code).toBe(
      'session-required',
    );
    expect((await mutate(program, 'createA2aKey', 'CreateA2aKeyInput', { agentId }, 'key')).code).toBe(
      'session-required',
    );
    expect((await mutate(program, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId }, 'key')).code).toBe(
      'session-required',
    );
    expect((await mutate(await moor.as(), 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: keyId }, 'key')).code).toBe(
      'key-not-found',
    );

    const shown = await mutate(
      await lark.as(bo),
      'revealA2aKey',
      'A2aKeyInput',
      { a2aKeyId: keyId },
      'key a2aKey { hint reveals { memberId } }',
    );
    expect(shown.it).toEqual({
      key: token,
      a2aKey: { hint: `${token.slice(0, 11)}…`, reveals: [{ memberId: bo.id }] },
    });
    const [event] = await events('a2a_key.revealed');
    expect(event).toMatchObject({ subject: { type: 'a2a_key', id: keyId }, actor: { memberId: bo.id } });
    expect(JSON.stringify(await events('a2a_key.created'))).not.toContain(token);
  });

  it('keeps its pending requests valid after a rotation and invalidates them after a revocation', async () => {
    const { keyId, principal } = await caller();
    const rotate = async (a2aKeyId: string) =>
      (await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId, overlapSeconds: 0 }, 'a2aKey { id }')).it
        .a2aKey.id;
    const second = await rotate(keyId);
    expect(await get(CredentialRevalidationService).revalidate(principal)).toBeNull();
    const third = await rotate(second);
    expect(await get(CredentialRevalidationService).revalidate(principal)).toBeNull();
    await mutate(ada, 'revokeA2aKey', 'A2aKeyInput', { a2aKeyId: third });
    expect(await get(CredentialRevalidationService).revalidate(principal)).toEqual({
      reason: 'the key has expired',
      isPause: false,
    });
  });

  it('still works and can be rotated after the loss of its master key', async () => {
    const { configurationId, keyId, token } = await caller();
    await get(DatabaseService).tenant(lark.system, (tx) =>
      runSql(tx, `update a2a_keys set sealed = '\\x01' || sealed where id = $1`, [keyId]),
    );
    expect((await mutate(ada, 'revealA2aKey', 'A2aKeyInput', { a2aKeyId: keyId }, 'key')).code).toBe('key-unreadable');
    expect((await knock(configurationId, token)).status).toBe(200);
    const next = await mutate(ada, 'rotateA2aKey', 'RotateA2aKeyInput', { a2aKeyId: keyId }, 'key');
    expect((await knock(configurationId, next.it.key)).status).toBe(200);
  });

  it('is stored only as a digest and sealed', async () => {
    const { keyId, token } = await caller();
    const [row] = await get(DatabaseService).tenant(lark.system, (tx) =>
      runSql<Record<string, unknown>>(tx, 'select * from a2a_keys where id = $1', [keyId]),
    );
    const bytes = Object.values(row).map((value) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
    );
    expect(bytes.join('\n')).not.toContain(token.slice(11));
  });

  it('records its last use', async () => {
    const { configurationId, token } = await caller();
    const startedAt = Date.now();
    await knock(configurationId, token);
    const { data } = await ada('query ($id: ID!) { configuration(id: $id) { agents { keys { usedAt } } } }', {
      id: configurationId,
    });
    expect(new Date(data.configuration.agents[0].keys[0].usedAt).getTime()).toBeGreaterThanOrEqual(startedAt);
  });
});

describe('the agent card in the console', () => {
  const shown = async (id: string, fields: string, ask = ada) =>
    ask(`query ($id: ID!) { configuration(id: $id) { ${fields} } }`, { id });

  it('is identical to the card of the agent, with the time of the last key use', async () => {
    const { configurationId: id, agentId, token } = await caller({ responsibleMemberId: bo.id });
    const fields = `lastKeyUseAt own: agentCard(agentId: "${agentId}") any: agentCard agents { responsibleMember { name } }`;
    expect((await shown(id, fields)).data.configuration.lastKeyUseAt).toBeNull();
    const response = await fetch(`${server.url}/agents/${id}/.well-known/agent.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const wire = (await response.json()) as object;
    expect((await shown(id, fields)).data.configuration).toEqual({
      lastKeyUseAt: expect.any(String),
      own: wire,
      any: wire,
      agents: [{ responsibleMember: { name: 'Bo Second' } }],
    });
  });

  it('is specific to each identity and its configuration', async () => {
    const { configurationId: id, agentId } = await caller();
    const text = `permit (principal == Agent::"${agentId}", action == Action::"desk__create_ticket", resource);`;
    await mutate(ada, 'publishPolicy', 'PublishPolicyInput', { configurationId: id, text }, 'revision');
    const { own, any } = (await shown(id, `own: agentCard(agentId: "${agentId}") any: agentCard`)).data.configuration;
    expect([own.skills, any.skills]).toEqual([[expect.objectContaining({ id: 'desk__create_ticket' })], []]);
    const other = await caller();
    expect((await shown(id, `agentCard(agentId: "${other.agentId}")`)).code).toBe('agent-not-found');
    expect((await shown(id, 'agentCard', await lark.as(await lark.member()))).code).toBe('forbidden');
  });
});

describe('skills', () => {
  const skills = async ({ principal, configurationId }: { principal: Principal; configurationId: string }) =>
    (await get(SkillsService).list(principal, configurationId)).skills.filter(({ tags }) => tags.includes('desk'));

  it('are the tools that the policies could allow the agent', async () => {
    const agent = await caller();
    const listed = await skills(agent);
    expect(listed).toContainEqual({
      id: 'desk__create_ticket',
      name: expect.any(String),
      description: expect.any(String),
      tags: ['desk', 'write', 'needs-approval'],
    });
    expect(listed.every(({ tags }) => !tags.includes('destructive'))).toBe(true);
  });

  it('follow changes of policies, bundle and pause immediately', async () => {
    const agent = await caller();
    const publish = (text: string) =>
      mutate(ada, 'publishPolicy', 'PublishPolicyInput', { configurationId: agent.configurationId, text }, 'revision');
    expect((await publish('permit (principal, action == Action::"desk__create_ticket", resource);')).it).toEqual({
      revision: 2,
    });
    expect(await skills(agent)).toEqual([
      expect.objectContaining({ id: 'desk__create_ticket', tags: ['desk', 'write'] }),
    ]);

    const pause = (name: string) =>
      ada(`mutation ($id: ID!) { ${name}(input: { id: $id }) { id } }`, { id: connectionId });
    await pause('pauseConnection');
    expect(await skills(agent)).toEqual([]);
    await pause('resumeConnection');
    expect(await skills(agent)).toHaveLength(1);

    await mutate(ada, 'updateConfiguration', 'UpdateConfigurationInput', {
      configurationId: agent.configurationId,
      connectionIds: [],
    });
    expect(await skills(agent)).toEqual([]);
  });

  it('are specific to each of many concurrent callers', async () => {
    const [one, other, nobody] = [await caller(), await caller(), { ...(await caller()), configurationId: newId() }];
    const text = 'permit (principal, action in Action::"read", resource);';
    const { configurationId } = other;
    await mutate(ada, 'publishPolicy', 'PublishPolicyInput', { configurationId, text }, 'revision');
    const [first, second, third, fourth] = await Promise.allSettled([one, other, nobody, one].map(skills));
    expect(fourth).toEqual(first);
    expect(first).toMatchObject({
      value: expect.arrayContaining([expect.objectContaining({ id: 'desk__create_ticket' })]),
    });
    expect(second).toMatchObject({
      value: expect.not.arrayContaining([expect.objectContaining({ id: 'desk__create_ticket' })]),
    });
    expect(third).toMatchObject({ reason: { code: 'configuration-not-found' } });
  });
});
