import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Member } from '../../src/access/member.entity.js';
import type { Governed } from './governed.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { SigningIn } from './signing-in.js';

type Scope = 'api:read' | 'api:write';

/** A product that targets the house's configuration, as an administrator registers an assistant. */
export const anAssistant = (
  server: TestServer,
  house: Governed,
  scopes: Scope[] = ['api:read', 'api:write'],
): Promise<Product> =>
  aProduct(server, house.organization, { target: 'mcp', configurationId: house.configurationId, scopes });

const own = { name: 'assistant', version: '1.0.0' };

/** What a test does with a client of either generation of the SDK. */
export interface Speaks {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}
/** Not yet connected. */
interface Made<C> {
  client: C;
  connect(): Promise<void>;
  finishAuth(back: URL): Promise<void>;
  version(): string | undefined;
}
export type Make<C> = (address: URL, signingIn: SigningIn) => Made<C>;

/** `legacy`: it speaks as deployed clients do. */
export const aNewClient =
  (mode: 'auto' | 'legacy'): Make<Client> =>
  (address, authProvider) => {
    const client = new Client(own, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(address, { authProvider });
    return {
      client,
      connect: () => client.connect(transport),
      finishAuth: (back) => transport.finishAuth(back.searchParams),
      version: () => client.getNegotiatedProtocolVersion(),
    };
  };

export const anOlderClient: Make<Speaks> = (address, signingIn) => {
  const client = new OlderClient(own);
  const transport = new OlderTransport(address, { authProvider: signingIn as never });
  return {
    client: client as Speaks,
    connect: () => client.connect(transport),
    finishAuth: (back) => transport.finishAuth(back.searchParams.get('code')!),
    version: () => transport.protocolVersion,
  };
};

/** Someone's assistant that was let in. */
export interface Assistant<C> {
  client: C;
  /** Of the protocol. */
  version: string | undefined;
  signingIn: SigningIn;
  /** Once the person has allowed more. */
  comeBack(): Promise<Assistant<C>>;
}

/**
 * A person's assistant that is given nothing but the address: it finds out by itself where to sign in, and what to ask for.
 * `scope`: it was let in before, for this.
 */
export async function signIn<C = Client>(
  product: Product,
  person: Member,
  make: Make<C> = aNewClient('auto') as Make<C>,
  scope?: Scope,
): Promise<Assistant<C>> {
  const signingIn = new SigningIn(product, await product.organization.browser(person));
  const made = () => make(new URL(`${product.url}/v1/mcp`), signingIn);
  const enter = async (outside: Made<C>): Promise<Assistant<C>> => {
    if (signingIn.back) await outside.finishAuth(signingIn.back);
    const inside = made();
    await inside.connect();
    return { client: inside.client, version: inside.version(), signingIn, comeBack: () => enter(inside) };
  };
  const first = made();
  // a client of the older generation never asks for more while it can refresh what it has
  if (scope) signingIn.saveTokens({ ...(await product.tokens(person, { scope })), refresh_token: undefined });
  else await first.connect().catch(() => undefined); // there is no token yet
  return enter(first);
}
