import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { setTimeout as rest } from 'node:timers/promises';
import { AccessTokensService } from '../src/oauth/access-tokens.service.js';
import { Browser } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, newVerifier, type Product, type TokenResponse } from './kit/product.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

const trials = 100;

let server: TestServer;
let other: ServerProcess;
let lark: Organization;
let product: Product;
let elsewhere: Product;
let browser: Browser;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer();
  other = await serverProcess(server.databaseUrl, { BASE_URL: server.url });
  lark = await anOrganization(server);
  product = await aProduct(server, lark);
  elsewhere = product.at(other.url);
  browser = await lark.browser();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await other.kill('SIGTERM');
  await owner.end();
  await server.close();
});

const both = async (ask: (at: Product) => Promise<TokenResponse>) => Promise.all([ask(product), ask(elsewhere)]);
const outcome = ({ status, body }: TokenResponse) => body.error ?? status;

describe('two processes', () => {
  it(`exchange a code once in ${trials} of ${trials} trials`, async () => {
    const outcomes = [];
    for (let trial = 0; trial < trials; trial++) {
      const code = await product.code(browser);
      outcomes.push((await both((at) => at.exchange(code))).map(outcome).sort().join());
    }
    expect(new Set(outcomes)).toEqual(new Set(['200,invalid_grant']));
  });

  it(`rotate a refresh token once and return the same response in ${trials} of ${trials} trials`, async () => {
    let { refresh_token: token } = await product.tokens(browser);
    const outcomes = [];
    for (let trial = 0; trial < trials; trial++) {
      const [one, two] = await both((at) => at.refresh(token));
      outcomes.push([one.status, JSON.stringify(one.body) === JSON.stringify(two.body)].join());
      token = one.body.refresh_token;
    }
    expect(new Set(outcomes)).toEqual(new Set(['200,true']));
    const { rows } = await owner.query(
      `select count(*)::int as live from oauth_rows
      where model = 'RefreshToken' and consumed_at is null and grant_id = (
        select grant_id from oauth_rows where id_hash = sha256(convert_to($1, 'UTF8')))`,
      [token],
    );
    expect(rows).toEqual([{ live: 1 }]);
  });
});

describe('after a failure between consuming a credential and issuing tokens', () => {
  /** Access tokens are issued after the code or refresh token is consumed. */
  const atAccessTokens = (body: string) =>
    owner.query(`
      create function in_between() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
      create trigger in_between before insert on oauth_rows for each row when (new.model = 'AccessToken') execute function in_between()`);
  const mend = () => owner.query('drop trigger if exists in_between on oauth_rows; drop function if exists in_between');
  const underWay = async () => {
    for (;;) {
      const { rowCount } = await owner.query(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`);
      if (rowCount) return;
      await rest(20);
    }
  };
  afterEach(mend);

  it('shows a page and does not redirect when a code cannot be stored', async () => {
    await product.tokens(browser);
    await owner.query(`
      create function in_between() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$;
      create trigger in_between before insert on oauth_rows for each row when (new.model = 'AuthorizationCode') execute function in_between()`);
    const answer = await browser.fetch(product.authorizePath(newVerifier()));
    expect([answer.status, answer.headers.get('location')]).toEqual([500, null]);
    await expect(answer.text()).resolves.toContain('Something went wrong');
    await mend();
    await expect(product.authorize(browser)).resolves.toMatchObject({ asked: false });
  });

  const presented: [string, () => Promise<(at: Product) => Promise<TokenResponse>>][] = [
    [
      'a code',
      async () => {
        const code = await product.code(browser);
        return (at) => at.exchange(code);
      },
    ],
    [
      'a refresh token',
      async () => {
        const { refresh_token } = await product.tokens(browser);
        return (at) => at.refresh(refresh_token);
      },
    ],
  ];

  describe.each(presented)('%s', (_, prepare) => {
    it('is valid again after a database error', async () => {
      const ask = await prepare();
      await atAccessTokens(`raise exception 'on purpose';`);
      const failed = await ask(product);
      expect([failed.status, failed.body.error]).toEqual([500, 'server_error']);
      await mend();
      const { status, body } = await ask(product);
      expect(status).toBe(200);
      await expect(server.app.get(AccessTokensService).principalOf(body.access_token, 'api')).resolves.toBeTruthy();
    });

    it('is valid again after the database connection is lost', async () => {
      const ask = await prepare();
      await atAccessTokens('perform pg_sleep(5);');
      const failing = ask(product);
      await underWay();
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`);
      expect((await failing).status).toBe(500);
      await mend();
      expect((await ask(product)).status).toBe(200);
    });

    it('is valid again at another process after its own is killed', async () => {
      const doomed = await serverProcess(server.databaseUrl, { BASE_URL: server.url });
      const ask = await prepare();
      await atAccessTokens('perform pg_sleep(2);');
      const failing = ask(product.at(doomed.url)).then(outcome, () => 'lost');
      await underWay();
      await doomed.kill('SIGKILL');
      expect(await failing).toBe('lost');
      await mend(); // waits until the database has ended the killed transaction
      const { status, body } = await ask(product);
      expect(status).toBe(200);
      await expect(server.app.get(AccessTokensService).principalOf(body.access_token, 'api')).resolves.toBeTruthy();
    });
  });
});
