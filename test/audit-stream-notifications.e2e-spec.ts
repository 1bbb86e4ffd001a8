import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuditLogKit } from './kit/audit-log.js';
import { AuditReceivers } from './kit/audit-receivers.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { TestSmtpServer } from './kit/smtp-server.js';
import { status } from './kit/webhook-target.js';

/* Administrators are notified once of an outage of an audit stream, and once of its end. */

const patient = { timeout: 120_000, interval: 100 };

let server: TestServer;
let smtp: TestSmtpServer;
let kit: AuditLogKit;
let receivers: AuditReceivers;
let lark: Organization;
let admin: GraphqlRequest;

beforeAll(async () => {
  smtp = await TestSmtpServer.start();
  server = await testServer({
    SMTP_URL: smtp.url,
    SMTP_FROM: 'countersign@example.com',
    SMTP_TLS: 'optional',
    NOTIFICATION_DIGEST_SECONDS: '0',
  });
  kit = await AuditLogKit.start(server);
});
afterAll(async () => {
  await kit.close();
  await server.close();
  await smtp.close();
});
beforeEach(async () => {
  receivers = await AuditReceivers.start();
  lark = await anOrganization(server);
  admin = await lark.as();
  await kit.record(lark, 5);
  await kit.sealEverything(lark);
});
afterEach(async () => {
  await kit.owner.query('delete from audit_streams');
  await receivers.close();
});

async function addStream(kind: 'webhook' | 'otlp'): Promise<string> {
  const { data, errors } = await admin(
    'mutation ($input: CreateAuditStreamInput!) { createAuditStream(input: $input) { stream { id } } }',
    { input: { name: 'To the SIEM', ...receivers.inputOf(kind), fromPosition: 0 } },
  );
  expect(errors).toBeUndefined();
  return data.createAuditStream.stream.id as string;
}
const change = (mutation: string, id: string) =>
  admin(`mutation ($input: AuditStreamInput!) { ${mutation}(input: $input) { id } }`, { input: { id } });
const streamOf = async (id: string) => {
  const { rows } = await kit.owner.query<{ attempts: number; stopped_at: Date | null; last_error: string | null }>(
    'select attempts, stopped_at, last_error from audit_streams where id = $1',
    [id],
  );
  return rows[0];
};
/** The titles in all emails to the administrator. */
const titles = () =>
  smtp.received
    .filter(({ to }) => to.includes(lark.admin.email))
    .flatMap(({ text }) => text.match(/An audit stream [^:]+: “To the SIEM”/)?.[0] ?? []);

it('once after an hour without success, and once when the stream works again', async () => {
  receivers.webhook.answer = status(500);
  const id = await addStream('webhook');
  await expect.poll(async () => (await streamOf(id)).attempts, patient).toBeGreaterThan(1);
  expect(titles()).toEqual([]);
  await kit.owner.query(`update audit_streams set failing_since = now() - interval '61 minutes' where id = $1`, [id]);
  await change('retryAuditStream', id);
  await expect.poll(titles, patient).toEqual(['An audit stream has been failing for an hour or longer: “To the SIEM”']);
  const { attempts } = await streamOf(id);
  await change('retryAuditStream', id);
  await expect.poll(async () => (await streamOf(id)).attempts, patient).toBeGreaterThan(attempts);
  receivers.webhook.answer = status(204);
  await change('retryAuditStream', id);
  await expect.poll(titles, patient).toHaveLength(2);
  expect(titles()[1]).toBe('An audit stream works again: “To the SIEM”');

  // the next failure is a new outage, which is short so far
  receivers.webhook.answer = status(500);
  await kit.record(lark, 1);
  await kit.sealEverything(lark);
  await expect.poll(async () => (await streamOf(id)).attempts, patient).toBeGreaterThan(0);
  receivers.webhook.answer = status(204);
  await change('retryAuditStream', id);
  await expect.poll(async () => (await streamOf(id)).last_error, patient).toBeNull();
  expect(titles()).toHaveLength(2);
});

it('at once when a stream stops at an event that its receiver rejects', async () => {
  const bad = await kit.idAt(lark, 2);
  receivers.webhook.answer = (response, request) => status(request.body.includes(bad) ? 422 : 204)(response, request);
  const id = await addStream('webhook');
  await expect.poll(async () => (await streamOf(id)).stopped_at, patient).not.toBeNull();
  await expect
    .poll(titles, patient)
    .toEqual(['An audit stream stopped, because its receiver rejects an event: “To the SIEM”']);
  await change('skipAuditStreamEvent', id);
  await expect.poll(titles, patient).toHaveLength(2);
  expect(titles()[1]).toBe('An audit stream works again: “To the SIEM”');
});
