import type { SecretType } from '../../../platform/secrets/secret-types.js';
import type { ConfigurationFile, SecretPlace } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { quotedText } from '../quoted-text.js';

const labels: Partial<Record<SecretType, string>> = {
  basic_auth: 'A username with its password',
  bearer_token: 'A bearer token',
  connection_string: 'A connection string with its password',
  database_password: 'A database password',
  generic: 'A secret',
  jwt: 'A signed token (JWT)',
  private_key: 'A private key',
};

/** "A GitHub token" */
function secretLabel(type: SecretType): string {
  if (labels[type]) return labels[type];
  const [vendor, ...rest] = type.split('_').map((word) => spelled[word] ?? word);
  const name = [vendor[0].toUpperCase() + vendor.slice(1), ...rest].join(' ');
  return `${/^[AEIO]/.test(name) ? 'An' : 'A'} ${name}`;
}
const spelled: Record<string, string> = {
  aws: 'AWS',
  github: 'GitHub',
  gitlab: 'GitLab',
  npm: 'npm',
  openai: 'OpenAI',
  pypi: 'PyPI',
  sendgrid: 'SendGrid',
};

export const plaintextSecret: EntryRule = {
  id: 'plaintext_secret',
  title: 'Plaintext secret in a file',
  why: 'Everyone who reads the file gets the secret: backups, other programs, an assistant that opens the file, and in a project everyone with access to the repository, permanently. An assistant can also read the secret from the environment.',
  check: ({ name, secrets }, file) =>
    secrets.map((secret) => ({
      at: secret.place,
      severity: severityOf(secret, file),
      reason: `${secretLabel(secret.type)} of server ${quotedText(name)} is stored in plaintext at ${quotedText(secret.place)}${
        file.scope === 'project' ? ', and everyone with access to the project can read it' : ''
      }.`,
      evidence: { type: secret.type, place: secret.place, fingerprint: secret.fingerprint },
      fix: `Revoke it where it was issued, and ${replacementAdvice(secret.place, file.client)}.`,
    })),
};

function severityOf({ type }: SecretPlace, { scope }: ConfigurationFile): Severity {
  const isKnown = type !== 'generic';
  if (scope === 'project') return isKnown ? 'critical' : 'high';
  return isKnown ? 'high' : 'medium';
}

/** How a client reads a variable of the environment in its file. */
function variableReference(name: string, client: string): string {
  if (client === 'claude-code' || client === 'gemini-cli') return `\${${name}}`;
  return client === 'opencode' ? `{env:${name}}` : `\${env:${name}}`;
}

function replacementAdvice(place: string, client: string): string {
  const [, part, ...rest] = place.split('/');
  const name = rest.at(-1)?.replace(/~1/g, '/').replace(/~0/g, '~') ?? '';
  const variable = /^[A-Za-z_]\w*$/.test(name) ? name : 'MY_TOKEN';
  switch (part) {
    case 'env':
    case 'envs':
    case 'environment':
      // Codex has no references
      return client === 'codex'
        ? `list "${variable}" in "env_vars" instead, with the new value in the environment`
        : `write "${variableReference(variable, client)}" there instead, with the new value in the environment`;
    case 'headers':
    case 'http_headers':
      return client === 'codex'
        ? 'name a variable with the new one in "env_http_headers" or "bearer_token_env_var" instead'
        : `read the new one from the environment in the header, as in "Bearer ${variableReference('MY_TOKEN', client)}"`;
    case 'auth':
      return `write "${variableReference(variable, client)}" there instead, with the new value in the environment`;
    case 'url':
    case 'serverUrl':
    case 'httpUrl':
    case 'uri':
      return 'send the new one as a header that reads it from the environment, because addresses end up in logs';
    case 'args':
      return 'pass the new one as an environment variable, because every program on the device can see arguments';
    default:
      return `read the new one from the environment with "${variableReference('NAME', client)}"`;
  }
}
