import type { InvalidField } from '../../platform/errors/problem.js';
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
export type RegistrationInput = Omit<Registration, OptionalField> &
  Partial<Pick<Registration, Exclude<OptionalField, 'authMethod'>>> & { authMethod?: AuthMethod | null };
type OptionalField = 'description' | 'logoUrl' | 'configurationId' | 'authMethod';

/** What a new client starts with where nothing is said. */
export const registrationOf = (input: RegistrationInput): Registration => ({
  name: input.name.trim(),
  description: input.description?.trim() || null,
  logoUrl: input.logoUrl || null,
  type: input.type,
  isNative: input.isNative,
  redirectUris: input.redirectUris,
  target: input.target,
  configurationId: input.configurationId ?? null,
  scopes: withImplied(input.scopes),
  authMethod: input.authMethod ?? (input.type === 'public' ? 'none' : 'client_secret_basic'),
  contacts: input.contacts,
});

/** What is left out stays. Null clears what can be empty, and a target of another kind needs no configuration. */
export function mergedRegistration(before: Registration, input: Partial<RegistrationInput>): Registration {
  const isGiven = ([field, value]: [string, unknown]) =>
    value !== undefined && (value !== null || clearable.has(field));
  const cleared = input.target === 'api' ? { configurationId: null } : {};
  return registrationOf({ ...before, ...cleared, ...Object.fromEntries(Object.entries(input).filter(isGiven)) });
}

const clearable = new Set(['description', 'logoUrl', 'configurationId']);

/** The fields that are not what they were. */
export function changedFields(before: Registration, after: Registration): Partial<Registration> {
  const differs = ([field, value]: [string, unknown]) =>
    JSON.stringify(before[field as keyof Registration]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(differs));
}

/** Which fields do not go together, each with its place. */
export function registrationFaults(client: Registration): InvalidField[] {
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
export const requiresNewConsent = (change: Partial<Registration>): boolean =>
  Object.keys(change).some((field) => consentFields.has(field));

const consentFields = new Set(['name', 'logoUrl', 'isNative', 'redirectUris', 'target', 'configurationId', 'scopes']);

/** Whether what was granted before reaches further than the client may reach now. */
export const narrowsAccess = (before: Registration, after: Registration): boolean =>
  before.target !== after.target ||
  before.configurationId !== after.configurationId ||
  before.scopes.some((scope) => !after.scopes.includes(scope));

function isPlainHttps(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && !url.username && !url.password && /^[\x21-\x7e]+$/.test(text);
}
