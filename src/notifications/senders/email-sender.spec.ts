import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Config } from '../../platform/config/config.js';
import type { NotificationMessage } from '../notification-message.js';
import { EmailSenderService } from './email-sender.service.js';

const message: NotificationMessage = {
  id: 'm1',
  organization: 'Larkmoor',
  items: [],
  moreCount: 1,
  homeUrl: 'https://countersign.example/console',
};

let server: Server;
let sockets: Set<Socket>;
let answerMail: (socket: Socket) => void;

beforeEach(async () => {
  sockets = new Set();
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.write('220 ready\r\n');
    socket.on('data', (data) => {
      if (String(data).startsWith('MAIL')) answerMail(socket);
      else socket.write('250 hello\r\n');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const send = () => {
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = Config.from({ SMTP_URL: url, SMTP_FROM: 'c@example.com', SMTP_TLS: 'optional' });
  return new EmailSenderService(config).send('rita@example.com', message);
};

it('hangs up on a server that answers without an end, so that the message cannot arrive after its repetition', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isAsked = false;
  answerMail = (socket) => {
    isAsked = true;
    const trickle = setInterval(() => socket.write('250-wait\r\n'), 20);
    socket.on('close', () => clearInterval(trickle));
  };
  const sending = expect(send()).rejects.toThrow('did not answer in time');
  await expect.poll(() => isAsked).toBe(true);
  vi.advanceTimersByTime(61_000);
  await sending;
  await expect.poll(() => sockets.size).toBe(0);
});

it('reports an answer of any length as text that can be stored', async () => {
  for (const length of [296, 297, 298, 299]) {
    answerMail = (socket) => socket.write(`550 ${'x'.repeat(length - 60)}${'😀'.repeat(60)}\r\n`);
    const failure = await send().catch((error: unknown) => error as Error);
    expect((failure as Error).message).toMatch(/^SMTP: .*x/);
    expect((failure as Error).message.isWellFormed()).toBe(true);
  }
});
