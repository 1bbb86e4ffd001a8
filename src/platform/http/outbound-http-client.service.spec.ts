import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Config } from '../config/config.js';
import { OutboundHttpClient } from './outbound-http-client.service.js';
import type { OutboundRequestInit } from './outbound-http-client.service.js';

const routes: Record<string, http.RequestListener> = {
  '/echo': (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () =>
      res.end(JSON.stringify({ method: req.method, headers: req.headers, body: Buffer.concat(chunks).toString() })),
    );
  },
  '/empty': (_req, res) => void res.writeHead(204).end(),
  '/hang': () => undefined,
  '/stall': (_req, res) => void res.write('once'),
  '/break': (_req, res) => void res.write('some', () => res.destroy()),
  '/bomb': (_req, res) =>
    void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(4_000_000))),
  '/packed': (_req, res) =>
    void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked'.repeat(50_000))),
  '/mispacked': (_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  '/values': (_req, res) => void res.end(`[${'0,'.repeat(300_000)}0]`),
  '/packed-values': (_req, res) =>
    void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`[${'0,'.repeat(300_000)}0]`)),
  '/large': (_req, res) => void res.end(Buffer.alloc(4_000_000, 'x')),
  '/loop': (_req, res) => void res.writeHead(302, { location: '/loop' }).end(),
  '/to-metadata': (_req, res) =>
    void res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  '/to-file': (_req, res) => void res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/see-other': (_req, res) => void res.writeHead(303, { location: '/echo' }).end(),
  '/keep-method': (_req, res) => void res.writeHead(307, { location: '/echo' }).end(),
  '/to-other-name': (req, res) =>
    void res.writeHead(307, { location: `http://localhost:${req.socket.localPort}/echo` }).end(),
};

const fromPublicOnly = new OutboundHttpClient(Config.from({}));
const outbound = new OutboundHttpClient(Config.from({ ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128,169.254.0.0/16' }));
let server: http.Server;
let base: string;

beforeAll(async () => {
  server = http.createServer((req, res) => routes[req.url ?? '']?.(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await Promise.all([fromPublicOnly.onApplicationShutdown(), outbound.onApplicationShutdown()]);
  server.closeAllConnections();
  server.close();
});

const get = (path: string, init?: OutboundRequestInit) => outbound.fetch(`${base}${path}`, init);
const echo = async (path: string, init?: OutboundRequestInit) =>
  (await (await get(path, init)).json()) as { method: string; headers: Record<string, string>; body: string };

describe('the outbound HTTP client', () => {
  it('works like fetch', async () => {
    const answer = await echo('/echo', { method: 'POST', body: 'hello', headers: { 'x-key': 'k' } });
    expect(answer).toMatchObject({ method: 'POST', body: 'hello', headers: { 'x-key': 'k' } });
    expect((await get('/empty')).status).toBe(204);
    const viaRequest = await outbound.asFetch()(new Request(`${base}/echo`, { method: 'PUT', body: 'x' }));
    await expect(viaRequest.json()).resolves.toMatchObject({ method: 'PUT', body: 'x' });
  });

  it('rejects private addresses, literal or resolved, unless the operator allows them', async () => {
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1']) {
      await expect(fromPublicOnly.fetch(`http://${host}:${port}/echo`)).rejects.toMatchObject({
        code: 'address-refused',
        isSent: false,
      });
    }
  });

  it('never connects to link-local addresses, allowed or not, directly or after a redirect', async () => {
    await expect(outbound.fetch('http://169.254.169.254/')).rejects.toMatchObject({ code: 'address-refused' });
    await expect(outbound.fetch('http://[::ffff:169.254.169.254]/')).rejects.toMatchObject({ code: 'address-refused' });
    await expect(get('/to-metadata')).rejects.toMatchObject({ code: 'address-refused' });
  });

  it('connects to addresses that the operator configured, except for ranges that are always blocked', async () => {
    const answer = await fromPublicOnly.asFetch({ isOperatorAddress: true })(`${base}/echo`);
    expect(answer.status).toBe(200);
    await expect(fromPublicOnly.fetch('http://169.254.169.254/', { isOperatorAddress: true })).rejects.toMatchObject({
      code: 'address-refused',
    });
  });

  it('accepts only http(s) URLs without credentials', async () => {
    for (const url of [
      'file:///etc/passwd',
      'ftp://example.com',
      'data:text/plain,x',
      'nonsense',
      `http://user:secret@127.0.0.1/`,
      'http://mail.example.com:25/',
    ]) {
      await expect(outbound.fetch(url)).rejects.toMatchObject({ code: 'url-refused', isSent: false });
    }
    await expect(get('/to-file')).rejects.toMatchObject({ code: 'url-refused' });
  });

  it('follows a limited number of redirects, depending on the redirect mode', async () => {
    await expect(get('/loop')).rejects.toMatchObject({ code: 'redirect-refused' });
    await expect(get('/loop', { redirect: 'error' })).rejects.toMatchObject({ code: 'redirect-refused' });
    expect((await get('/loop', { redirect: 'manual' })).headers.get('location')).toBe('/loop');
    await expect(echo('/see-other', { method: 'POST', body: 'b' })).resolves.toMatchObject({ method: 'GET', body: '' });
    await expect(echo('/keep-method', { method: 'POST', body: 'b' })).resolves.toMatchObject({
      method: 'POST',
      body: 'b',
    });
  });

  it('does not send credentials to another origin after a redirect', async () => {
    const headers = { authorization: 'Bearer s', 'x-api-key': 's', cookie: 'a=s', 'content-type': 'text/plain' };
    const same = await echo('/keep-method', { method: 'POST', body: 'b', headers });
    expect(same.headers).toMatchObject(headers);
    const other = await echo('/to-other-name', { method: 'POST', body: 'b', headers });
    expect(JSON.stringify(other.headers)).not.toMatch(/"s"|=s|Bearer/);
    expect(other.headers['content-type']).toBe('text/plain');
  });

  it('aborts a response that takes too long', async () => {
    await expect(get('/hang', { headersTimeoutMs: 1000 })).rejects.toMatchObject({ code: 'timed-out', isSent: true });
    const stalled = await get('/stall', { idleTimeoutMs: 1000 });
    await expect(stalled.text()).rejects.toMatchObject({ code: 'timed-out' });
    const reason = new Error('enough');
    await expect(get('/hang', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('aborts a response that is too large after decompression', async () => {
    for (const path of ['/bomb', '/large']) {
      const answer = await get(path, { maxBytes: 100_000 });
      await expect(answer.text()).rejects.toMatchObject({ code: 'too-large' });
    }
  });

  it('aborts a response with too many keys and values, unless the operator configured the address', async () => {
    for (const path of ['/values', '/packed-values']) {
      await expect((await get(path)).text()).rejects.toMatchObject({ code: 'too-large' });
      expect(await (await get(path, { isOperatorAddress: true })).text()).toHaveLength(600_003);
    }
  });

  it('reads large and compressed responses to the end', async () => {
    expect(await (await get('/large')).text()).toHaveLength(4_000_000);
    expect(await (await get('/packed')).text()).toBe('unpacked'.repeat(50_000));
    await expect((await get('/mispacked')).text()).rejects.toMatchObject({ code: 'broken' });
    expect(await (await get('/large', { method: 'HEAD' })).text()).toBe('');
  });

  it('sets the content type and length of the body', async () => {
    const form = await echo('/echo', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) });
    expect(form).toMatchObject({ body: 'a=b+c', headers: { 'content-type': expect.stringMatching(/urlencoded/) } });
    const bytes = await echo('/echo', { method: 'POST', body: new TextEncoder().encode('ü') });
    expect(bytes).toMatchObject({ body: 'ü', headers: { 'content-length': '2' } });
  });

  it('stops when the caller aborts, also during the response body', async () => {
    const caller = new AbortController();
    const waiting = get('/hang', { signal: caller.signal });
    const stalled = await get('/stall', { signal: caller.signal });
    const reason = new Error('enough');
    setTimeout(() => caller.abort(reason), 100);
    await expect(waiting).rejects.toBe(reason);
    await expect(stalled.text()).rejects.toBe(reason);
  });

  it('reports whether a failed request may have been sent', async () => {
    const closed = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    let sent = 0;
    const onSent = () => void sent++;
    await expect(outbound.fetch(`http://127.0.0.1:${port}/`, { onSent })).rejects.toMatchObject({
      code: 'connect-failed',
      isSent: false,
    });
    await expect(outbound.fetch('http://does-not-exist.invalid/', { onSent })).rejects.toMatchObject({
      code: 'name-unknown',
      isSent: false,
    });
    await expect(outbound.fetch(base.replace('http', 'https'), { onSent })).rejects.toMatchObject({
      code: 'tls-failed',
      isSent: false,
    });
    expect(sent).toBe(0);
    const broken = await get('/break', { onSent });
    await expect(broken.text()).rejects.toMatchObject({ code: 'broken', isSent: true });
    expect(sent).toBe(1);
  });
});
