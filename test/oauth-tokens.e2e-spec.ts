import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import pg from 'pg';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { AccessTokensService } from '../src/oauth/access-tokens.service.js';
import { GrantsService } from '../src/oauth/grants.service.js';
import { sha256 } from '../src/platform/crypto/digest.js';
import { tokenKind } from '../src/platform/crypto/tokens.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, productRedirectUri, type Product, followAuthorization } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
const isTokenAccepted = async (token: string, surface: 'api' | 'mcp' = 'api') =>
  Boolean(await get(AccessTokensService).principalOf(token, surface));
const aConfiguration = async () =>
  (
    await get(ConfigurationsService).create(lark.system, {
      name: `Configuration ${Math.random()}`,
      description: '',
      connectionIds: [],
      groupIds: [],
    })
  ).id;
const kinds = async () => (await get(AuditLogService).list(lark.system, { first: 200 })).nodes.map(({ kind }) => kind);

/** Simulates that this much time has passed since a refresh token was used. */
const age = (token: string, interval: string) =>
  owner.query(`update oauth_rows set consumed_at = consumed_at - $2::interval where id_hash = $1`, [
    sha256(token),
    interval,
  ]);

const clients = [
  ['a public client', { type: 'public' }],
  ['a confidential client, secret in the header', { type: 'confidential', authMethod: 'client_secret_basic' }],
  ['a confidential client, secret in the form', { type: 'confidential', authMethod: 'client_secret_post' }],
] as const;
const insecure = { [oauth.allowInsecureRequests]: true };

describe.each(clients)('%s', (_, input) => {
  describe.each(['api', 'mcp'] as const)('that targets %s', (target) => {
    let product: Product;
    beforeAll(async () => {
      product = await aProduct(server, lark, {
        ...input,
        target,
        configurationId: target === 'mcp' ? await aConfiguration() : undefined,
      });
    });

    it('completes the flow with oauth4webapi', async () => {
      const issuer = new URL(server.url);
      const as = await oauth
        .discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
        .then((response) => oauth.processDiscoveryResponse(issuer, response));
      const client: oauth.Client = { client_id: product.id };
      const proof = {
        none: oauth.None(),
        client_secret_basic: oauth.ClientSecretBasic(product.secret ?? 'none'),
        client_secret_post: oauth.ClientSecretPost(product.secret ?? 'none'),
      }[product.client.authMethod];
      const verifier = oauth.generateRandomCodeVerifier();
      const path = product.authorizePath(verifier, { state: 'here', scope: 'api:write' });
      const { back } = await followAuthorization(await lark.browser(), server.url, path);
      const answer = oauth.validateAuthResponse(as, client, back, 'here');
      const tokens = await oauth
        .authorizationCodeGrantRequest(as, client, proof, answer, productRedirectUri, verifier, insecure)
        .then((response) => oauth.processAuthorizationCodeResponse(as, client, response));
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: 'api:read api:write' });
      expect(tokenKind(tokens.access_token)).toBe(target);
      await expect(isTokenAccepted(tokens.access_token, target)).resolves.toBe(true);

      const next = await oauth
        .refreshTokenGrantRequest(as, client, proof, tokens.refresh_token!, insecure)
        .then((response) => oauth.processRefreshTokenResponse(as, client, response));
      expect(tokenKind(next.access_token)).toBe(target);
      await oauth
        .revocationRequest(as, client, proof, next.refresh_token!, insecure)
        .then((response) => oauth.processRevocationResponse(response));
      await expect(isTokenAccepted(next.access_token, target)).resolves.toBe(false);
    });

    it('completes the flow with openid-client', async () => {
      const proof = {
        none: openid.None(),
        client_secret_basic: openid.ClientSecretBasic(product.secret ?? 'none'),
        client_secret_post: openid.ClientSecretPost(product.secret ?? 'none'),
      }[product.client.authMethod];
      const config = await openid.discovery(new URL(server.url), product.id, {}, proof, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: productRedirectUri,
        state: 'there',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        resource: `${server.url}/v1${target === 'mcp' ? '/mcp' : ''}`,
      });
      const { back } = await followAuthorization(await lark.browser(), server.url, url.pathname + url.search);
      const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState: 'there' });
      expect(tokens.scope).toBe('api:read');
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
      await expect(isTokenAccepted(next.access_token, target)).resolves.toBe(true);
      await openid.tokenRevocation(config, next.access_token);
      await expect(isTokenAccepted(next.access_token, target)).resolves.toBe(false);
    });
  });
});

describe('an authorization code', () => {
  /** Redeemed so long ago that no request counts as a concurrent duplicate, however busy the machine is. */
  const redeemedBefore = (code: string) =>
    owner.query(`update oauth_rows set consumed_at = consumed_at - interval '1 minute' where id_hash = $1`, [
      sha256(code),
    ]);

  it('revokes its tokens when it is reused', async () => {
    const product = await aProduct(server, lark);
    const code = await product.code(lark.admin);
    const { body } = await product.exchange(code);
    await expect(isTokenAccepted(body.access_token)).resolves.toBe(true);
    await redeemedBefore(code.code);
    const again = await product.exchange(code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    await expect(isTokenAccepted(body.access_token)).resolves.toBe(false);
    await expect(product.refresh(body.refresh_token)).resolves.toMatchObject({ body: { error: 'invalid_grant' } });
    await expect(kinds()).resolves.toContain('authorization_code.replayed');
  });

  it('revokes its tokens when it is reused after its lifetime', async () => {
    const product = await aProduct(server, lark);
    const code = await product.code(lark.admin);
    const { body } = await product.exchange(code);
    await owner.query(
      `update oauth_rows set expires_at = now() - interval '1 day',
      payload = payload || jsonb_build_object('exp', extract(epoch from now() - interval '1 day')::int)
      where id_hash = $1`,
      [sha256(code.code)],
    );
    await redeemedBefore(code.code);
    await expect(product.exchange(code)).resolves.toMatchObject({ body: { error: 'invalid_grant' } });
    await expect(isTokenAccepted(body.access_token)).resolves.toBe(false);
  });

  it('expires after a minute', async () => {
    const product = await aProduct(server, lark);
    const code = await product.code(lark.admin);
    const { rows } = await owner.query(
      `select extract(epoch from expires_at - created_at)::int as seconds
      from oauth_rows where id_hash = $1`,
      [sha256(code.code)],
    );
    expect(rows).toEqual([{ seconds: 60 }]);
  });
});

describe('a refresh token', () => {
  let product: Product;
  beforeAll(async () => {
    product = await aProduct(server, lark);
  });

  it('is replaced at each use and expires after 30 days idle or 90 days in total', async () => {
    const first = await product.tokens();
    const { body } = await product.refresh(first.refresh_token);
    expect(body).toMatchObject({ scope: 'api:read', expires_in: 600, token_type: 'Bearer' });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    await expect(isTokenAccepted(first.access_token)).resolves.toBe(true);
    const days = (token: string) =>
      owner
        .query(
          `select round(extract(epoch from expires_at - now()) / 86400) as days from oauth_rows where id_hash = $1`,
          [sha256(token)],
        )
        .then(({ rows }) => Number(rows[0].days));
    await expect(days(body.refresh_token)).resolves.toBe(30);
    await owner.query(
      `update oauth_rows set payload = payload || jsonb_build_object('iiat', (payload ->> 'iiat')::int - 80 * 86400)
      where id_hash = $1`,
      [sha256(body.refresh_token)],
    );
    const { body: last } = await product.refresh(body.refresh_token);
    await expect(days(last.refresh_token)).resolves.toBe(10);
  });

  it('returns the same response to a repeated request within ten seconds', async () => {
    const { refresh_token } = await product.tokens();
    const first = await product.refresh(refresh_token);
    const again = await product.refresh(refresh_token);
    expect([again.status, again.body]).toEqual([200, first.body]);
    await expect(isTokenAccepted(again.body.access_token)).resolves.toBe(true);
  });

  it.each([
    ['after ten seconds', (token: string) => age(token, '11 seconds').then(() => ({}))],
    ['for another scope', () => Promise.resolve({ scope: 'api:read' })],
  ])('ends only its own grant when it is reused %s', async (_, change) => {
    const other = await product.tokens();
    const { refresh_token } = await product.tokens();
    const { body } = await product.refresh(refresh_token);
    const again = await product.refresh(refresh_token, await change(refresh_token));
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    await expect(isTokenAccepted(body.access_token)).resolves.toBe(false);
    await expect(product.refresh(body.refresh_token)).resolves.toMatchObject({ body: { error: 'invalid_grant' } });
    await expect(isTokenAccepted(other.access_token)).resolves.toBe(true);
    await expect(kinds()).resolves.toContain('refresh_token.replayed');
  });

  it('ends its grant when it is reused after its successor was used', async () => {
    const { refresh_token } = await product.tokens();
    const next = await product.refresh(refresh_token);
    const last = await product.refresh(next.body.refresh_token);
    await expect(product.refresh(refresh_token)).resolves.toMatchObject({ body: { error: 'invalid_grant' } });
    await expect(isTokenAccepted(last.body.access_token)).resolves.toBe(false);
  });

  it('is rejected for another client without ending anything', async () => {
    const thief = await aProduct(server, lark);
    const { refresh_token, access_token } = await product.tokens();
    await product.refresh(refresh_token);
    await expect(thief.refresh(refresh_token)).resolves.toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    await expect(isTokenAccepted(access_token)).resolves.toBe(true);
  });

  it('narrows and widens the scope on request, but not beyond the grant', async () => {
    const { refresh_token } = await product.tokens(lark.admin, { scope: 'api:write' });
    const narrow = await product.refresh(refresh_token, { scope: 'api:read' });
    expect(narrow.body.scope).toBe('api:read');
    const wide = await product.refresh(narrow.body.refresh_token);
    expect(wide.body.scope).toBe('api:read api:write');
    const reader = await product.tokens();
    const more = await product.refresh(reader.refresh_token, { scope: 'api:write' });
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope']);
  });

  it('stores its response for ten seconds, encrypted with the token itself', async () => {
    const { refresh_token } = await product.tokens();
    const { body } = await product.refresh(refresh_token);
    const replay = () =>
      owner
        .query<{ replay: Buffer | null }>('select replay from oauth_rows where id_hash = $1', [sha256(refresh_token)])
        .then(({ rows }) => rows[0].replay);
    expect((await replay())!.toString('latin1')).not.toContain(body.access_token);
    await age(refresh_token, '11 seconds');
    await expect.poll(replay).toBeNull();
  });

  it('leaves no readable token in the database', async () => {
    const code = await product.code(lark.admin);
    const { body } = await product.exchange(code);
    const next = await product.refresh(body.refresh_token);
    const { rows } = await owner.query<{ row: string }>('select r::text as row from oauth_rows r');
    const everything = rows.map(({ row }) => row).join('\n');
    for (const secret of [code.code, body.access_token, body.refresh_token, next.body.refresh_token])
      expect(everything).not.toContain(secret);
  });
});

describe('a token', () => {
  const cases: [string, (product: Product, organization: Organization) => Promise<unknown>][] = [
    [
      'a suspended member',
      async (_, organization) =>
        get(MemberStatusService).suspend(
          organization.system,
          (await members(organization)).find(({ name }) => name === 'Cut Off')!.id,
        ),
    ],
    ['a paused organization', (_, organization) => get(TenantsService).pause(organization.system)],
    [
      'a revoked grant',
      (product, organization) =>
        get(DatabaseService).tenant(organization.system, (tx) =>
          get(GrantsService).revoke(tx, organization.system, { clientId: product.id }),
        ),
    ],
    [
      'a disabled client',
      (product) => owner.query('update oauth_clients set disabled_at = now() where id = $1', [product.id]),
    ],
  ];
  const members = async (organization: Organization) =>
    (await get(MembersService).list(organization.system, { first: 50 })).nodes;

  it.each(cases)('fails on the next request for %s', async (_, cut) => {
    const organization = await anOrganization(server);
    const member = await organization.member({ name: 'Cut Off' });
    const product = await aProduct(server, organization);
    const { access_token, refresh_token } = await product.tokens(member);
    const code = await product.code(member);
    await expect(isTokenAccepted(access_token)).resolves.toBe(true);
    await cut(product, organization);
    await expect(isTokenAccepted(access_token).catch(({ code }) => code !== 'tenant-paused')).resolves.toBe(false);
    expect((await product.refresh(refresh_token)).status).toBeGreaterThanOrEqual(400);
    expect((await product.exchange(code)).status).toBeGreaterThanOrEqual(400);
  });

  it('is listed with its grant, and ending the grant deletes the remembered consent', async () => {
    const organization = await anOrganization(server);
    const product = await aProduct(server, organization);
    await product.tokens(organization.admin, { scope: 'api:write' });
    await product.code(organization.admin);
    const grants = await get(GrantsService).list(organization.system);
    expect(grants).toEqual([
      expect.objectContaining({
        memberId: organization.admin.id,
        clientId: product.id,
        scopes: ['api:read', 'api:write'],
      }),
    ]);
    const ended = await get(DatabaseService).tenant(organization.system, (tx) =>
      get(GrantsService).revoke(tx, organization.system, { memberId: organization.admin.id, clientId: product.id }),
    );
    expect(ended).toHaveLength(2);
    await expect(product.authorize(await organization.browser())).resolves.toMatchObject({ asked: true });
  });
});

describe('the sweep', () => {
  it('removes expired rows except used codes of live grants', async () => {
    const product = await aProduct(server, lark);
    const [used, unused, ended] = [
      await product.code(lark.admin),
      await product.code(lark.admin),
      await product.code(lark.admin),
    ];
    const { body } = await product.exchange(used);
    const dead = await product.exchange(ended);
    await product.revoke(dead.body.refresh_token);
    const hashes = [used.code, unused.code, body.access_token].map((token) => sha256(token));
    await owner.query(`update oauth_rows set expires_at = now() - interval '2 hours' where id_hash = any($1)`, [
      hashes,
    ]);
    await owner.query(`update ticks set due_at = now() where name = 'oauth.rows'`);
    const left = async () =>
      (await owner.query<{ id_hash: Buffer }>('select id_hash from oauth_rows where id_hash = any($1)', [hashes])).rows;
    await expect.poll(left).toHaveLength(1);
    expect((await left()).map(({ id_hash }) => id_hash.toString('hex'))).toEqual([sha256(used.code).toString('hex')]);
    await expect(product.refresh(body.refresh_token)).resolves.toMatchObject({ status: 200 });
  });
});
