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

/** Runs an operator command in this process. Returns its output. */
async function runCommand(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const openApplication = () =>
    Promise.resolve({
      get: <T>(service: new (...args: never[]) => T) => server.app.get<T>(service),
      close: async () => {},
    });
  await operatorCommands({ print: (line) => lines.push(line), openApplication, databaseSchema }).parseAsync([
    'node',
    'countersign',
    ...args,
  ]);
  return lines.join('\n');
}

const kid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const rotate = async (...options: string[]) => kid.exec(await runCommand('oauth', 'rotate-keys', ...options))![0];
/** The keys as a new process reads them. The first one signs. */
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

describe('countersign-operator oauth rotate-keys', () => {
  it('publishes the new key, signs with it later, and removes the old one after a day', async () => {
    const [first] = await published();
    const second = await rotate();
    expect(await published()).toEqual([first, second]);
    expect(await served()).toEqual([first, second].sort());
    await pass('11 minutes');
    expect(await published()).toEqual([second, first]);
    await pass('1 day');
    expect(await published()).toEqual([second]);
  });

  it('deletes keys that are no longer needed', async () => {
    await rotate();
    await pass('2 days');
    await rotate();
    expect((await owner.query('select kid from oauth_signing_keys')).rowCount).toBe(2);
  });

  it('can run twice in a row', async () => {
    const before = await published();
    const [next, last] = [await rotate(), await rotate()];
    expect(await published()).toEqual([...before, next, last]);
    await pass('11 minutes');
    expect((await published())[0]).toBe(last);
  });

  it('does not invalidate the tokens of products', async () => {
    const product = await aProduct(server, await anOrganization(server));
    const { refresh_token } = await product.tokens();
    await rotate();
    const answer = await product.refresh(refresh_token);
    expect(answer.status).toBe(200);
    await rotate('--leaked');
    expect((await product.refresh(answer.body.refresh_token)).status).toBe(200);
    await product.tokens();
  });

  it('removes all other keys with --leaked', async () => {
    const only = await rotate('--leaked');
    expect(await published()).toEqual([only]);
    expect(await served()).toEqual([only]);
  });
});
