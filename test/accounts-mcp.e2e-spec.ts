import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Member } from '../src/access/member.entity.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import { AccountFixture } from './kit/account-fixture.js';
import { aProduct, type Product } from './kit/product.js';
import type { TestServer } from './kit/server.js';

let server: TestServer;
let upstream: AccountUpstream;
let accountFixture: AccountFixture;
let assistant: Product;
beforeAll(async () => {
  accountFixture = await AccountFixture.start();
  ({ server, upstream } = accountFixture);
  await accountFixture.connectAsAdmin();
  const { configurationId } = accountFixture;
  assistant = await aProduct(server, accountFixture.organization, { target: 'mcp', configurationId });
});
afterAll(() => accountFixture.close());

/** An assistant of this person that can open pages; `visit` is what the person does there. */
async function assistantOf(member: Member, visit: (url: string) => Promise<unknown>) {
  const { access_token: token } = await assistant.tokens(member);
  const client = new Client(
    { name: 'assistant', version: '1.0.0' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    await visit((params as { url: string }).url);
    return { action: 'accept' };
  });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/v1/mcp`), { requestInit: { headers } }),
  );
  const ask = async () => {
    const { content, isError } = await client.callTool({ name: 'notes__whoami', arguments: {} });
    return [Boolean(isError), (content[0] as { text: string }).text];
  };
  return { token, ask, close: () => client.close() };
}

describe('an assistant of a person without an account', () => {
  it('opens the page, the person connects an account, and the call continues with it', async () => {
    const bo = await accountFixture.member('Bo Member');
    const opened: string[] = [];
    const { token, ask, close } = await assistantOf(bo, async (url) => {
      opened.push(url);
      await accountFixture.connect(bo, 'bo over there');
    });
    expect(await ask()).toEqual([false, 'whoami of bo over there']);
    expect(opened).toEqual([server.url + accountFixture.connectPath]);
    for (const { authorization } of upstream.receivedRequests) expect(authorization ?? '').not.toContain(token);
    await close();
  });

  it('gets the page’s URL in the error if the person returns without an account', async () => {
    const cy = await accountFixture.member('Cy Member');
    upstream.receivedRequests.length = 0;
    const { ask, close } = await assistantOf(cy, async () => undefined);
    expect(await ask()).toEqual([true, expect.stringContaining(server.url + accountFixture.connectPath)]);
    expect(upstream.receivedRequests.filter(({ rpcMethod }) => rpcMethod === 'tools/call')).toEqual([]);
    await close();
  });
});
