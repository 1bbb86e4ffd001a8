import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { redirectHost, redirectUriFault, redirectUriFaults } from './redirect-uri.js';

const web = { isNative: false };
const native = { isNative: true };

describe('a redirect URI', () => {
  it.each([
    'https://product.example/callback',
    'https://product.example',
    'https://product.example/',
    'https://product.example:8443/oauth/callback',
    'https://product.example/callback?tenant=7&view=a%20b',
    'https://xn--mnchen-3ya.example/callback',
    'https://intranet/callback',
    'https://192.0.2.7/callback',
    'https://localhost:3000/callback',
    'https://product.example/a/b/;v=1/(c)',
  ])('can be %s', (uri) => expect(redirectUriFault(uri, web)).toBeNull());

  it.each([
    'http://localhost:3118/callback',
    'http://127.0.0.1:8976/callback',
    'http://[::1]:8976/callback',
    'http://localhost',
    'https://app.product.example/claimed',
  ])('can be %s for a native client', (uri) => expect(redirectUriFault(uri, native)).toBeNull());

  it.each([
    ['', 'characters'],
    ['/callback', 'not a complete URL'],
    ['//product.example/callback', 'not a complete URL'],
    ['product.example/callback', 'not a complete URL'],
    ['https://', 'not a complete URL'],
    ['https:///callback', 'normalized form'],
    ['https:product.example/callback', 'normalized form'],
    ['https://product.example/callback#', 'fragment'],
    ['https://product.example/callback#part', 'fragment'],
    ['https://*.product.example/callback', 'patterns'],
    ['https://product.example/*', 'patterns'],
    ['https://ada@product.example/callback', 'user name'],
    ['https://ada:secret@product.example/callback', 'user name'],
    ['https://@product.example/callback', 'user name'],
    ['https://product.example@evil.example/callback', 'user name'],
    ['https://product.example./callback', 'dot at the end'],
    ['http://product.example/callback', 'use https'],
    ['http://192.168.0.1/callback', 'use https'],
    ['http://127.0.0.2/callback', 'use https'],
    ['http://localhost.evil.example/callback', 'use https'],
    ['http://localhost:3118/callback', 'only a native client'],
    ['javascript:alert(1)', 'not a complete URL'],
    ['data:text/html,hello', 'not a complete URL'],
    ['com.example.app:/callback', 'not a complete URL'],
    ['com.example.app://callback', 'neither https'],
    ['ftp://product.example/callback', 'neither https'],
    ['https://product.example/a/../callback', 'https://product.example/callback'],
    ['https://product.example/%2e%2e/callback', 'https://product.example/callback'],
    ['https://PRODUCT.example/callback', 'https://product.example/callback'],
    ['HTTPS://product.example/callback', 'https://product.example/callback'],
    ['https://product.example:443/callback', 'https://product.example/callback'],
    ['https://product.example:/callback', 'https://product.example/callback'],
    ['https://product.example?view=a', 'https://product.example/?view=a'],
    ['https://127.1/callback', 'https://127.0.0.1/callback'],
    ['https://%70roduct.example/callback', 'https://product.example/callback'],
    ['https://product.example:99999/callback', 'not a complete URL'],
    ['https://product.example\\.evil.example/callback', 'characters'],
    ['https://münchen.example/callback', 'https://xn--mnchen-3ya.example/callback'],
    ['https://аpple.example/callback', 'https://xn--pple-43d.example/callback'],
    ['https://product。example/callback', 'https://product.example/callback'],
    [' https://product.example/callback', 'characters'],
    ['https://product.example/call\nback', 'characters'],
    ['https://product.example/call\u202eback', 'characters'],
    ['https://product.example/\0', 'characters'],
    ['https://product.example/callback?code=1', '"code"'],
    ['https://product.example/callback?a=1&state=', '"state"'],
    ['https://product.example/callback?%73tate=1', '"state"'],
    [`https://product.example/${'a'.repeat(2000)}`, '2000'],
  ])('cannot be %j', (uri, reason) => expect(redirectUriFault(uri, web)).toContain(reason));

  it('cannot use https with a loopback address for a native client', () =>
    expect(redirectUriFault('https://localhost:3118/callback', native)).toContain('http://'));

  it('shows its host in ASCII form', () =>
    expect(redirectHost('https://xn--pple-43d.example:8443/x')).toBe('xn--pple-43d.example:8443'));
});

describe('a list of redirect URIs', () => {
  it('contains from one to twenty', () => {
    const many = Array.from({ length: 21 }, (_, index) => `https://product.example/${index}`);
    expect(redirectUriFaults([], web)).toEqual([
      { pointer: '/redirectUris', detail: 'must contain from 1 to 20 URLs' },
    ]);
    expect(redirectUriFaults(many, web)).toEqual([
      { pointer: '/redirectUris', detail: 'must contain from 1 to 20 URLs' },
    ]);
    expect(redirectUriFaults(many.slice(1), web)).toEqual([]);
  });

  it('reports invalid and duplicate entries with their positions', () =>
    expect(redirectUriFaults(['https://a.example/', 'http://a.example/', 'https://a.example/'], web)).toMatchObject([
      { pointer: '/redirectUris/1' },
      { pointer: '/redirectUris/2', detail: 'is a duplicate' },
    ]));
});

describe('a registered redirect URI', () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/);
  const host = fc.tuple(label, label).map((labels) => labels.join('.'));
  const path = fc
    .array(fc.stringMatching(/^[a-z0-9_~-]{1,8}$/), { maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`);
  const plain = fc.tuple(host, path).map(([name, rest]) => `https://${name}${rest}`);
  // parts that disguise a URL, mixed with harmless parts
  const pieces = [
    'https://',
    'http://',
    'product.example',
    'evil.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '@',
    ':',
    '/',
    '\\',
    '//',
  ];
  const disguises = [
    '.',
    '..',
    '%2e',
    '%2f',
    '%00',
    '?',
    '#',
    '*',
    '&code=1',
    'а',
    '。',
    '\u200b',
    '\t',
    ' ',
    'xn--',
    ':80',
    ':443',
    '%40',
  ];
  const hostile = fc
    .array(fc.constantFrom(...pieces, ...disguises), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(''));

  it('is accepted in normalized form', () =>
    fc.assert(fc.property(plain, (uri) => void expect(redirectUriFault(uri, web)).toBeNull())));

  it('leads a browser to the host that it shows', () =>
    fc.assert(
      fc.property(fc.oneof(hostile, fc.webUrl(), fc.string({ unit: 'binary' })), fc.boolean(), (uri, isNative) => {
        if (redirectUriFault(uri, { isNative })) return;
        const url = new URL(uri);
        const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
        expect(url.protocol === 'https:' || (isNative && isLoopback && url.protocol === 'http:')).toBe(true);
        expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
        expect(/^https?:\/\/([^/?]*)/.exec(uri)![1]).toBe(url.host);
        expect([uri, `${uri}/`]).toContain(url.href);
        expect(uri).toMatch(/^[\x21-\x7e]+$/);
        expect(redirectHost(uri)).toBe(url.host);
      }),
      { numRuns: 3000 },
    ));

  it('is rejected with a disguise in its host', () =>
    fc.assert(
      fc.property(
        host,
        fc.constantFrom('@', '*', '\\', '%2f', 'а', '\u200b', '.', ':'),
        path,
        (name, disguise, rest) =>
          void expect(redirectUriFault(`https://${name}${disguise}${rest}`, web)).not.toBeNull(),
      ),
    ));
});
