import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SyslogSenderService } from '../src/audit-streams/senders/syslog-sender.service.js';
import { OutboundTlsClient } from '../src/platform/http/outbound-tls-client.service.js';
import { testConfig } from './kit/server.js';
import { testCertificate } from './kit/tls-certificate.js';

/* The receiver is another process: in the same one, it could not close the connection between two of our steps. */

const receiver = `
import { createServer } from 'node:tls';
const raws = new Map();
const mode = process.argv[2];
const server = createServer(${JSON.stringify(testCertificate)}, (socket) => {
  socket.on('error', () => undefined);
  if (mode === 'close') return socket.destroy();
  socket.on('data', () => mode === 'reset' && raws.get(socket.remotePort)?.resetAndDestroy());
});
server.on('connection', (raw) => raws.set(raw.remotePort, raw.on('error', () => undefined)));
server.on('tlsClientError', () => undefined);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;
const script = path.join(mkdtempSync(path.join(tmpdir(), 'syslog-')), 'receiver.mjs');
writeFileSync(script, receiver);
const config = testConfig('postgres://localhost/unused', tmpdir());
const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill()));

async function send(mode: string, times: number): Promise<string[]> {
  const child = fork(script, [mode], { execArgv: [] });
  children.push(child);
  const port = await new Promise<number>((resolve) => child.once('message', (given) => resolve(given as number)));
  const sender = new SyslogSenderService(config, new OutboundTlsClient(config));
  const events = Array.from({ length: 100 }, (_, position) => ({ position, kind: 'x'.repeat(1000) }));
  const batch = { id: 'a', tenantId: 't', events, heads: [] };
  const settings = {
    address: `127.0.0.1:${port}`,
    headers: [],
    caCertificate: testCertificate.cert,
    signingSecret: null,
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, () => sender.send(batch, settings, AbortSignal.timeout(60_000))),
  );
  return [...new Set(outcomes.map(({ status }) => status))];
}

describe('a batch of syslog messages', () => {
  it('counts as received when the receiver has read it to the end', async () => {
    expect(await send('read', 3)).toEqual(['fulfilled']);
  });

  it.each(['reset', 'close'])('is sent again after the receiver lost the connection (%s)', async (mode) => {
    expect(await send(mode, 20)).toEqual(['rejected']);
  });
});
