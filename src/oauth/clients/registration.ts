import type { InvalidField } from '../../platform/errors/problem.js';
import type { AuthMethod, ClientScope, ClientTarget, ClientType } from '../client.entity.js';
import { redirectUriFaults } from './redirect-uri.js';

/** The registration of a client. */
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

/** The input of an administrator. */
export type RegistrationInput = Omit<Registration, OptionalField> &
  Partial<Pick<Registration, Exclude<OptionalField, 'authMethod'>>> & { authMethod?: AuthMethod | null };
type OptionalField = 'description' | 'logoUrl' | 'configurationId' | 'authMethod';

/** Completes the input with defaults. */
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

/** Omitted fields stay unchanged. Null clears optional fields. The target "api" clears the configuration. */
export function mergedRegistration(before: Registration, input: Partial<RegistrationInput>): Registration {
  const isGiven = ([field, value]: [string, unknown]) =>
    value !== undefined && (value !== null || clearable.has(field));
  const cleared = input.target === 'api' ? { configurationId: null } : {};
  return registrationOf({ ...before, ...cleared, ...Object.fromEntries(Object.entries(input).filter(isGiven)) });
}

const clearable = new Set(['description', 'logoUrl', 'configurationId']);

/** The fields that differ. */
export function changedFields(before: Registration, after: Registration): Partial<Registration> {
  const differs = ([field, value]: [string, unknown]) =>
    JSON.stringify(before[field as keyof Registration]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(differs));
}

/** Inconsistent fields, with their positions. */
export function registrationFaults(client: Registration): InvalidField[] {
  const { type, isNative, authMethod, target, configurationId, scopes, logoUrl } = client;
  const isPublic = type === 'public';
  const rules: [boolean, string, string][] = [
    [
      isNative && !isPublic,
      '/isNative',
      'is not allowed for a confidential client: anyone who has the product could read its secret',
    ],
    [isPublic && authMethod !== 'none', '/authMethod', 'must be "none" for a public client'],
    [
      !isPublic && authMethod === 'none',
      '/authMethod',
      'must be client_secret_basic or client_secret_post for a confidential client',
    ],
    [target === 'mcp' && !configurationId, '/configurationId', 'is required for a client that targets MCP'],
    [target === 'api' && Boolean(configurationId), '/configurationId', 'is allowed only for a client that targets MCP'],
    [!scopes.length, '/scopes', 'must contain at least one scope'],
    [logoUrl !== null && !isPlainHttps(logoUrl), '/logoUrl', 'must be a URL that starts with https://'],
  ];
  const faults = rules.flatMap(([isWrong, pointer, detail]) => (isWrong ? [{ pointer, detail }] : []));
  return [...faults, ...redirectUriFaults(client.redirectUris, client)];
}

/** "api:write" includes "api:read". */
const withImplied = (scopes: readonly ClientScope[]): ClientScope[] =>
  scopes.includes('api:write') ? ['api:read', 'api:write'] : [...new Set(scopes)];

/** The consent page shows these fields. A change of one of them requires new consent. */
export const requiresNewConsent = (change: Partial<Registration>): boolean =>
  Object.keys(change).some((field) => consentFields.has(field));

const consentFields = new Set(['name', 'logoUrl', 'isNative', 'redirectUris', 'target', 'configurationId', 'scopes']);

/** Whether existing grants exceed the new access of the client. */
export const narrowsAccess = (before: Registration, after: Registration): boolean =>
  before.target !== after.target ||
  before.configurationId !== after.configurationId ||
  before.scopes.some((scope) => !after.scopes.includes(scope));

function isPlainHttps(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && !url.username && !url.password && /^[\x21-\x7e]+$/.test(text);
}
