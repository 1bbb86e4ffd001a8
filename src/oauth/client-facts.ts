import type { AdapterPayload, Client } from 'oidc-provider';
import type { KnownClientRow } from './clients.system.sql.js';
import { resourcePaths } from './resources.js';

/** The built-in client of the command line, which uses device authorization. No administrator registers it. */
export const cliClientId = 'countersign-cli';
const cliPath = '/cli';

/** Properties of a client that the library does not need. */
export interface ClientFacts {
  /** Null for the command line client, which serves members of every organization. */
  tenantId: string | null;
  id: string;
  name: string;
  description: string | null;
  isNative: boolean;
  target: 'api' | 'mcp' | 'cli';
  configurationId: string | null;
  scopes: string[];
  revision: number;
  /** SHA-256 in base64url of each currently valid secret. */
  secrets: string[];
}

const factsKey = 'countersign';
export const extraClientMetadata = { properties: [factsKey] };

export const clientFactsOf = (client: Client): ClientFacts => client[factsKey] as ClientFacts;

/** The only resource that accepts the client's tokens. */
export const resourceOf = (baseUrl: string, { target }: ClientFacts): string =>
  baseUrl + (target === 'cli' ? cliPath : resourcePaths[target]);

/**
 * Maps a registered client to the metadata of the library. Native clients are "web" too: "web" compares redirect URIs
 * character by character, "native" would accept any port.
 */
export function registeredClient(row: KnownClientRow): AdapterPayload {
  const { tenantId, id, name, description, isNative, target, configurationId, scopes, revision } = row;
  const secrets = row.secretHashes.map((hash) => hash.toString('base64url'));
  const facts: ClientFacts = {
    tenantId,
    id,
    name,
    description,
    isNative,
    target,
    configurationId,
    scopes,
    revision,
    secrets,
  };
  return {
    ...shared,
    client_id: id,
    client_name: name,
    redirect_uris: row.redirectUris,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: row.authMethod,
    // the library requires a value; `compareClientSecret` compares the digests instead
    ...(row.authMethod === 'none' ? {} : { client_secret: 'stored as digests' }),
    [factsKey]: facts,
  };
}

const shared = { application_type: 'web', id_token_signed_response_alg: 'ES256' } as const;

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const cliClientFacts: ClientFacts = {
  tenantId: null,
  id: cliClientId,
  name: 'Countersign command line',
  description: null,
  isNative: true,
  target: 'cli',
  configurationId: null,
  scopes: ['api:read', 'api:write'],
  revision: 1,
  secrets: [],
};

export const cliClient = {
  ...shared,
  client_id: cliClientId,
  client_name: cliClientFacts.name,
  redirect_uris: [],
  response_types: [],
  grant_types: [deviceGrant, 'refresh_token'],
  token_endpoint_auth_method: 'none',
  [factsKey]: cliClientFacts,
} as const;
