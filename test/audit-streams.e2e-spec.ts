import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuditStreamKind, auditStreamKinds } from '../src/audit-streams/audit-stream.entity.js';
import { AuditLogKit } from './kit/audit-log.js';
import { AuditReceivers, logRecordsOf } from './kit/audit-receivers.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { status } from './kit/webhook-target.js';

const patient = { timeout: 120_000, interval: 100 };
const kinds = Object.keys(auditStreamKinds) as AuditStreamKind[];

let server: TestServer;
let kit: AuditLogKit;
let receivers: AuditReceivers;
let lark: Organization;
let admin: GraphqlRequest;

beforeAll(async () => {
  server = await testServer();
  kit = await AuditLogKit.start(server);
});
afterAll(async () => {
  await receivers.close();
  await kit.close();
  await server.close();
});
beforeEach(async () => {
  // streams of the test before lose their receiver
  await receivers?.close();
  await kit.owner.query('delete from audit_streams');
  receivers = await AuditReceivers.start();
  lark = await anOrganization(server);
  admin = await lark.as();
});

const fields = `id name kind target position sentCount skippedCount attempts lastError lastSentAt pausedAt nextAttemptAt stoppedAt rejectedCount
  backlog { count since }`;
const createStream = `mutation ($input: CreateAuditStreamInput!) { createAuditStream(input: $input) {
  signingSecret stream { ${fields} } } }`;
async function addStream(kind: AuditStreamKind, input: object = { fromPosition: 0 }) {
  const answer = await admin(createStream, { input: { name: `To ${kind}`, ...receivers.inputOf(kind), ...input } });
  expect(answer.errors).toBeUndefined();
  return answer.data.createAuditStream as { signingSecret: string | null; stream: { id: string; target: string } };
}
const streams = async () => (await admin(`{ auditStreams { ${fields} } }`)).data.auditStreams;
const sealedCount = async () => (await kit.sealedCount(lark)) as number;
const upTo = (count: number) => Array.from({ length: count }, (_, position) => position);

describe.each(kinds)('a stream by %s', (kind) => {
  it('delivers all events in their sealed order, then those that follow', async () => {
    await kit.record(lark, 700);
    await kit.sealEverything(lark);
    await addStream(kind);
    await expect.poll(() => receivers.positionsOf(kind).length, patient).toBeGreaterThanOrEqual(700);
    await kit.record(lark, 20);
    await kit.sealEverything(lark);
    const count = await sealedCount();
    await expect.poll(() => receivers.positionsOf(kind).length, patient).toBeGreaterThanOrEqual(count);
    const positions = receivers.positionsOf(kind);
    expect(positions).toEqual(upTo(positions.length));
    await expect.poll(streams, patient).toMatchObject([{ kind, lastError: null, backlog: { count: 0 } }]);
  });

  it('delivers the signed heads too', async () => {
    await addStream(kind, {});
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    await expect
      .poll(() => receivers.linesOf(kind).some((line) => line.startsWith('{"head":{"tenantId"')), patient)
      .toBe(true);
  });

  it('repeats what a receiver did not accept, and reports why', async () => {
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    const { otlp, webhook, syslog } = receivers;
    for (const target of [otlp, webhook])
      target.nextAnswers.push(status(500), (response) => response.destroy(), status(503, { 'retry-after': '1' }));
    syslog.faults.push('cut', 'cut', 'cut');
    await addStream(kind);
    await expect.poll(async () => (await streams())[0].attempts, patient).toBeGreaterThan(0);
    const [{ lastError }] = await streams();
    expect(lastError).toMatch(/status 500|lost/);
    await expect.poll(() => receivers.positionsOf(kind).length, patient).toBeGreaterThanOrEqual(await sealedCount());
    expect(receivers.positionsOf(kind)).toEqual(upTo(receivers.positionsOf(kind).length));
    await expect.poll(streams, patient).toMatchObject([{ attempts: 0, lastError: null }]);
  });

  it('does not wait for a receiver that hangs', async () => {
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    receivers[kind === 'syslog' ? 'otlp' : kind].nextAnswers.push(() => undefined);
    receivers.syslog.faults.push('hang');
    await addStream(kind);
    await expect.poll(async () => (await streams())[0].lastError, patient).toMatch(/in time/);
    await expect.poll(() => receivers.positionsOf(kind).length, patient).toBeGreaterThanOrEqual(await sealedCount());
  });
});

describe('a receiver of OTLP', () => {
  it.each([
    ['a page', '<!doctype html><title>Sign in</title>'],
    ['an error', '{"error":{"message":"the token has expired"}}'],
    ['errors', '{"errors":true,"items":[]}'],
    ['an unknown form', '{"partialSuccess":{"rejectedLogRecords":"some"}}'],
  ])('that answers status 200 with %s has accepted nothing', async (_what, body) => {
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    receivers.otlp.nextAnswers.push((response) => void response.writeHead(200).end(body));
    await addStream('otlp');
    await expect.poll(() => receivers.positionsOf('otlp').length, patient).toBeGreaterThanOrEqual(await sealedCount());
    const positions = receivers.positionsOf('otlp');
    expect(positions).toEqual(upTo(positions.length));
    await expect.poll(streams, patient).toMatchObject([{ lastError: null, backlog: { count: 0 } }]);
  });

  it('that answers status 204 or 200 without a body has accepted everything', async () => {
    await kit.record(lark, 3);
    await kit.sealEverything(lark);
    receivers.otlp.answer = status(204);
    receivers.otlp.nextAnswers.push(status(200));
    await addStream('otlp');
    await expect.poll(streams, patient).toMatchObject([{ lastError: null, backlog: { count: 0 } }]);
  });
});

describe('the wire format', () => {
  beforeEach(async () => {
    await kit.record(lark, 2);
    await kit.sealEverything(lark);
  });
  const eventsInSql = async () =>
    (
      await kit.owner.query<{ id: string; kind: string; at: Date }>(
        `select e.id, e.kind, e.at from audit_seals s join audit_events e on e.tenant_id = s.tenant_id and e.id = s.event_id
         where s.tenant_id = $1 order by s.position`,
        [lark.tenant.id],
      )
    ).rows;

  it('of a webhook is JSON Lines as in an export, with a signature of Standard Webhooks', async () => {
    const { signingSecret } = await addStream('webhook');
    await expect.poll(() => receivers.webhook.received.length, patient).toBeGreaterThan(0);
    const [{ body, headers }] = receivers.webhook.received;
    expect(headers['content-type']).toBe('application/jsonl; charset=utf-8');
    const webhook = new Webhook(signingSecret!);
    const signed = headers as Record<string, string>;
    expect(() => webhook.verify(body, signed, { jsonParse: false })).not.toThrow();
    expect(() => webhook.verify(`${body} `, signed, { jsonParse: false })).toThrow('signature');
    const exported = await (await lark.browser()).fetch('/console/exports/audit.jsonl');
    const [first, second] = body.split('\n');
    expect((await exported.text()).startsWith(`${first}\n${second}\n`)).toBe(true);
  });

  it('of OTLP is the JSON encoding of log records', async () => {
    await addStream('otlp');
    await expect.poll(() => receivers.otlp.received.length, patient).toBeGreaterThan(0);
    const [{ body, headers, path }] = receivers.otlp.received;
    expect(path).toBe('/v1/logs');
    expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Api-Token s3cret' });
    const [event] = await eventsInSql();
    const [record] = logRecordsOf(body);
    expect(record).toMatchObject({
      timeUnixNano: `${event.at.getTime()}000000`,
      eventName: event.kind,
      severityNumber: 9,
    });
    expect(record.attributes).toContainEqual({ key: 'log.record.uid', value: { stringValue: event.id } });
    expect(record.attributes).toContainEqual({ key: 'countersign.position', value: { intValue: '0' } });
  });

  it('of syslog is RFC 5424', async () => {
    await addStream('syslog');
    await expect.poll(() => receivers.syslog.received.length, patient).toBeGreaterThan(0);
    const [event] = await eventsInSql();
    const [{ header, structuredData, text }] = receivers.syslog.received;
    expect(header).toEqual(['<110>1', event.at.toISOString(), '127.0.0.1', 'countersign', '-', event.kind]);
    expect(structuredData).toBe(`[countersign@32473 id="${event.id}" position="0" tenant="${lark.tenant.id}"]`);
    expect(JSON.parse(text)).toMatchObject({ id: event.id, position: 0 });
  });

  it('shows an event that somebody has deleted', async () => {
    const id = await kit.idAt(lark, 1);
    await kit.tamper(lark.tenant.id, ['delete from audit_events where tenant_id = $1 and id = $2', id]);
    await addStream('syslog');
    await expect.poll(() => receivers.syslog.received.length, patient).toBeGreaterThan(2);
    const { header, text } = receivers.syslog.received[1];
    expect([header[0], header[5]]).toEqual(['<109>1', 'audit.event_missing']);
    expect(JSON.parse(text)).toEqual({ id, position: 1, leaf: expect.any(String) as string });
  });
});

describe('a gap', () => {
  it('is reported as a missing event unless retention has left it', async () => {
    await kit.record(lark, 6);
    await kit.sealEverything(lark);
    await kit.tamper(lark.tenant.id, [
      'delete from audit_events using audit_seals s where s.tenant_id = $1 and s.position = 2 and id = s.event_id',
    ]);
    await kit.tamper(lark.tenant.id, ['delete from audit_seals where tenant_id = $1 and position = 2']);
    await addStream('webhook');
    await expect.poll(() => receivers.positionsOf('webhook').length, patient).toBeGreaterThan(4);
    expect(receivers.linesOf('webhook')[2]).toBe('{"position":2}');
    await expect.poll(streams, patient).toMatchObject([{ skippedCount: 0 }]);
  });
});

describe('an administrator', () => {
  it('starts with the next event by default, and can start anywhere', async () => {
    await kit.record(lark, 5);
    await kit.sealEverything(lark);
    const before = await sealedCount();
    await addStream('webhook', {});
    await expect.poll(() => receivers.positionsOf('webhook'), patient).toContain(before);
    expect(Math.min(...receivers.positionsOf('webhook'))).toBe(before);
    await addStream('otlp', { fromPosition: 2 });
    await expect.poll(() => receivers.positionsOf('otlp')[0], patient).toBe(2);
  });

  it('pauses a stream, which then continues at the same event', async () => {
    const { stream } = await addStream('webhook');
    const setPaused = (isPaused: boolean) =>
      admin('mutation ($input: SetAuditStreamPausedInput!) { setAuditStreamPaused(input: $input) { pausedAt } }', {
        input: { id: stream.id, isPaused },
      });
    expect((await setPaused(true)).data.setAuditStreamPaused.pausedAt).not.toBeNull();
    await kit.record(lark, 5);
    await kit.sealEverything(lark);
    await expect.poll(async () => (await streams())[0].backlog.count, patient).toBeGreaterThanOrEqual(5);
    const [{ position }] = await streams();
    await setPaused(false);
    await expect.poll(async () => (await streams())[0].backlog.count, patient).toBe(0);
    expect(receivers.positionsOf('webhook')).toEqual(upTo(receivers.positionsOf('webhook').length));
    expect((await streams())[0].position).toBeGreaterThan(position);
  });

  it('retries at once, and removes a stream', async () => {
    receivers.webhook.nextAnswers.push(status(503, { 'retry-after': '3000' }));
    const { stream } = await addStream('webhook');
    await expect.poll(async () => (await streams())[0].attempts, patient).toBe(1);
    const input = { id: stream.id };
    await admin('mutation ($input: AuditStreamInput!) { retryAuditStream(input: $input) { id } }', { input });
    await expect.poll(() => receivers.positionsOf('webhook').length, patient).toBeGreaterThan(0);
    await admin('mutation ($input: AuditStreamInput!) { removeAuditStream(input: $input) { id } }', { input });
    expect(await streams()).toEqual([]);
    const again = await admin('mutation ($input: AuditStreamInput!) { removeAuditStream(input: $input) { id } }', {
      input,
    });
    expect(again.code).toBe('audit-stream-not-found');
    const { data } = await admin('{ auditEvents(first: 10, kind: "audit_stream.") { nodes { kind } } }');
    expect(data.auditEvents.nodes.map((event: { kind: string }) => event.kind)).toEqual([
      'audit_stream.removed',
      'audit_stream.retried',
      'audit_stream.created',
    ]);
  });

  it('sees what retention removed before it was sent', async () => {
    await addStream('webhook', { fromPosition: 0 });
    const [{ id }] = await streams();
    await admin('mutation ($input: SetAuditStreamPausedInput!) { setAuditStreamPaused(input: $input) { id } }', {
      input: { id, isPaused: true },
    });
    await kit.owner.query('update audit_streams set position = 0, head_size = 0, lease_token = null');
    await kit.record(lark, 5);
    await kit.sealEverything(lark);
    const removed = await kit.removeAll(lark);
    await kit.record(lark, 1);
    await admin('mutation ($input: SetAuditStreamPausedInput!) { setAuditStreamPaused(input: $input) { id } }', {
      input: { id, isPaused: false },
    });
    await expect.poll(streams, patient).toMatchObject([{ skippedCount: removed, backlog: { count: 0 } }]);
  });

  it('sees small batches after many failures', async () => {
    await kit.record(lark, 20);
    await kit.sealEverything(lark);
    receivers.webhook.answer = status(500);
    const { stream } = await addStream('webhook');
    await expect.poll(async () => (await streams())[0].attempts, patient).toBeGreaterThan(0);
    await kit.owner.query('update audit_streams set attempts = 32, next_attempt_at = now() where id = $1', [stream.id]);
    await expect.poll(async () => (await streams())[0].attempts, patient).toBe(33);
    expect(receivers.webhook.received.at(-1)!.body.split('\n').filter(Boolean)).toHaveLength(1);
  });

  it('skips an event that the receiver rejects, after the stream has stopped there', async () => {
    await kit.record(lark, 6);
    await kit.sealEverything(lark);
    const bad = await kit.idAt(lark, 3);
    const accept = receivers.otlp.answer;
    receivers.otlp.answer = (response, request) => {
      if (!request.body.includes(bad)) return accept(response, request);
      const partialSuccess = { rejectedLogRecords: '1', errorMessage: 'bad \0 \ud800 record' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ partialSuccess }));
    };
    const { stream } = await addStream('otlp');
    await expect.poll(async () => (await streams())[0].stoppedAt, patient).not.toBeNull();
    expect((await streams())[0]).toMatchObject({ position: 3, sentCount: 3, attempts: 1 });
    expect((await streams())[0].lastError).toMatch(/rejected 1 log records: bad +record/);
    const skip = () =>
      admin('mutation ($input: AuditStreamInput!) { skipAuditStreamEvent(input: $input) { position } }', {
        input: { id: stream.id },
      });
    expect((await skip()).data.skipAuditStreamEvent.position).toBe(4);
    await expect.poll(streams, patient).toMatchObject([{ rejectedCount: 1, stoppedAt: null, backlog: { count: 0 } }]);
    expect(receivers.positionsOf('otlp')).not.toContain(3);
    expect((await skip()).code).toBe('audit-stream-not-stopped');
  });

  it('sends streams although another organization has many slow receivers', async () => {
    receivers.webhook.answer = () => undefined;
    for (let n = 0; n < 9; n++) await addStream('webhook');
    const wren = await anOrganization(server);
    await (
      await wren.as()
    )(createStream, { input: { name: 'Quick', ...receivers.inputOf('otlp'), fromPosition: 0 } });
    await expect.poll(() => receivers.eventsOf('otlp').length, patient).toBeGreaterThan(0);
    const { rows } = await kit.owner.query<{ leased: number }>(
      'select count(*)::int as leased from audit_streams where tenant_id = $1 and lease_until > now()',
      [lark.tenant.id],
    );
    expect(rows[0].leased).toBeLessThanOrEqual(2);
  });

  it('stores the address and its credentials sealed, and sees only the host', async () => {
    const address = `${receivers.webhook.url}/audit?key=SECRETKEY`;
    const { stream } = await addStream('webhook', { address });
    expect(stream.target).toBe(new URL(address).host);
    const { rows } = await kit.owner.query<{ text: string }>('select audit_streams::text as text from audit_streams');
    expect(rows[0].text).not.toContain('SECRETKEY');
    const { data } = await admin('{ auditEvents(first: 10) { nodes { kind detail } } }');
    expect(JSON.stringify(data)).not.toContain('SECRETKEY');
  });
});

describe('a stream is refused', () => {
  const refused = async (input: object) =>
    admin(createStream, { input: { name: 'Logs', ...receivers.inputOf('webhook'), ...input } });

  it('without a session, without the permission, and beyond ten', async () => {
    const member = await lark.as(await lark.member());
    expect((await member('{ auditStreams { id } }')).code).toBe('forbidden');
    expect((await member(createStream, { input: { name: 'x', ...receivers.inputOf('webhook') } })).code).toBe(
      'forbidden',
    );
    for (let n = 0; n < 10; n++) await addStream('webhook', {});
    expect((await refused({})).code).toBe('too-many-audit-streams');
  });

  it('with incomplete settings', async () => {
    for (const input of [
      { address: 'ftp://logs.example' },
      { address: 'http://10.1.2.3/' },
      { fromPosition: 1_000_000 },
      { address: 'https://user:password@logs.example' },
      { kind: 'syslog', address: 'https://logs.example' },
      { kind: 'syslog', address: 'logs.example:0' },
      { kind: 'syslog', address: 'logs.example', caCertificate: 'none' },
      { caCertificate: receivers.syslog.ca },
      { headers: [{ name: 'webhook-id', value: 'a' }] },
      { kind: 'syslog', address: 'logs.example', headers: [{ name: 'x-key', value: 'a' }] },
      { kind: 'otlp', headers: [{ name: 'Content-Length', value: '1' }] },
      { kind: 'otlp', headers: [{ name: 'x-key', value: 'a\r\nb: c' }] },
      { fromPosition: -1 },
    ])
      expect((await refused(input)).code, JSON.stringify(input)).toBe('invalid-request');
  });

  it('by the address guard: link-local and unlisted private addresses get no connection', async () => {
    for (const [kind, address] of [
      ['webhook', 'https://169.254.169.254/'],
      ['otlp', 'https://10.1.2.3/v1/logs'],
      ['syslog', '169.254.169.254:6514'],
      ['syslog', '10.1.2.3:6514'],
    ] as const) {
      await kit.owner.query('delete from audit_streams');
      await addStream(kind, { address, fromPosition: 0, headers: [], caCertificate: null });
      await expect.poll(async () => (await streams())[0].lastError, patient).toMatch(/range/);
    }
  });

  it('by a syslog server with an unknown certificate', async () => {
    await addStream('syslog', { caCertificate: null });
    await expect.poll(async () => (await streams())[0].lastError, patient).toMatch(/no secure connection/);
    expect(receivers.syslog.received).toEqual([]);
  });
});
