import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeysService } from '../src/configurations/keys.service.js';
import { Config } from '../src/platform/config/config.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { MetricsService } from '../src/platform/telemetry/metrics.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import { GateFixture } from './kit/gate-fixture.js';
import { runSql } from './kit/run-sql.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { anotherAgentIdentity, newTaskId, messageOf, Wire, wireOf, type WireTask } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const ticket = { tool: 'workplace__create_ticket', arguments: { title: 'The lamp in aisle 4 is dark' } };

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  wire = wireOf(fixture, server.url);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

describe('authentication', () => {
  const at = (key: string, configurationId = fixture.configurationId) =>
    new Wire(`${server.url}/agents/${configurationId}`, key);
  const paths: [string, string][] = [
    ['GET', '/.well-known/agent.json'],
    ['POST', '/tasks/send'],
    ['POST', '/tasks/sendSubscribe'],
    ['GET', '/tasks'],
    ['GET', '/tasks/some'],
    ['GET', '/tasks/some/events'],
    ['POST', '/tasks/some/cancel'],
  ];

  it.each(paths)('requires a key for %s %s', async (method, path) => {
    const response = await fetch(wire.base + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    await expect(response.json()).resolves.toMatchObject({ code: 'unauthenticated', requestId: expect.any(String) });
  });

  it.each([
    ['an unknown key', () => newToken('a2a')],
    ['a key with a typo', () => `${fixture.key.slice(0, -1)}${fixture.key.endsWith('a') ? 'b' : 'a'}`],
    ['a key of another type', () => newToken('api')],
    ['an empty key', () => ''],
  ])('rejects %s', async (_, key) => {
    await expect(at(key()).call('GET', '/.well-known/agent.json')).resolves.toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    });
  });

  it('answers the same for a foreign configuration and an unknown one', async () => {
    const other = await GateFixture.create(server, workplace);
    for (const id of [other.configurationId, crypto.randomUUID(), 'nothing']) {
      await expect(at(fixture.key, id).call('GET', '/tasks')).resolves.toMatchObject({
        status: 404,
        body: { code: 'configuration-not-found' },
      });
    }
  });

  it('rejects the next request after a key is revoked', async () => {
    const { wire: stranger, keyId } = await anotherAgentIdentity(fixture, server.url, 'Revoked');
    await expect(stranger.call('GET', '/tasks')).resolves.toMatchObject({ status: 200 });
    await fixture.get(KeysService).revoke(await fixture.principalOf(), keyId);
    await expect(stranger.call('GET', '/tasks')).resolves.toMatchObject({ status: 401 });
  });
});

describe('the card', () => {
  it('describes the agent and the skills that this caller may use', async () => {
    const { status, body } = await wire.call('GET', '/.well-known/agent.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Desk',
      url: wire.base,
      description: expect.stringContaining('without a language model'),
      capabilities: { streaming: true, pushNotifications: false },
    });
    const ids = body.skills.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['knowledge__search', 'workplace__list_channels', 'workplace__create_ticket']),
    );
    expect(ids).not.toContain('workplace__close_ticket'); // destructive, so the policy denies it
  });

  it('is not sent again if it has not changed', async () => {
    const { headers } = await wire.call('GET', '/.well-known/agent.json');
    const again = await wire.fetch('GET', '/.well-known/agent.json', undefined, {
      'if-none-match': headers.get('etag')!,
    });
    expect(again.status).toBe(304);
    expect(headers.get('cache-control')).toContain('private');
  });
});

describe('send', () => {
  it('returns the stored task', async () => {
    const id = newTaskId();
    const { status, body } = await wire.send(id, channels);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      status: { state: 'submitted', timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
    });
  });

  it('returns the same task for an equal body in another notation', async () => {
    const id = newTaskId();
    await wire.send(id, channels);
    const done = await wire.until(id, 'completed');
    const retry = `{"message":{"parts":[{"data":{"arguments":{ },"tool":"workplace__list_channels"},"kind":"x"}],"role":"user"},"id":"${id}","y":1}`;
    await expect(wire.call('POST', '/tasks/send', retry)).resolves.toMatchObject({
      status: 200,
      body: { id, status: done.status },
    });
  });

  it('rejects another body if the task does not wait for input', async () => {
    const id = newTaskId();
    await wire.send(id, channels);
    await expect(wire.send(id, 'something else')).resolves.toMatchObject({
      status: 409,
      body: { code: 'task-exists' },
    });
    await wire.until(id, 'completed');
    await expect(wire.send(id, 'something else')).resolves.toMatchObject({
      status: 409,
      body: { code: 'task-exists' },
    });
  });

  it('creates separate tasks for one id from two agent identities', async () => {
    const id = newTaskId();
    const { wire: stranger } = await anotherAgentIdentity(fixture, server.url, 'Other');
    await wire.send(id, channels);
    await expect(stranger.call('GET', `/tasks/${id}`)).resolves.toMatchObject({
      status: 404,
      body: { code: 'task-not-found' },
    });
    await expect(stranger.call('POST', `/tasks/${id}/cancel`)).resolves.toMatchObject({ status: 404 });
    await expect(stranger.call('GET', `/tasks/${id}/events`)).resolves.toMatchObject({ status: 404 });
    await expect(stranger.send(id, 'mine')).resolves.toMatchObject({ status: 200 });
    await expect(stranger.call('GET', '/tasks')).resolves.toMatchObject({ body: { tasks: [{ id }] } });
  });

  const body = (parts: string, id = `"bad"`) => `{"id": ${id}, "message": {"role": "user", "parts": ${parts}}}`;
  it.each([
    ['invalid JSON', '{"id"', 400, ['']],
    ['an empty body', '', 400, undefined],
    ['no message', '{"id": "bad"}', 400, ['/message']],
    ['an id that would be a path', body('[{"text": "x"}]', '"../x"'), 400, ['/id']],
    ['a lone surrogate', body('[{"text": "\\ud83d"}]'), 400, ['/message/parts/0/text']],
    ['NUL', body('[{"text": "\\u0000"}]'), 400, ['/message/parts/0/text']],
    ['several errors', body('[{"text": 1}, {}]', '""'), 400, ['/id', '/message/parts/0/text']],
    [
      'arguments with a duplicate key',
      body('[{"data": {"tool": "x", "arguments": {"a": 1, "a": 2}}}]'),
      400,
      ['/message/parts/0/data/arguments/a'],
    ],
    [
      'arguments with __extn',
      body('[{"data": {"arguments": {"__extn": {"fn": "ip"}}}}]'),
      400,
      ['/message/parts/0/data/arguments/__extn'],
    ],
    [
      'arguments beyond 2^53',
      body('[{"data": {"arguments": {"n": 9007199254740993}}}]'),
      400,
      ['/message/parts/0/data/arguments/n'],
    ],
    ['depth 33', body(`[{"data": ${'['.repeat(33)}${']'.repeat(33)}}]`), 400, undefined],
    ['101 parts', body(`[${Array(101).fill('{"text":"x"}').join()}]`), 413, ['/message/parts']],
    [
      'a text of 256 KiB and a byte',
      body(`[{"text": "${'x'.repeat(256 * 1024 + 1)}"}]`),
      413,
      ['/message/parts/0/text'],
    ],
    ['more than 1 MiB', body(`[{"data": "${'x'.repeat(1024 * 1024)}"}]`), 413, undefined],
  ])('rejects %s and changes nothing', async (_, text, status, pointers) => {
    for (const path of ['/tasks/send', '/tasks/sendSubscribe']) {
      const answer = await wire.call('POST', path, text);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toMatch('application/problem+json');
      expect(answer.body.code).toBe(status === 400 ? 'invalid-request' : 'too-large');
      if (pointers)
        expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
          expect.arrayContaining(pointers),
        );
    }
    await expect(wire.call('GET', '/tasks/bad')).resolves.toMatchObject({ status: 404 });
  });

  it('rejects another content type', async () => {
    await expect(
      wire.call('POST', '/tasks/send', body('[{"text":"x"}]'), { 'content-type': 'text/plain' }),
    ).resolves.toMatchObject({
      status: 415,
      body: { code: 'unsupported-media-type' },
    });
  });
});

describe('get', () => {
  it('returns artifacts after completion, and the history on request', async () => {
    const id = newTaskId();
    await wire.send(id, channels);
    const task = await wire.until(id, 'completed');
    expect(task.artifacts).toEqual(
      expect.arrayContaining([expect.objectContaining({ artifactId: expect.any(String), parts: expect.any(Array) })]),
    );
    expect(task.history).toBeUndefined();
    const { body } = await wire.call<WireTask>('GET', `/tasks/${id}?historyLength=5`);
    expect(body.history).toEqual([{ role: 'user', parts: [{ data: channels }] }]);
    await expect(wire.call('GET', `/tasks/${id}?historyLength=-1`)).resolves.toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/historyLength' }] },
    });
  });

  it.each(['never', 'a%2Fb', 'x'.repeat(500), '%00'])('does not find "%s"', async (id) => {
    await expect(wire.call('GET', `/tasks/${id}`)).resolves.toMatchObject({
      status: 404,
      body: { code: 'task-not-found' },
    });
  });
});

describe('the list', () => {
  it('is newest first, in pages, filtered by state', async () => {
    const { wire: lister } = await anotherAgentIdentity(fixture, server.url, 'Lister');
    const ids = [newTaskId(), newTaskId(), newTaskId()];
    for (const id of ids) {
      await lister.send(id, channels);
      await lister.until(id, 'completed');
    }
    const first = await lister.call('GET', '/tasks?limit=2');
    expect(first.body.tasks.map(({ id }: WireTask) => id)).toEqual([ids[2], ids[1]]);
    const second = await lister.call('GET', `/tasks?limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ tasks: [{ id: ids[0], status: { state: 'completed' } }], nextCursor: null });
    await expect(lister.call('GET', '/tasks?state=failed')).resolves.toMatchObject({ body: { tasks: [] } });
    await expect(lister.call('GET', '/tasks?state=completed')).resolves.toMatchObject({
      body: { tasks: [{}, {}, {}] },
    });
  });

  it.each([
    ['state=finished', '/state'],
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=1&limit=2', '/limit'],
  ])('rejects %s', async (query, pointer) => {
    await expect(wire.call('GET', `/tasks?${query}`)).resolves.toMatchObject({
      status: 400,
      body: { code: 'invalid-request', errors: [{ pointer }] },
    });
  });

  it.each(['nonsense', Buffer.from('["x"]').toString('base64url')])('rejects the cursor %s', async (cursor) => {
    await expect(wire.call('GET', `/tasks?cursor=${cursor}`)).resolves.toMatchObject({
      status: 400,
      body: { code: 'invalid-request' },
    });
  });
});

describe('a stream', () => {
  it('sends every state in order, the last one with artifacts, and closes', async () => {
    const id = newTaskId();
    const stream = await (await wire.subscribe(id, channels)).end();
    expect(stream.response.headers.get('content-type')).toMatch('text/event-stream');
    expect(stream.states).toEqual(['submitted', 'working', 'completed']);
    expect(stream.updates.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(stream.updates.map(({ event }) => event)).toEqual(Array(3).fill('task_update'));
    expect(stream.updates.map(({ data }) => data.final)).toEqual([false, false, true]);
    expect(stream.updates[2].data).toMatchObject({ id, artifacts: [expect.any(Object)] });
    expect(stream.updates[2].data).toEqual({ ...(await wire.get(id)), final: true });
  });

  it('can be read again from any event number', async () => {
    const id = newTaskId();
    await (await wire.subscribe(id, channels)).end();
    expect((await (await wire.events(id)).end()).states).toEqual(['submitted', 'working', 'completed']);
    expect((await (await wire.events(id, 1)).end()).states).toEqual(['working', 'completed']);
    expect((await (await wire.subscribe(id, channels)).end()).states).toEqual(['submitted', 'working', 'completed']);
    for (const seen of [3, 99]) expect((await (await wire.events(id, seen)).end()).updates).toEqual([]);
    await expect(wire.call('GET', `/tasks/${id}/events`, undefined, { 'last-event-id': 'x' })).resolves.toMatchObject({
      status: 400,
    });
  });

  it('is the same for all readers', async () => {
    const id = newTaskId();
    const first = await wire.subscribe(id, ticket);
    const others = await Promise.all([wire.events(id), wire.events(id, 1)]);
    await first.until('input-required');
    await wire.cancel(id);
    const readings = await Promise.all([first, ...others].map(async (stream) => (await stream.end()).updates));
    expect(readings[1]).toEqual(readings[0]);
    expect(readings[2]).toEqual(readings[0].slice(1));
    expect(first.states).toEqual(['submitted', 'working', 'input-required', 'canceled']);
  });

  it('releases its resources when its reader disconnects, and the task continues', async () => {
    const open = async () => (await server.app.get(MetricsService).streams.get()).values[0].value;
    const id = newTaskId();
    const stream = await wire.subscribe(id, channels);
    stream.close();
    await wire.until(id, 'completed');
    const deadline = Date.now() + 120_000;
    while ((await open()) > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(open()).resolves.toBe(0);
  });
});

describe('a stream whose key is revoked', () => {
  it('closes within the revalidation interval', async () => {
    const { wire: stranger, keyId } = await anotherAgentIdentity(fixture, server.url, 'Revoked while reading');
    const stream = await stranger.subscribe(newTaskId(), ticket);
    await stream.until('input-required');
    await fixture.get(KeysService).revoke(await fixture.principalOf(), keyId);
    await stream.end();
    expect(stream.states).toEqual(['submitted', 'working', 'input-required']);
  });
});

describe('cancel', () => {
  it('ends a task once and withdraws its pending approval', async () => {
    const id = newTaskId();
    await wire.send(id, ticket);
    const { status } = await wire.until(id, 'input-required');
    await expect(wire.cancel(id)).resolves.toMatchObject({ status: 200, body: { id, status: { state: 'canceled' } } });
    await expect(wire.cancel(id)).resolves.toMatchObject({ status: 409, body: { code: 'task-not-cancelable' } });
    await expect(wire.send(id, 'go on')).resolves.toMatchObject({ status: 409, body: { code: 'task-exists' } });
    const browser = await fixture.organization.browser(fixture.reviewer);
    const page = await (await browser.fetch(`/approvals/${status.metadata!.approvalId}`)).text();
    expect(page).not.toContain('value="approve"');
    await expect(
      workplace.arrivals().then((all) => all.filter(({ tool }) => tool === 'create_ticket')),
    ).resolves.toEqual([]);
  });

  it('rejects an ended task and an unknown task', async () => {
    const id = newTaskId();
    await wire.send(id, channels);
    await wire.until(id, 'completed');
    await expect(wire.cancel(id)).resolves.toMatchObject({ status: 409, body: { code: 'task-not-cancelable' } });
    await expect(wire.cancel('never')).resolves.toMatchObject({ status: 404, body: { code: 'task-not-found' } });
  });
});

describe('limits', () => {
  const processes: RunningServer[] = [];
  const another = async (settings: Record<string, string>) => {
    const running = await startServer(testConfig(server.databaseUrl, server.folder, { ROLE: 'web', ...settings }));
    processes.push(running);
    return running.app.get(Config).baseUrl;
  };
  afterAll(() => Promise.all(processes.map((running) => running.close())));

  it('apply to each key across all processes and are reported in headers', async () => {
    const limits = { LIMIT_SENDS_PER_MINUTE: '4', LIMIT_READS_PER_MINUTE: '1000' };
    const { wire: one, keyId } = await anotherAgentIdentity(fixture, await another(limits), 'Busy');
    const two = new Wire(one.base.replace(/^http:..[^/]+/, await another(limits)), one.key);
    const stored = async () => {
      const usage = `select sum(count)::int as count from key_usage where key_id = $1 and what = 'sends'`;
      const [{ count }] = await fixture
        .get(DatabaseService)
        .system('count sends', (tx) => runSql<{ count: number | null }>(tx, usage, [keyId]));
      return count;
    };
    await startOfMinute();
    const sent = [await one.send(newTaskId(), 'a'), await one.send(newTaskId(), 'b')];
    expect(sent.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['3', '2']);
    await expect.poll(stored).toBe(2);
    await two.send(newTaskId(), 'c');
    await expect.poll(stored).toBe(3);
    await expect(two.send(newTaskId(), 'd')).resolves.toMatchObject({ status: 200 });
    await expect.poll(stored).toBe(4);
    const refused = [await one.send(newTaskId(), 'e'), await two.send(newTaskId(), 'f')];
    // the first process has not synchronized since, so it may accept one more request
    expect(refused.map(({ status }) => status)).toContain(429);
    const { headers, body } = refused.find(({ status }) => status === 429)!;
    expect(body).toMatchObject({ code: 'rate-limited' });
    expect(headers.get('ratelimit-limit')).toBe('4');
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(two.call('GET', '/tasks')).resolves.toMatchObject({ status: 200 }); // reads have a separate limit
    await expect(wire.send(newTaskId(), 'g')).resolves.toMatchObject({ status: 200 }); // every key has its own limit
  });

  it('apply to streams, and a rejected stream creates no task', async () => {
    const { wire: reader } = await anotherAgentIdentity(fixture, await another({ LIMIT_STREAMS: '1' }), 'Reader');
    const id = newTaskId();
    const stream = await reader.subscribe(id, ticket);
    const refused = newTaskId();
    await expect(reader.call('POST', '/tasks/sendSubscribe', messageOf(refused, ['x']))).resolves.toMatchObject({
      status: 429,
    });
    await expect(reader.call('GET', `/tasks/${refused}`)).resolves.toMatchObject({ status: 404 });
    stream.close();
    await reader.cancel(id);
    const deadline = Date.now() + 120_000;
    for (let status = 429; status === 429;) {
      const response = await reader.fetch('GET', `/tasks/${id}/events`);
      status = response.status;
      await response.body?.cancel();
      expect(Date.now()).toBeLessThan(deadline);
    }
  });

  it('reject requests above the concurrency limit with a retry time', async () => {
    const { wire: many } = await anotherAgentIdentity(fixture, await another({ LIMIT_IN_FLIGHT: '2' }), 'Many');
    const answers = await Promise.all(Array.from({ length: 30 }, () => many.call('GET', '/tasks')));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].body).toMatchObject({ code: 'overloaded' });
    expect(refused[0].headers.get('retry-after')).toBe('1');
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  });
});

/** Counters reset every minute, which must not happen in the middle of a test. */
async function startOfMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 8000) await new Promise((resolve) => setTimeout(resolve, left + 50));
}
