import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { databaseSchema } from '../src/migrations.js';
import { SigningKeysService } from '../src/oauth/signing-keys.service.js';
import { operatorCommands } from '../src/operator/commands.js';
import { SealService } from '../src/platform/crypto/seal.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { LogService } from '../src/platform/telemetry/log.service.js';
import { anOrganization } from './kit/organization.js';
import { aProduct } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: Client;
beforeAll(async () => {
  server = await testServer();
  owner = new Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

/** What the operator types, in this process. */
async function type(...words: string[]): Promise<string> {
  const said: string[] = [];
  const openHouse = () =>
    Promise.resolve({ get: <T>(room: new (...args: never[]) => T) => server.app.get<T>(room), close: async () => {} });
  await operatorCommands({ print: (line) => said.push(line), openApplication: openHouse, databaseSchema }).parseAsync([
    'node',
    'countersign',
    ...words,
  ]);
  return said.join('\n');
}

const kid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const rotate = async (...options: string[]) => kid.exec(await type('oauth', 'rotate-keys', ...options))![0];
/** As a process reads them that has just started: the first signs. */
const published = async () => {
  const keys = await new SigningKeysService(
    server.app.get(DatabaseService),
    server.app.get(SealService),
    server.app.get(LogService),
  ).current();
  return keys.map((key) => key.kid);
};
const served = async () => {
  const { keys } = (await (await fetch(`${server.url}/oauth2/jwks`)).json()) as { keys: { kid: string; d?: string }[] };
  expect(keys.filter(({ d }) => d)).toEqual([]);
  return keys.map((key) => key.kid).sort();
};
const pass = (time: string) =>
  owner.query('update oauth_signing_keys set retired_at = retired_at - $1::interval', [time]);

describe('countersign oauth rotate-keys', () => {
  it('publishes the new key, lets it sign later, and drops the old one a day after', async () => {
    const [first] = await published();
    const second = await rotate();
    expect(await published()).toEqual([first, second]);
    expect(await served()).toEqual([first, second].sort());
    await pass('11 minutes');
    expect(await published()).toEqual([second, first]);
    await pass('1 day');
    expect(await published()).toEqual([second]);
  });

  it('keeps no key that nothing depends on', async () => {
    await rotate();
    await pass('2 days');
    await rotate();
    expect((await owner.query('select kid from oauth_signing_keys')).rowCount).toBe(2);
  });

  it('takes one after the other when it is asked twice', async () => {
    const before = await published();
    const [next, last] = [await rotate(), await rotate()];
    expect(await published()).toEqual([...before, next, last]);
    await pass('11 minutes');
    expect((await published())[0]).toBe(last);
  });

  it('lets products go on', async () => {
    const product = await aProduct(server, await anOrganization(server));
    const { refresh_token } = await product.tokens();
    await rotate();
    const answer = await product.refresh(refresh_token);
    expect(answer.status).toBe(200);
    await rotate('--leaked');
    expect((await product.refresh(answer.body.refresh_token)).status).toBe(200);
    await product.tokens();
  });

  it('leaves one key alone when the others have leaked', async () => {
    const only = await rotate('--leaked');
    expect(await published()).toEqual([only]);
    expect(await served()).toEqual([only]);
  });
});
