import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Member } from '../../src/access/member.entity.js';
import type { GateFixture } from './gate-fixture.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { AssistantOauthProvider } from './assistant-oauth-provider.js';

type Scope = 'api:read' | 'api:write';

/** An OAuth client for the fixture's configuration, as an administrator registers an assistant. */
export const anAssistantProduct = (
  server: TestServer,
  fixture: GateFixture,
  scopes: Scope[] = ['api:read', 'api:write'],
): Promise<Product> =>
  aProduct(server, fixture.organization, { target: 'mcp', configurationId: fixture.configurationId, scopes });

const assistantClientInfo = { name: 'assistant', version: '1.0.0' };

/** The common interface of the clients of both SDK generations. */
export interface CommonMcpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}
/** A client before it connects. */
interface UnconnectedClient<C> {
  client: C;
  connect(): Promise<void>;
  finishAuth(back: URL): Promise<void>;
  version(): string | undefined;
}
export type ClientFactory<C> = (address: URL, assistantOauthProvider: AssistantOauthProvider) => UnconnectedClient<C>;

/** `legacy`: uses the protocol version of clients deployed today. */
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

/** A connected assistant of a person. */
export interface Assistant<C> {
  client: C;
  /** The negotiated protocol version. */
  version: string | undefined;
  oauthProvider: AssistantOauthProvider;
  /** Reconnects after the person granted more scopes. */
  reconnect(): Promise<Assistant<C>>;
}

/**
 * Signs in a person's assistant that knows only the server address: it discovers the authorization server and the
 * scopes. `scope`: the scope that the person granted it before.
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
  // a client of the older generation never requests more scopes while it can refresh its token
  if (scope) signingIn.saveTokens({ ...(await product.tokens(person, { scope })), refresh_token: undefined });
  else await first.connect().catch(() => undefined); // fails: the client has no token yet
  return connectClient(first);
}
