/* Display names for the identifiers in the log. */

const names: Record<string, string> = {
  a2a_key: 'A2A key',
  account: "member's account",
  api: 'API',
  client: 'external client',
  connection: 'integration',
  mcp: 'MCP',
  notFourEyes: 'self-approved',
  sign_in: 'sign-in',
  sign_in_provider: 'sign-in provider',
  tenant: 'organization',
};

/** "a2a_key" is an "A2A key", "leaseEpoch" a "lease epoch". */
export const displayName = (name: string): string =>
  names[name] ??
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase();

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
export const capitalizedName = (name: string): string => capital(displayName(name));

/** "member.roles_changed": "Member roles changed" */
export function eventTypeName(kind: string): string {
  const [noun, ...verbs] = kind.split('.');
  return capital([noun, ...verbs].map(displayName).join(' '));
}

export const nounOf = (kind: string): string => kind.slice(0, kind.indexOf('.') + 1);
