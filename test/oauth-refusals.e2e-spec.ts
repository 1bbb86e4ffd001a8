import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { SecretsService } from '../src/oauth/clients/secrets.service.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { Browser } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, productRedirectUri, newVerifier, type Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let product: Product;
let person: Browser;
beforeAll(async () => {
  server = await testServer({ TRUSTED_PROXIES: '127.0.0.1' });
  lark = await anOrganization(server, { name: 'Larkmoor' });
  product = await aProduct(server, lark, { scopes: ['api:read'] });
  person = await lark.browser();
});
afterAll(() => server.close());

/** The text of an error page, which must not redirect. */
async function errorPageText(response: Response): Promise<string> {
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.get('content-type')).toMatch('text/html');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  return response.text();
}
/** The parameters that the product gets at its redirect URI. */
function redirectParameters(response: Response): Record<string, string> {
  const back = new URL(response.headers.get('location')!);
  expect(back.origin + back.pathname).toBe(productRedirectUri);
  return Object.fromEntries([...back.searchParams, ...new URLSearchParams(back.hash.slice(1))]);
}

describe('a redirect URI', () => {
  it.each([
    ['another path', 'https://product.example/other'],
    ['an additional slash', `${productRedirectUri}/`],
    ['another port', 'https://product.example:8443/callback'],
    ['another scheme', 'http://product.example/callback'],
    ['a query', `${productRedirectUri}?next=1`],
    ['a fragment', `${productRedirectUri}#here`],
    ['a subdomain', 'https://www.product.example/callback'],
    ['a lookalike host', 'https://prоduct.example/callback'],
    ['a different case', 'https://product.example/Callback'],
    ['an encoded letter', 'https://product.example/c%61llback'],
    ['a user name', 'https://product.example@evil.example/callback'],
    ['a script', 'javascript:alert(1)'],
    ['nothing', ''],
    ['no value', undefined],
  ])('with %s leads to an error page, never a redirect', async (_, redirect_uri) => {
    const response = await person.fetch(product.authorizePath(newVerifier(), { redirect_uri }));
    expect(response.status).toBe(400);
    expect(await errorPageText(response)).toMatch(/Unregistered redirect address|Invalid request/);
  });

  it('on a loopback address must match exactly', async () => {
    const native = await aProduct(server, lark, { isNative: true, redirectUris: ['http://127.0.0.1:33418/back'] });
    const other = await person.fetch(
      native.authorizePath(newVerifier(), { redirect_uri: 'http://127.0.0.1:33419/back' }),
    );
    expect(await errorPageText(other)).toContain('Unregistered redirect address');
    await expect(native.authorize(person)).resolves.toMatchObject({ asked: true });
    await expect(native.authorize(person)).resolves.toMatchObject({ asked: true });
  });
});

describe('a client', () => {
  it.each([
    ['an unknown id', '01890000-0000-7000-8000-000000000000'],
    ['a malformed id', 'nobody'],
    ['the id of the command line', 'countersign-cli'],
    ['no id', undefined],
  ])('with %s leads to an error page', async (_, client_id) => {
    const response = await person.fetch(product.authorizePath(newVerifier(), { client_id }));
    expect(response.status).toBe(400);
    await errorPageText(response);
  });
});

describe('an authorization request', () => {
  const ask = (changes: Record<string, string | undefined>) =>
    person.fetch(product.authorizePath(newVerifier(), changes)).then(redirectParameters);

  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['the method "plain"', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an invalid challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['another response mode', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a form response mode', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['an unregistered scope', { scope: 'api:write' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'api:read everything' }, 'invalid_scope'],
    ['a scope of another protocol', { scope: 'openid' }, 'invalid_scope'],
    ['the other resource', { resource: 'MCP' }, 'invalid_target'],
    ['a foreign resource', { resource: 'https://elsewhere.example/v1' }, 'invalid_target'],
    ['an invalid resource', { resource: 'v1' }, 'invalid_target'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://product.example/request' }, 'request_uri_not_supported'],
    ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['a null character in its state', { state: 'a\0b' }, 'invalid_request'],
  ])('with %s redirects with an error', async (_, changes, error) => {
    const resource = (changes as { resource?: string }).resource === 'MCP' ? `${server.url}/v1/mcp` : undefined;
    const answer = await ask({ ...changes, ...(resource ? { resource } : {}) });
    expect(answer).toMatchObject({ error, iss: server.url, state: (changes as { state?: string }).state ?? 'a state' });
    expect(answer.code).toBeUndefined();
  });

  it.each(['state', 'scope', 'code_challenge', 'response_type'])('with "%s" twice is rejected', async (name) => {
    const path = `${product.authorizePath(newVerifier())}&${name}=a&${name}=b`;
    expect(redirectParameters(await person.fetch(path))).toMatchObject({ error: 'invalid_request' });
  });

  it.each(['client_id', 'redirect_uri'])('with "%s" twice leads to an error page', async (name) => {
    const path = `${product.authorizePath(newVerifier())}&${name}=${encodeURIComponent(productRedirectUri)}`;
    await errorPageText(await person.fetch(path));
  });

  it('ignores repeated and OpenID Connect parameters', async () => {
    const path = `${product.authorizePath(newVerifier())}&scope[]=api:write&nonce=n&max_age=1&claims={}&acr_values=1`;
    const { back } = await product.authorize(person);
    expect(back.searchParams.get('code')).toBeTruthy();
    expect(redirectParameters(await follow(person, path)).code).toBeTruthy();
  });

  it.each(['login_hint', 'ui_locales', 'display'])('ignores a %s that cannot be stored', async (name) => {
    expect((await new Browser(server.url).fetch(product.authorizePath(newVerifier(), { [name]: 'a\0b' }))).status).toBe(
      303,
    );
  });

  it('accepts any spelling of its path', async () => {
    const path = product.authorizePath(newVerifier(), { scope: undefined, max_age: '1' });
    for (const spelling of ['/OAuth2/Authorize', '/oauth2/authorize/'])
      expect(redirectParameters(await follow(person, path.replace('/oauth2/authorize', spelling))).code).toBeTruthy();
  });

  it('stores a long state and returns it unchanged', async () => {
    const state = `${'ü& '.repeat(100)}${'x'.repeat(4000)}`;
    const { back } = await product.authorize(person, { state });
    expect(back.searchParams.get('state')).toBe(state);
    expect((await person.fetch(product.authorizePath(newVerifier(), { state: 'x'.repeat(20_000) }))).status).toBe(431);
  });

  it('with "prompt=none" and nobody signed in redirects with an error', async () => {
    const stranger = new Browser(server.url);
    expect(
      redirectParameters(await stranger.fetch(product.authorizePath(newVerifier(), { prompt: 'none' }))),
    ).toMatchObject({
      error: 'login_required',
    });
    const fresh = await lark.browser(await lark.member());
    expect(
      redirectParameters(await fresh.fetch(product.authorizePath(newVerifier(), { prompt: 'none' }))),
    ).toMatchObject({
      error: 'consent_required',
    });
  });
});

async function follow(browser: Browser, path: string): Promise<Response> {
  let response = await browser.fetch(path);
  while (response.headers.get('location')?.startsWith(server.url))
    response = await browser.fetch(response.headers.get('location')!);
  return response;
}

describe('the token endpoint', () => {
  const refused = async (answer: ReturnType<Product['token']>, status: number, error: string) => {
    const { status: got, body, headers } = await answer;
    expect([got, body.error]).toEqual([status, error]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.access_token).toBeUndefined();
  };

  it.each([
    ['a wrong verifier', { code_verifier: newVerifier() }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: `${productRedirectUri}/` }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an invalid code', { code: 'x' }, 'invalid_grant'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['the client’s own grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['a device code', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }, 'unauthorized_client'],
    ['a huge code', { code: 'x'.repeat(70_000) }, 'invalid_request'],
    ['a null character in the code', { code: 'a\0b' }, 'invalid_grant'],
  ])('rejects %s without consuming the code', async (_, changes, error) => {
    const code = await product.code(person);
    await refused(product.exchange({ ...code, ...changes }), 400, error);
    await expect(product.exchange(code)).resolves.toMatchObject({ status: 200 });
  });

  it('rejects a reused verifier, a code of another client and repeated parameters', async () => {
    const other = await aProduct(server, lark);
    const code = await product.code(person);
    await refused(other.exchange(code), 400, 'invalid_grant');
    const twice = await fetch(`${server.url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ client_id: product.id, grant_type: 'authorization_code', ...code })}&code=x`,
    });
    expect([twice.status, ((await twice.json()) as { error: string }).error]).toEqual([400, 'invalid_request']);
    const next = await product.code(person);
    await refused(product.exchange({ ...next, code_verifier: code.code_verifier }), 400, 'invalid_grant');
  });

  it('exchanges a code only for the client’s own resource', async () => {
    const resource = `${server.url}/v1/mcp`;
    const code = await product.code(person);
    await refused(product.exchange({ ...code, resource }), 400, 'invalid_target');
    const { body: tokens } = await product.exchange(code);
    await refused(product.refresh(tokens.refresh_token, { resource }), 400, 'invalid_target');
    // the refused request consumed nothing
    expect((await product.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('accepts only form bodies', async () => {
    const answer = await fetch(`${server.url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/html' },
      body: JSON.stringify({ client_id: product.id, grant_type: 'refresh_token', refresh_token: newToken('ref') }),
    });
    expect(answer.status).toBe(400);
    await expect(answer.json()).resolves.toMatchObject({ error: 'invalid_request' });
  });

  it('rejects a secret from a public client and a confidential client without a secret', async () => {
    const code = await product.code(person);
    await refused(product.exchange({ ...code, client_secret: newToken('sec') }), 401, 'invalid_client');
    const confidential = await aProduct(server, lark, { type: 'confidential', authMethod: 'client_secret_post' });
    await refused(confidential.exchange({ ...code, client_secret: undefined }), 401, 'invalid_client');
    await refused(confidential.exchange({ ...code, client_secret: newToken('sec') }), 401, 'invalid_client');
    await refused(confidential.exchange({ ...code, client_secret: 'stored as digests' }), 401, 'invalid_client');
  });

  it.each([
    ['client_secret_basic', 'client_secret_post'],
    ['client_secret_post', 'client_secret_basic'],
  ] as const)('accepts a secret only by the registered method: %s', async (authMethod, other) => {
    const confidential = await aProduct(server, lark, { type: 'confidential', authMethod });
    const code = await confidential.code(lark.admin);
    Object.assign(confidential.client, { authMethod: other });
    await refused(confidential.exchange(code), 401, 'invalid_client');
    Object.assign(confidential.client, { authMethod });
    await expect(confidential.exchange(code)).resolves.toMatchObject({ status: 200 });
  });

  it('accepts both secrets during a rotation and only the new one afterwards', async () => {
    const confidential = await aProduct(server, lark, { type: 'confidential' });
    const secrets = server.app.get(SecretsService);
    const rotate = async (overlapSeconds: number) =>
      (await secrets.rotate(lark.system, confidential.id, { overlapSeconds })).secret!;
    const works = async (secret: string) => {
      const { body } = await fetchToken(`Basic ${btoa(`${confidential.id}:${secret}`)}`);
      return body.error !== 'invalid_client';
    };
    const fetchToken = async (authorization: string) => {
      const response = await fetch(`${server.url}/oauth2/token`, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'none' }),
      });
      return { body: (await response.json()) as { error: string } };
    };
    const second = await rotate(60);
    await expect(Promise.all([works(confidential.secret!), works(second)])).resolves.toEqual([true, true]);
    const third = await rotate(0);
    await expect(Promise.all([confidential.secret!, second, third].map(works))).resolves.toEqual([false, false, true]);
  });

  it('names the authentication method in its challenge', async () => {
    const answer = await fetch(`${server.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${product.id}:x`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  });

  it('accepts scripts only from the product’s own origin', async () => {
    const ask = (origin: string) =>
      fetch(`${server.url}/oauth2/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ client_id: product.id, grant_type: 'refresh_token', refresh_token: 'x' }),
      });
    expect((await ask('https://product.example')).headers.get('access-control-allow-origin')).toBe(
      'https://product.example',
    );
    expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the limits', () => {
  it('block a client at one address after 300 refusals but still accept correct requests', async () => {
    const noisy = await aProduct(server, lark);
    const { refresh_token } = await noisy.tokens(person);
    const wrong = () => noisy.refresh(newToken('ref'));
    for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 10 }, wrong));
    const over = await wrong();
    expect([over.status, over.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(noisy.refresh(refresh_token)).resolves.toMatchObject({ status: 200 });
    await expect(product.refresh(newToken('ref'))).resolves.toMatchObject({ status: 400 });
  });
});

describe('anonymous authorization requests', () => {
  const start = async (address: string, { by = new Browser(server.url), as }: { by?: Browser; as?: string } = {}) => {
    const headers = { 'x-forwarded-for': address, ...(as ? { 'sec-fetch-dest': as } : {}) };
    return by.fetch(product.authorizePath(newVerifier()), { headers });
  };
  const startMany = async (count: number, address: string, as?: string) => {
    for (let done = 0; done < count; done += 50)
      await Promise.all(Array.from({ length: 50 }, async () => (await start(address, { as })).body?.cancel()));
  };

  it('are limited to 1000 per network; requests of signed-in people do not count', async () => {
    await startMany(1000, '2001:db8:7::1');
    const over = await start('2001:db8:7::2');
    expect([over.status, Number(over.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await errorPageText(over)).toContain('too many requests');
    expect((await start('2001:db8:7:1::1')).status).toBe(303);
    expect((await start('2001:db8:7::1', { by: person })).status).toBe(303);
  });

  it('in embedded frames do not block people', async () => {
    await startMany(1050, '2001:db8:8::1', 'image');
    expect((await start('2001:db8:8::1', { as: 'image' })).status).toBe(429);
    expect((await start('2001:db8:8::1', { as: 'document' })).status).toBe(303);
  });
});

describe('the revocation endpoint', () => {
  it('does not revoke tokens of other clients or reveal unknown tokens', async () => {
    const other = await aProduct(server, lark);
    const tokens = await product.tokens(person);
    await expect(other.revoke(tokens.refresh_token)).resolves.toMatchObject({ status: 400 });
    await expect(other.revoke(newToken('ref'))).resolves.toMatchObject({ status: 200 });
    await expect(product.refresh(tokens.refresh_token)).resolves.toMatchObject({ status: 200 });
  });

  it('records the client address, also behind a proxy', async () => {
    const { refresh_token } = await product.tokens(person);
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const body = new URLSearchParams({ token: refresh_token, client_id: product.id });
    expect((await fetch(`${server.url}/oauth2/revoke`, { method: 'POST', headers, body })).status).toBe(200);
    const { nodes } = await server.app.get(AuditLogService).list(lark.system, { first: 1 }, { kind: 'grant.revoked' });
    expect(nodes).toMatchObject([{ detail: { client: product.client.name, address: '192.0.2.77' } }]);
  });
});

describe('the server', () => {
  it.each(['/oauth2/par', '/oauth2/introspect', '/oauth2/device', '/session/end', '/me', '/reg', '/device/auth'])(
    'does not expose the library endpoint %s',
    async (path) => {
      expect((await fetch(server.url + path, { method: 'POST' })).status).toBe(404);
    },
  );
});

// last: a second server in this process replaces the strategies of the first
describe('an address', () => {
  it('is limited to its requests per minute', async () => {
    const limited = await testServer({ LIMIT_TOKENS_PER_MINUTE: '3' });
    try {
      const ask = () => fetch(`${limited.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams() });
      const statuses = [];
      for (let request = 0; request < 8; request++) statuses.push((await ask()).status);
      expect(statuses).toContain(429);
      expect((await fetch(`${limited.url}/.well-known/oauth-authorization-server`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
