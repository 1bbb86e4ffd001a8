import type { Fault } from '../../platform/errors/problem.js';
import type { AuthMethod, ClientScope, ClientTarget, ClientType } from './client.entity.js';
import { redirectUriFaults } from './redirect-uri.js';

/** What a client is registered with. */
export interface Registration {
  name: string;
  description: string | null;
  logoUrl: string | null;
  type: ClientType;
  isNative: boolean;
  redirectUris: string[];
  target: ClientTarget;
  configurationId: string | null;
  scopes: ClientScope[];
  authMethod: AuthMethod;
  contacts: string[];
}

/** As an administrator says it. */
export type Said = Omit<Registration, Optional> &
  Partial<Pick<Registration, Exclude<Optional, 'authMethod'>>> & { authMethod?: AuthMethod | null };
type Optional = 'description' | 'logoUrl' | 'configurationId' | 'authMethod';

/** What a new client starts with where nothing is said. */
export const registrationOf = (said: Said): Registration => ({
  name: said.name.trim(),
  description: said.description?.trim() || null,
  logoUrl: said.logoUrl || null,
  type: said.type,
  isNative: said.isNative,
  redirectUris: said.redirectUris,
  target: said.target,
  configurationId: said.configurationId ?? null,
  scopes: withImplied(said.scopes),
  authMethod: said.authMethod ?? (said.type === 'public' ? 'none' : 'client_secret_basic'),
  contacts: said.contacts,
});

/** What is left out stays. Null clears what can be empty, and a target of another kind needs no configuration. */
export function changed(before: Registration, said: Partial<Said>): Registration {
  const isSaid = ([field, value]: [string, unknown]) => value !== undefined && (value !== null || clearable.has(field));
  const leaves = said.target === 'api' ? { configurationId: null } : {};
  return registrationOf({ ...before, ...leaves, ...Object.fromEntries(Object.entries(said).filter(isSaid)) });
}

const clearable = new Set(['description', 'logoUrl', 'configurationId']);

/** The fields that are not what they were. */
export function differences(before: Registration, after: Registration): Partial<Registration> {
  const differs = ([field, value]: [string, unknown]) =>
    JSON.stringify(before[field as keyof Registration]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(differs));
}

/** Which fields do not go together, each with its place. */
export function registrationFaults(client: Registration): Fault[] {
  const { type, isNative, authMethod, target, configurationId, scopes, logoUrl } = client;
  const isPublic = type === 'public';
  const rules: [boolean, string, string][] = [
    [isNative && !isPublic, '/isNative', 'cannot be with a secret: whoever has the product could read it there'],
    [isPublic && authMethod !== 'none', '/authMethod', 'is "none" for a public client'],
    [!isPublic && authMethod === 'none', '/authMethod', 'is a way to present the secret of a confidential client'],
    [target === 'mcp' && !configurationId, '/configurationId', 'is needed for a client that targets MCP'],
    [target === 'api' && Boolean(configurationId), '/configurationId', 'is for a client that targets MCP'],
    [!scopes.length, '/scopes', 'names at least one'],
    [logoUrl !== null && !isPlainHttps(logoUrl), '/logoUrl', 'is an address that begins with https://'],
  ];
  const faults = rules.flatMap(([isWrong, pointer, detail]) => (isWrong ? [{ pointer, detail }] : []));
  return [...faults, ...redirectUriFaults(client.redirectUris, client)];
}

/** "api:write" includes "api:read". */
const withImplied = (scopes: readonly ClientScope[]): ClientScope[] =>
  scopes.includes('api:write') ? ['api:read', 'api:write'] : [...new Set(scopes)];

/** What people agreed to, as they saw it. A change of it is agreed to anew. */
export const changesConsent = (change: Partial<Registration>): boolean =>
  Object.keys(change).some((field) => agreedTo.has(field));

const agreedTo = new Set(['name', 'logoUrl', 'isNative', 'redirectUris', 'target', 'configurationId', 'scopes']);

/** Whether what was granted before reaches further than the client may reach now. */
export const takesAway = (before: Registration, after: Registration): boolean =>
  before.target !== after.target ||
  before.configurationId !== after.configurationId ||
  before.scopes.some((scope) => !after.scopes.includes(scope));

function isPlainHttps(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && !url.username && !url.password && /^[\x21-\x7e]+$/.test(text);
}
