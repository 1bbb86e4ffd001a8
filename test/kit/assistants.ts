import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Member } from '../../src/access/member.entity.js';
import type { Governed } from './governed.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { SigningIn } from './signing-in.js';

/** A product that targets the house's configuration, as an administrator registers an assistant. */
export const anAssistant = (
  server: TestServer,
  house: Governed,
  scopes: ('api:read' | 'api:write')[] = ['api:read', 'api:write'],
) => aProduct(server, house.organization, { target: 'mcp', configurationId: house.configurationId, scopes });

const own = { name: 'assistant', version: '1.0.0' };

/** A person's assistant that is given nothing but the address: it finds out by itself where to sign in. `mode` legacy: as deployed clients speak. */
export async function signIn(
  product: Product,
  person: Member,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<{ client: Client; signingIn: SigningIn }> {
  const signingIn = new SigningIn(product, await product.organization.browser(person));
  const connect = async () => {
    const client = new Client(own, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`${product.url}/v1/mcp`), { authProvider: signingIn });
    return { client, transport, done: client.connect(transport) };
  };
  const first = await connect();
  await first.done.catch(() => undefined);
  await first.transport.finishAuth(signingIn.back!.searchParams);
  const { client, done } = await connect();
  await done;
  return { client, signingIn };
}

/** The same with the SDK that most clients were built with. */
export async function signInOlder(
  product: Product,
  person: Member,
): Promise<{ client: OlderClient; transport: OlderTransport; signingIn: SigningIn }> {
  const signingIn = new SigningIn(product, await product.organization.browser(person));
  const transportOf = () => new OlderTransport(new URL(`${product.url}/v1/mcp`), { authProvider: signingIn as never });
  const first = transportOf();
  await new OlderClient(own).connect(first).catch(() => undefined);
  await first.finishAuth(signingIn.back!.searchParams.get('code')!);
  const client = new OlderClient(own);
  const transport = transportOf();
  await client.connect(transport);
  return { client, transport, signingIn };
}
