import { afterAll, beforeAll, expect, it } from 'vitest';
import { GateFixture } from './kit/gate-fixture.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { TestSmtpServer } from './kit/smtp-server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let smtp: TestSmtpServer;
let fixture: GateFixture;
const workers: ServerProcess[] = [];

const patient = { timeout: 120_000, interval: 100 };

beforeAll(async () => {
  [workplace, smtp, server] = await Promise.all([
    Workplace.start(),
    TestSmtpServer.start(),
    testServer({ ROLE: 'web' }), // other processes send the notifications
  ]);
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await server.close();
  await Promise.all([workplace.stop(), smtp.close()]);
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, {
    ROLE: 'worker',
    SMTP_URL: smtp.url,
    SMTP_FROM: 'countersign@example.com',
    SMTP_TLS: 'optional',
    NOTIFICATION_DIGEST_SECONDS: '0',
    NOTIFICATION_RETRY_SECONDS: '1',
  });
  workers.push(worker);
  return worker;
}
const emails = () => smtp.received.filter(({ to }) => to.includes(fixture.reviewer.email));

it('sends notifications of a time without a worker, and keeps the message id when the worker is killed', async () => {
  await fixture.call('create_ticket', { title: 'First' });
  smtp.faults.push('store-and-hang');
  const first = await newWorker();
  await expect.poll(() => emails().length, patient).toBe(1);
  await first.kill('SIGKILL'); // the message was sent, and this was not recorded
  await newWorker();
  await expect.poll(() => emails().length, patient).toBe(2);
  expect(new Set(emails().map(({ messageId }) => messageId)).size).toBe(1);
  await fixture.call('create_ticket', { title: 'Second' });
  await expect.poll(() => emails().length, patient).toBe(3);
  expect(emails()[2].messageId).not.toBe(emails()[0].messageId);
});
