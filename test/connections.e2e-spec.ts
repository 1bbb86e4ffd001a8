import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import { ConnectionVerificationScheduler } from '../src/connections/connection-verification-scheduler.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { type OfferedTool, ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { type GraphqlResponse, anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';
import { documentsContext } from './kit/documents-context.js';

let server: TestServer;
let workplace: Workplace;
let lark: Organization;
let ask: (query: string, variables?: object) => Promise<GraphqlResponse>;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start({ token: 'let-me-in' })]);
  lark = await anOrganization(server, { name: 'Larkmoor' });
  ask = await lark.as();
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const fields = `id slug status statusReason revision settings credentials pausedAt
  tools { id name upstreamName effect definitionHash confirmedHash isPendingReview goneAt pausedAt description confirmedDefinition }`;
const create = (input: object) =>
  ask(`mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { ${fields} } }`, { input });
const update = (input: object) =>
  ask(`mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { ${fields} } }`, { input });
const change = (mutation: string, id: string) =>
  ask(`mutation ($id: ID!) { ${mutation}(input: { id: $id }) { id } }`, { id });
const verify = async (id: string) =>
  (await ask(`mutation ($id: ID!) { verifyConnection(input: { id: $id }) { ${fields} } }`, { id })).data
    .verifyConnection;
const events = async (kind: string) =>
  (await ask('query ($kind: String) { auditEvents(kind: $kind) { nodes { kind subject detail } } }', { kind })).data
    .auditEvents.nodes;

let count = 0;
const newSlug = () => `wp${++count}`;
/** A connection to the workplace; `settings` override the defaults. */
async function connected({ slug = newSlug(), settings = {}, secrets = { token: 'let-me-in' } as object } = {}) {
  const answer = await create({
    kind: 'mcp',
    name: 'Workplace',
    slug,
    settings: { url: workplace.url, timeoutSeconds: 20, ...settings },
    secrets,
  });
  expect(answer.errors).toBeUndefined();
  return answer.data.createConnection;
}

const bundle = (...connectionIds: string[]) => ({ configurationId: newId(), connectionIds });
const tools = () => server.app.get(ToolsService);
/**
 * A copy, as if the decision was made a while ago: only the object from the lookup itself is called without a new
 * lookup.
 */
async function offered(connection: { id: string; slug: string }, tool: string): Promise<OfferedTool> {
  const found = await tools().find(lark.system, bundle(connection.id), `${connection.slug}__${tool}`);
  expect(found).not.toBeNull();
  return { ...found! };
}
const call = (
  tool: OfferedTool,
  args: JsonObject,
  { key = newId(), signal = new AbortController().signal, among = [tool.connectionId!] } = {},
) =>
  tools().execute(
    { ...bundle(...among), principal: lark.system, readerGroups: [], idempotencyKey: key, signal },
    tool,
    args,
  );
const outdate = (connection: { id: string }) =>
  server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) =>
      runSql(tx, `update tools set seen_at = now() - interval '1 hour' where connection_id = $1`, [connection.id]),
    );

describe('the connector catalog', () => {
  it('reports whether the operator provides a language model', async () => {
    expect((await ask('{ hasDefaultModel }')).data).toEqual({ hasDefaultModel: false });
  });

  it('lists connectors, their capabilities and their secret fields', async () => {
    const { data } = await ask(
      '{ connectors { id title setUp offers pullCadence fields { name label type required help options optionLabels isTarget } } }',
    );
    const kinds = Object.fromEntries(data.connectors.map((kind: { id: string }) => [kind.id, kind]));
    expect(kinds.mcp).toMatchObject({
      offers: ['tools', 'knowledge'],
      fields: expect.arrayContaining([expect.objectContaining({ name: 'token', type: 'secret' })]),
    });
    expect(kinds.model).toMatchObject({ offers: ['model'] });
    const fields = data.connectors.flatMap((kind: { fields: object[] }) => kind.fields);
    expect(fields.filter(({ name }: { name: string }) => name === 'credentials')).toMatchObject([
      { options: ['shared', 'personal'], optionLabels: ['Shared token', 'Personal accounts'] },
    ]);
    for (const { options, optionLabels } of fields) if (optionLabels) expect(optionLabels).toHaveLength(options.length);
  });
});

describe('a connection', () => {
  it('is verified when it is saved and lists the tools of its server with unconfirmed effects', async () => {
    const connection = await connected({ slug: 'workplace' });
    expect(connection).toMatchObject({ status: 'connected', statusReason: null, revision: 1, credentials: ['token'] });
    const effects = Object.fromEntries(
      connection.tools.map((tool: { name: string; effect: string }) => [tool.name, tool.effect]),
    );
    expect(effects).toEqual({
      workplace__close_ticket: 'destructive',
      workplace__comment_ticket: 'write',
      workplace__create_ticket: 'write',
      workplace__get_ticket: 'write',
      workplace__list_channels: 'write',
      workplace__list_tickets: 'write',
      workplace__post_message: 'write',
      workplace__resources_read: 'read', // defined by the protocol
    });
    expect(await events('connection.created')).toMatchObject([
      { subject: { name: 'Workplace' }, detail: { slug: 'workplace' } },
    ]);
  });

  it('stores its credential sealed and never shows it again', async () => {
    const connection = await connected();
    expect(JSON.stringify(connection)).not.toContain('let-me-in');
    const [row] = await server.app
      .get(DatabaseService)
      .tenant(lark.system, (tx) =>
        runSql(tx, 'select sealed from connection_secrets where connection_id = $1', [connection.id]),
      );
    expect((row as { sealed: Buffer }).sealed.toString('latin1')).not.toContain('let-me-in');
    expect(JSON.stringify(await events('connection.created'))).not.toContain('let-me-in');
  });

  it.each<[string, object, object, string, RegExp]>([
    ['a wrong token', {}, { token: 'wrong' }, 'failed', /credential.*401/],
    ['no token', {}, {}, 'failed', /credential.*401/],
    ['a wrong path', { url: 'path' }, { token: 'let-me-in' }, 'failed', /404/],
    [
      'an address without a server',
      { url: 'http://127.0.0.1:10/mcp' },
      {},
      'failed',
      /no connection to 127\.0\.0\.1:10 \(ECONNREFUSED\)/i,
    ],
    ['an unknown name', { url: 'https://nowhere.invalid/mcp' }, {}, 'failed', /nowhere\.invalid could not be resolved/],
    ['the metadata service', { url: 'http://169.254.169.254/mcp' }, {}, 'failed', /always blocked/],
    ['a private address', { url: 'http://10.0.0.7/mcp' }, {}, 'failed', /private range.*ALLOW_PRIVATE_NETWORKS/],
    ['a server of another kind', { url: 'api' }, {}, 'failed', /Check that the address is its MCP endpoint/],
  ])('says what to do about %s', async (_what, settings, secrets, status, reason) => {
    const replaced = { path: `${workplace.url}/other`, api: `${server.url}/oauth2/token` }[
      (settings as { url?: string }).url ?? ''
    ];
    const connection = await connected({ settings: { ...settings, ...(replaced && { url: replaced }) }, secrets });
    expect(connection).toMatchObject({ status, statusReason: expect.stringMatching(reason) });
  });

  it.each<[object, string]>([
    [{ slug: 'Upper' }, '/slug'],
    [{ slug: 'two__parts' }, '/slug'],
    [{ slug: 'open_' }, '/slug'],
    [{ name: 'nul\0' }, '/name'],
    [{ settings: { url: 'https://x.example', header: 'Host' } }, '/settings/header'],
    [{ kind: 'nothing' }, '/kind'],
    [{ settings: {} }, '/settings/url'],
    [{ settings: { url: 'ftp://x' } }, '/settings/url'],
    [{ settings: { url: 'https://user:secret@x.example' } }, '/settings/url'],
    [{ settings: { url: 'https://x.example', command: 'rm' } }, '/settings/command'],
    [{ settings: { url: 'https://x.example', surprise: true } }, '/settings/surprise'],
    [{ settings: { url: 'https://x.example', timeoutSeconds: 1e9 } }, '/settings/timeoutSeconds'],
    [{ secrets: { password: 'x' } }, '/secrets/password'],
    [{ secrets: { token: 'two\nlines' } }, '/secrets/token'],
  ])('rejects %j with an error at %s', async (wrong, pointer) => {
    const answer = await create({
      kind: 'mcp',
      name: 'X',
      slug: newSlug(),
      settings: { url: workplace.url },
      ...wrong,
    });
    expect(answer.code).toBe('invalid-request');
    expect(JSON.stringify(answer.errors)).toContain(`"${pointer}"`);
  });

  it('has a unique tool prefix, which is free again after its removal', async () => {
    const first = await connected({ slug: 'taken' });
    const again = { kind: 'mcp', name: 'X', slug: 'taken', settings: { url: workplace.url } };
    expect((await create(again)).code).toBe('slug-taken');
    expect((await create({ ...again, slug: 'knowledge' })).code).toBe('slug-taken');
    await change('removeConnection', first.id);
    expect((await create(again)).data.createConnection.slug).toBe('taken');
    expect((await change('verifyConnection', first.id)).code).toBe('connection-not-found');
    expect(await events('connection.removed')).toHaveLength(1);
  });

  it('loses its credential when it points to another server', async () => {
    const { id } = await connected();
    const samePlace = await update({ id, revision: 1, settings: { url: `${workplace.url}?x=1`, timeoutSeconds: 3 } });
    expect(samePlace.data.updateConnection).toMatchObject({ revision: 2, status: 'connected', credentials: ['token'] });
    const elsewhere = await update({
      id,
      revision: 2,
      settings: { url: workplace.url.replace('127.0.0.1', 'localhost') },
    });
    expect(elsewhere.data.updateConnection).toMatchObject({ revision: 3, credentials: [], status: 'failed' });
    const again = await update({ id, revision: 3, secrets: { token: 'let-me-in' } });
    expect(again.data.updateConnection).toMatchObject({ revision: 4, credentials: ['token'], status: 'connected' });
    const [, cleared] = await events('connection.updated');
    expect(cleared.detail).toEqual({ settings: ['url'], secrets: [], credentialsClearedBy: ['url'] });
  });

  it('does not send the credential of its next host to the previous one', async () => {
    const { id } = await connected();
    const service = server.app.get(ConnectionsService);
    const before = await service.get(lark.system, id);
    const url = workplace.url.replace('127.0.0.1', 'localhost');
    await update({ id, revision: 1, settings: { url }, secrets: { token: 'of the next host' } });
    const signal = new AbortController().signal;
    await expect(service.open(lark.system, before, signal)).rejects.toThrow(NotSent);
    const { context } = await service.open(lark.system, await service.get(lark.system, id), signal);
    expect([context.settings.url, context.secret('token')]).toEqual([url, 'of the next host']);
  });

  it('rejects an update that is based on an old revision', async () => {
    const { id } = await connected();
    await update({ id, revision: 1, settings: { timeoutSeconds: 5 } });
    expect((await update({ id, revision: 1, settings: { timeoutSeconds: 6 } })).code).toBe('connection-changed');
  });

  it('names the member who last changed it', async () => {
    const { id } = await connected();
    const saved = async () =>
      (await ask('query ($id: ID!) { connection(id: $id) { changedAt changedBy { name } } }', { id })).data.connection;
    expect(await saved()).toEqual({ changedAt: null, changedBy: null });
    await change('verifyConnection', id);
    expect(await saved()).toEqual({ changedAt: null, changedBy: null });
    await update({ id, revision: 1, name: 'Desk' });
    expect(await saved()).toEqual({ changedAt: expect.any(String), changedBy: { name: lark.admin.name } });
  });

  it('is found by part of its name or tool prefix until it is removed', async () => {
    const { id, slug } = await connected({ slug: 'lighthouse' });
    expect((await update({ id, revision: 1, name: 'Keeper_100% Desk' })).errors).toBeUndefined();
    const search = async (text: string) =>
      (await ask('query ($text: String) { connections(search: $text) { nodes { id } totalCount } }', { text })).data
        .connections;
    const found = { nodes: [{ id }], totalCount: 1 };
    expect(await search('KEEPER_100% d')).toEqual(found);
    expect(await search(slug.slice(1, -1))).toEqual(found);
    expect(await search('keeper%desk')).toEqual({ nodes: [], totalCount: 0 });
    await change('removeConnection', id);
    expect(await search(slug)).toEqual({ nodes: [], totalCount: 0 });
  });

  it('has the same status and revision after a rename', async () => {
    const { id } = await connected();
    expect((await update({ id, revision: 1, name: 'Desk' })).data.updateConnection).toMatchObject({
      revision: 1,
      status: 'connected',
    });
  });
});

describe('a call', () => {
  let desk: { id: string; slug: string };
  let createTicket: OfferedTool;
  beforeAll(async () => {
    desk = await connected();
    createTicket = await offered(desk, 'create_ticket');
  });
  afterEach(() => workplace.clearFaults());
  const arrived = async (title: string) =>
    (await workplace.arrivals()).filter((arrival) => (arrival.arguments as { title?: string }).title === title);

  it('arrives once with its idempotency key and returns a URL', async () => {
    const result = await call(
      createTicket,
      { title: 'Dock 3 blinks red', project: 'FLD', priority: 'high' },
      { key: 'key-1' },
    );
    expect(result).toMatchObject({
      isError: false,
      outside: true,
      structured: { project: 'FLD', status: 'open', title: 'Dock 3 blinks red' },
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/tickets\/FLD-\d{4}$/),
    });
    await expect(arrived('Dock 3 blinks red')).resolves.toMatchObject([{ tool: 'create_ticket', key: 'key-1' }]);
  });

  it('changes nothing the second time with the same key', async () => {
    const [first, second] = [
      await call(createTicket, { title: 'Twice' }, { key: 'key-2' }),
      await call(createTicket, { title: 'Twice' }, { key: 'key-2' }),
    ];
    expect((first.structured as JsonObject).id).toBe((second.structured as JsonObject).id);
    await expect(arrived('Twice')).resolves.toHaveLength(2);
  });

  it('returns a failure that the system reports as a result', async () => {
    const close = await offered(desk, 'close_ticket');
    const result = await call(close, { id: 'LAN-9999', resolution: 'not there' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no ticket LAN-9999') }],
    });
  });

  it('returns a rejection of its arguments as a result', async () => {
    await expect(call(createTicket, { title: 'x' })).resolves.toMatchObject({ isError: true });
  });

  it('waits for a slow system', async () => {
    await workplace.fail({ fault: 'slow', ms: 500, times: 1 });
    await expect(call(createTicket, { title: 'Slow but sure' })).resolves.toMatchObject({ isError: false });
  });

  it.each<[string, Parameters<Workplace['fail']>[0], number, RegExp]>([
    ['hangs before execution', { fault: 'hang' }, 0, /in time/],
    ['executes it and hangs', { fault: 'hang-after' }, 1, /in time/],
    ['executes it and drops the connection', { fault: 'drop' }, 1, /was lost/],
    ['answers with rubbish', { fault: 'rubbish' }, 0, /not with MCP/],
    ['answers with too much data', { fault: 'huge' }, 0, /larger than/],
    ['is behind a broken gateway', { fault: 'error' }, 0, /503/],
  ])('has an unknown outcome when the system %s', async (_what, fault, arrivals, reason) => {
    const title = `Uncertain: ${fault.fault}`;
    const isSilent = fault.fault.startsWith('hang');
    const tool = isSilent
      ? await offered(await connected({ settings: { timeoutSeconds: 1 } }), 'create_ticket')
      : createTicket;
    await workplace.fail(fault);
    const error = await call(tool, { title }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect((error as Error).message).toMatch(reason);
    await expect(arrived(title)).resolves.toHaveLength(arrivals);
    await workplace.clearFaults();
    await expect(call(createTicket, { title: `After ${fault.fault}` })).resolves.toMatchObject({ isError: false });
  });

  it('has an unknown outcome when the system executes it and dies, and was not sent when the system is down', async () => {
    await workplace.fail({ fault: 'die' });
    await expect(call(createTicket, { title: 'Last words' })).rejects.toBeInstanceOf(OutcomeUnknown);
    await workplace.waitForExit();
    await expect(call(createTicket, { title: 'Into the void' })).rejects.toBeInstanceOf(NotSent);
    await workplace.start();
    await expect(arrived('Last words')).resolves.toHaveLength(1);
    await expect(arrived('Into the void')).resolves.toHaveLength(0);
    await expect(call(createTicket, { title: 'Back again' })).resolves.toMatchObject({ isError: false });
  });

  it('was not executed when the system rejects the credential', async () => {
    await workplace.fail({ fault: 'unauthorized' });
    const error = await call(createTicket, { title: 'Refused' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotSent);
    expect((error as Error).message).toMatch(/401/);
    await expect(arrived('Refused')).resolves.toHaveLength(0);
  });

  it('has an unknown outcome when the caller cancels it', async () => {
    await workplace.fail({ fault: 'hang-after', times: 1 });
    await expect(
      call(createTicket, { title: 'Given up' }, { signal: AbortSignal.timeout(400) }),
    ).rejects.toBeInstanceOf(OutcomeUnknown);
  });

  it('was not sent when the caller canceled it before', async () => {
    await expect(
      call(createTicket, { title: 'Never' }, { signal: AbortSignal.abort(new Error('over')) }),
    ).rejects.toBeInstanceOf(NotSent);
    await expect(arrived('Never')).resolves.toHaveLength(0);
  });

  it('reaches only connections of the configuration', async () => {
    await expect(call(createTicket, { title: 'Elsewhere' }, { among: [] })).rejects.toBeInstanceOf(NotSent);
    const other = await anOrganization(server);
    await expect(tools().find(other.system, bundle(desk.id), createTicket.name)).resolves.toBeNull();
    await expect(arrived('Elsewhere')).resolves.toHaveLength(0);
  });

  it('fails when its tool or connection is paused or changed after the decision', async () => {
    const paused = await connected();
    const tool = await offered(paused, 'create_ticket');
    const { data } = await ask('query ($id: ID!) { connection(id: $id) { tools { id name } } }', { id: paused.id });
    const { id: toolId } = data.connection.tools.find(({ name }: { name: string }) => name === tool.name);
    const refused = () => expect(call(tool, { title: 'Paused' })).rejects.toBeInstanceOf(NotSent);
    await change('pauseTool', toolId);
    await refused();
    expect((await offered(paused, 'create_ticket')).isPaused).toBe(true);
    await change('resumeTool', toolId);
    await change('pauseConnection', paused.id);
    await refused();
    await change('resumeConnection', paused.id);
    await expect(call(tool, { title: 'Resumed' })).resolves.toMatchObject({ isError: false });
    await update({ id: paused.id, revision: 1, settings: { timeoutSeconds: 9 } });
    await refused();
    await change('removeConnection', paused.id);
    await refused();
    await expect(arrived('Paused')).resolves.toHaveLength(0);
    for (const kind of ['tool.paused', 'tool.resumed', 'connection.paused', 'connection.resumed'])
      expect(await events(kind)).toHaveLength(1);
  });
});

describe('a tool', () => {
  let desk: { id: string; slug: string };
  const toolNamed = async (name: string) =>
    (await verify(desk.id)).tools.find((tool: { upstreamName: string }) => tool.upstreamName === name);
  const confirm = (id: string, effect: string, definitionHash: string) =>
    ask('mutation ($input: ConfirmToolInput!) { confirmTool(input: $input) { effect isPendingReview } }', {
      input: { id, effect, definitionHash },
    });
  beforeAll(async () => {
    desk = await connected();
  });
  afterEach(() => workplace.clearFaults());

  it('has the effect read after an administrator confirms it', async () => {
    const tool = await toolNamed('get_ticket');
    const answer = await confirm(tool.id, 'read', tool.definitionHash);
    expect(answer.data.confirmTool).toEqual({ effect: 'read', isPendingReview: false });
    expect(await offered(desk, 'get_ticket')).toMatchObject({ effect: 'read' });
    expect(await events('tool.confirmed')).toMatchObject([{ detail: { from: 'write', to: 'read' } }]);
  });

  it('names who confirmed it, even if the effect did not change', async () => {
    const tool = await toolNamed('post_message');
    const said = async () =>
      (await ask('query ($id: ID!) { tool(id: $id) { confirmedAt confirmedBy { name } } }', { id: tool.id })).data.tool;
    expect(await said()).toEqual({ confirmedAt: null, confirmedBy: null });
    await confirm(tool.id, 'write', tool.definitionHash);
    expect(await said()).toEqual({ confirmedAt: expect.any(String), confirmedBy: { name: lark.admin.name } });
  });

  it('keeps the effect destructive if its server declares it', async () => {
    const tool = await toolNamed('close_ticket');
    const { data } = await ask('query ($id: ID!) { tool(id: $id) { name isClaimedDestructive } }', { id: tool.id });
    expect(data.tool).toEqual({ name: tool.name, isClaimedDestructive: true });
    expect((await confirm(tool.id, 'write', tool.definitionHash)).code).toBe('invalid-request');
    expect((await confirm(tool.id, 'destructive', '0'.repeat(64))).code).toBe('definition-changed');
  });

  it('is confirmed together with others, all or none, in the order of the request', async () => {
    const confirmAll = (tools: object[], as = ask) =>
      as(
        'mutation ($input: ConfirmToolsInput!) { confirmTools(input: $input) { upstreamName effect suggestedEffect } }',
        {
          input: { tools },
        },
      );
    const review = async (name: string, effect: string) => {
      const { id, definitionHash } = await toolNamed(name);
      return { id, effect, definitionHash: definitionHash as string };
    };
    const before = (await events('tool.confirmed')).length;
    const [list, add, close] = await Promise.all([
      review('list_tickets', 'read'),
      review('comment_ticket', 'write'),
      review('close_ticket', 'write'),
    ]);
    expect((await confirmAll([list, add, close])).code).toBe('invalid-request');
    expect((await confirmAll([list, { ...add, definitionHash: '0'.repeat(64) }])).code).toBe('definition-changed');
    expect((await confirmAll([list, list])).code).toBe('invalid-request');
    expect((await confirmAll([])).code).toBe('invalid-request');
    expect(await offered(desk, 'list_tickets')).toMatchObject({ effect: 'write' });
    expect(await events('tool.confirmed')).toHaveLength(before);

    expect((await confirmAll([list, add, { ...close, effect: 'destructive' }])).data.confirmTools).toEqual([
      { upstreamName: 'list_tickets', effect: 'read', suggestedEffect: 'read' },
      { upstreamName: 'comment_ticket', effect: 'write', suggestedEffect: 'write' },
      { upstreamName: 'close_ticket', effect: 'destructive', suggestedEffect: 'destructive' },
    ]);
    expect(await events('tool.confirmed')).toHaveLength(before + 3);
    expect((await confirmAll([list], await lark.as(await lark.member()))).code).toBe('forbidden');
  });

  it('is pending review after its definition changes, even between decision and call, until the new one is confirmed', async () => {
    const decided = await offered(desk, 'create_ticket');
    await workplace.fail({ fault: 'change-tools' });
    await outdate(desk);
    const before = (await workplace.arrivals()).length;
    const error = await call(decided, { title: 'Rug' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotSent);
    expect((error as Error).message).toMatch(/definition.*changed/);
    expect(await workplace.arrivals()).toHaveLength(before);
    expect(await offered(desk, 'create_ticket')).toMatchObject({ isPendingReview: true });

    const held = await toolNamed('create_ticket');
    expect(held).toMatchObject({
      isPendingReview: true,
      description: expect.stringContaining('address book'),
      confirmedDefinition: { description: expect.stringContaining('Opens a new ticket') },
    });
    expect((await confirm(held.id, 'write', decided.definitionHash)).code).toBe('definition-changed');
    expect((await confirm(held.id, 'write', held.definitionHash)).data.confirmTool).toEqual({
      effect: 'write',
      isPendingReview: false,
    });
    await expect(call(await offered(desk, 'create_ticket'), { title: 'Confirmed anew' })).resolves.toMatchObject({
      isError: false,
    });
    await expect(call(decided, { title: 'Rug' })).rejects.toBeInstanceOf(NotSent);
  });

  it('is gone when it is no longer offered', async () => {
    const tool = await offered(desk, 'list_channels');
    await server.app
      .get(DatabaseService)
      .tenant(lark.system, (tx) =>
        runSql(
          tx,
          `update tools set upstream_name = 'vanished' where connection_id = $1 and upstream_name = 'list_channels'`,
          [desk.id],
        ),
      );
    const seen = await toolNamed('vanished');
    expect(seen.goneAt).not.toBeNull();
    await expect(tools().find(lark.system, bundle(desk.id), tool.name)).resolves.toBeNull();
  });
});

describe('documents of a connection', () => {
  const documentsOf = async (connection: { id: string }) => {
    const connections = server.app.get(ConnectionsService);
    const { connector, context } = await connections.open(
      lark.system,
      await connections.get(lark.system, connection.id),
      AbortSignal.timeout(20_000),
    );
    const found: SourceDocument[] = [];
    const { documents, pass } = documentsContext(context);
    for await (const document of connector.documents!(documents)) found.push(document);
    return { found, skipped: pass.skipped.map(({ externalId }) => externalId) };
  };

  it('are the resources of the server, read only after they change', async () => {
    const desk = await connected();
    const { found, skipped } = await documentsOf(desk);
    expect(skipped).toEqual([]);
    expect(found.filter(({ kind }) => kind === 'ticket').length).toBeGreaterThanOrEqual(25);
    expect(found.filter(({ kind }) => kind === 'message').length).toBeGreaterThanOrEqual(30);
    const ticket = found.find(({ externalId }) => externalId === 'workplace://tickets/FLD-0897')!;
    expect(ticket).toMatchObject({
      title: 'FLD-0897: Mater Riverside: elevator 7 does not answer on Sundays',
      author: 'Siobhan O’Dea',
      url: expect.stringMatching(/\/tickets\/FLD-0897$/),
      updatedAt: new Date('2026-11-15T18:40:00Z'),
      mediaType: 'text/markdown',
    });
    await expect((ticket.content as () => Promise<string>)()).resolves.toContain('contract EL-4410');

    await call(await offered(desk, 'comment_ticket'), {
      id: 'FLD-0897',
      text: 'The window is agreed: Tuesdays at two.',
    });
    const again = await documentsOf(desk);
    const changed = again.found.filter(
      ({ fingerprint }) => !found.some((document) => document.fingerprint === fingerprint),
    );
    expect(changed.map(({ externalId }) => externalId)).toEqual(['workplace://tickets/FLD-0897']);
  });

  it('fail when the server goes down, instead of looking complete', async () => {
    const desk = await connected();
    await workplace.fail({ fault: 'error', on: 'everything' });
    await expect(documentsOf(desk)).rejects.toThrow();
    await workplace.clearFaults();
  });
});

describe('verification of a connection', () => {
  afterEach(() => workplace.clearFaults());

  it.each<[Parameters<Workplace['fail']>[0], RegExp]>([
    [{ fault: 'hang' }, /in time/],
    [{ fault: 'rubbish' }, /not with MCP/],
    [{ fault: 'error' }, /internal error \(503\)/],
    [{ fault: 'huge' }, /larger than/],
    [{ fault: 'unauthorized' }, /401/],
  ])('detects %j, and passes after the server recovers', async (fault, reason) => {
    const { id } = await connected();
    const timeoutSeconds = fault.fault === 'hang' ? 1 : 15;
    await update({ id, revision: 1, settings: { timeoutSeconds } }); // another revision, so no client is reused
    await workplace.fail({ ...fault, on: 'everything' });
    await expect(verify(id)).resolves.toMatchObject({ status: 'failed', statusReason: expect.stringMatching(reason) });
    await workplace.clearFaults();
    await expect(verify(id)).resolves.toMatchObject({ status: 'connected', statusReason: null });
  });

  it('runs automatically when the last one is old', async () => {
    const { id } = await connected();
    await workplace.fail({ fault: 'error', on: 'everything' });
    await server.app
      .get(DatabaseService)
      .tenant(lark.system, (tx) =>
        runSql(tx, `update connections set verified_at = now() - interval '1 hour' where id = $1`, [id]),
      );
    await server.app.get(ConnectionVerificationScheduler).verifyDue();
    const { data } = await ask('query ($id: ID!) { connection(id: $id) { status } }', { id });
    expect(data.connection.status).toBe('failed');
  });
});

describe('access to connections', () => {
  it('is limited to administrators of the organization', async () => {
    const { id } = await connected();
    const member = await lark.as(await lark.member({ name: 'Mina' }));
    const stranger = await (await anOrganization(server)).as();
    const [tool] = await tools().listOf(lark.system, id);
    for (const [somebody, code] of [
      [member, 'forbidden'],
      [stranger, 'tool-not-found'],
    ] as const)
      expect((await somebody('query ($id: ID!) { tool(id: $id) { name } }', { id: tool.id })).code).toBe(code);
    const mutation = 'mutation ($id: ID!) { pauseConnection(input: { id: $id }) { id } }';
    expect((await member(mutation, { id })).code).toBe('forbidden');
    expect((await member('{ connections { totalCount } }')).code).toBe('forbidden');
    expect((await stranger(mutation, { id })).code).toBe('connection-not-found');
    expect((await stranger('{ connections { totalCount } }')).data.connections.totalCount).toBe(0);
    expect((await lark.withToken('cs_adm_wrong')(mutation, { id })).code).toBe('unauthenticated');
  });

  it('requires a session to decide where credentials go and what a tool does, for every caller of the services', async () => {
    const { id, revision } = await connected();
    const [tool] = await tools().listOf(lark.system, id);
    const inSession = await sessionPrincipal(server, lark, lark.admin);
    const connections = server.app.get(ConnectionsService);
    const input = { kind: 'mcp', name: 'Desk', slug: 'by-a-token', settings: { url: workplace.url }, secrets: {} };
    // as an admin token, and as the system
    for (const other of [{ ...inSession, sessionId: undefined, keyId: newId() }, lark.system]) {
      const refused = { code: 'session-required' };
      await expect(connections.create(other, input)).rejects.toMatchObject(refused);
      await expect(connections.update(other, { id, revision, name: 'Else' })).rejects.toMatchObject(refused);
      await expect(connections.resume(other, id)).rejects.toMatchObject(refused);
      await expect(tools().confirm(other, tool.id, 'read', tool.definitionHash)).rejects.toMatchObject(refused);
      await expect(tools().resume(other, tool.id)).rejects.toMatchObject(refused);
    }
    await connections.pause({ ...inSession, sessionId: undefined, keyId: newId() }, id);
    await connections.resume(inSession, id);
  });
});
