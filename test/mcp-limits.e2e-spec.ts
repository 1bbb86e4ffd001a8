import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct, signInAssistant } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { Product } from './kit/product.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let product: Product;

const limits = { LIMIT_SENDS_PER_MINUTE: '3', LIMIT_READS_PER_MINUTE: '12', LIMIT_STREAMS: '2' };

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(limits), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  product = await anAssistantProduct(server, fixture);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

/** Limits apply per member: a new member has used nothing. */
const aCaller = async (): Promise<{ person: Member; rpc: Rpc }> => {
  const person = await aUser(fixture);
  return { person, rpc: new Rpc(server.url, (await product.tokens(person)).access_token) };
};
const statuses = async (count: number, ask: () => Promise<{ status: number }>): Promise<number[]> => {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await ask()).status);
  return all;
};

// Counters reset at each clock minute, which must not happen in the middle of a test.
beforeAll(async () => {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
});

describe('the limits per minute', () => {
  it('restrict the tool calls of a member and are separate for each member', async () => {
    const { rpc } = await aCaller();
    const call = (by: Rpc) => by.call('tools/call', { name: 'workplace__list_tickets', arguments: {} });
    expect(await statuses(4, () => call(rpc))).toEqual([200, 200, 200, 429]);
    const answer = await call(rpc);
    expect(answer.body.code).toBe('rate-limited');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await rpc.call('tools/list')).status).toBe(200);
    expect((await call((await aCaller()).rpc)).status).toBe(200);
  });

  it('restrict messages of any kind, including invalid ones', async () => {
    const { rpc } = await aCaller();
    expect(await statuses(6, () => rpc.post('{'))).toEqual(Array(6).fill(400));
    expect(await statuses(7, () => rpc.call('tools/list'))).toEqual([...Array(6).fill(200), 429]);
  });
});

describe('the concurrency limit', () => {
  it('restricts the open streams of a member', async () => {
    const { person } = await aCaller();
    const { client } = await signInAssistant(product, person);
    const listen = () => client.listen({ toolsListChanged: true });
    const [first] = [await listen(), await listen()];
    await expect(listen()).rejects.toThrow();
    await first.close();
    await expect(listen()).resolves.toBeDefined();
    await client.close();
  });
});
