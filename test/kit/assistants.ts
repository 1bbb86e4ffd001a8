import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Member } from '../../src/access/member.entity.js';
import type { GateFixture } from './gate-fixture.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { AssistantOauthProvider } from './assistant-oauth-provider.js';

type Scope = 'api:read' | 'api:write';

/** A product that targets the house's configuration, as an administrator registers an assistant. */
export const anAssistantProduct = (
  server: TestServer,
  fixture: GateFixture,
  scopes: Scope[] = ['api:read', 'api:write'],
): Promise<Product> =>
  aProduct(server, fixture.organization, { target: 'mcp', configurationId: fixture.configurationId, scopes });

const assistantClientInfo = { name: 'assistant', version: '1.0.0' };

/** What a test does with a client of either generation of the SDK. */
export interface CommonMcpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}
/** Not yet connected. */
interface UnconnectedClient<C> {
  client: C;
  connect(): Promise<void>;
  finishAuth(back: URL): Promise<void>;
  version(): string | undefined;
}
export type ClientFactory<C> = (address: URL, assistantOauthProvider: AssistantOauthProvider) => UnconnectedClient<C>;

/** `legacy`: it speaks as deployed clients do. */
export const currentSdkClient =
  (mode: 'auto' | 'legacy'): ClientFactory<Client> =>
  (address, authProvider) => {
    const client = new Client(assistantClientInfo, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(address, { authProvider });
    return {
      client,
      connect: () => client.connect(transport),
      finishAuth: (back) => transport.finishAuth(back.searchParams),
      version: () => client.getNegotiatedProtocolVersion(),
    };
  };

export const previousSdkClient: ClientFactory<CommonMcpClient> = (address, signingIn) => {
  const client = new OlderClient(assistantClientInfo);
  const transport = new OlderTransport(address, { authProvider: signingIn as never });
  return {
    client: client as CommonMcpClient,
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
  oauthProvider: AssistantOauthProvider;
  /** Once the person has allowed more. */
  reconnect(): Promise<Assistant<C>>;
}

/**
 * A person's assistant that is given nothing but the address: it finds out by itself where to sign in, and what to ask for.
 * `scope`: it was let in before, for this.
 */
export async function signInAssistant<C = Client>(
  product: Product,
  person: Member,
  make: ClientFactory<C> = currentSdkClient('auto') as ClientFactory<C>,
  scope?: Scope,
): Promise<Assistant<C>> {
  const signingIn = new AssistantOauthProvider(product, await product.organization.browser(person));
  const createClient = () => make(new URL(`${product.url}/v1/mcp`), signingIn);
  const connectClient = async (outside: UnconnectedClient<C>): Promise<Assistant<C>> => {
    if (signingIn.callbackUrl) await outside.finishAuth(signingIn.callbackUrl);
    const inside = createClient();
    await inside.connect();
    return {
      client: inside.client,
      version: inside.version(),
      oauthProvider: signingIn,
      reconnect: () => connectClient(inside),
    };
  };
  const first = createClient();
  // a client of the older generation never asks for more while it can refresh what it has
  if (scope) signingIn.saveTokens({ ...(await product.tokens(person, { scope })), refresh_token: undefined });
  else await first.connect().catch(() => undefined); // there is no token yet
  return connectClient(first);
}
