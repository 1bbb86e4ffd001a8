import type { ConfigurationFile, SecretPlace, SecretType } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { quotedText } from '../quoted-text.js';

const words: Partial<Record<SecretType, string>> = {
  basic_auth: 'A user name with its password',
  bearer_token: 'A bearer token',
  connection_string: 'A connection string with its password',
  database_password: 'A database password',
  generic: 'A secret',
  jwt: 'A signed token (JWT)',
  private_key: 'A private key',
};

/** "A GitHub token" */
function secretLabel(type: SecretType): string {
  if (words[type]) return words[type];
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
  title: 'Secret written out in a file',
  why: 'Whoever reads the file has the secret: backups, other programs, an assistant that is asked to look at it; in a project everybody with the repository, for ever. An assistant takes it from the environment as well.',
  check: ({ name, secrets }, file) =>
    secrets.map((secret) => ({
      at: secret.place,
      severity: severityOf(secret, file),
      reason: `${secretLabel(secret.type)} of server ${quotedText(name)} is written out at ${quotedText(secret.place)}${
        file.scope === 'project' ? ', and whoever gets the project gets it too' : ''
      }.`,
      evidence: { type: secret.type, place: secret.place, fingerprint: secret.fingerprint },
      fix: `Withdraw it where it was issued, and ${replacementAdvice(secret.place)}.`,
    })),
};

function severityOf({ type }: SecretPlace, { scope }: ConfigurationFile): Severity {
  const isKnown = type !== 'generic';
  if (scope === 'project') return isKnown ? 'critical' : 'high';
  return isKnown ? 'high' : 'medium';
}

function replacementAdvice(place: string): string {
  const [, part, ...rest] = place.split('/');
  const name = rest.at(-1)?.replace(/~1/g, '/').replace(/~0/g, '~') ?? '';
  const variable = /^[A-Za-z_]\w*$/.test(name) ? name : 'MY_TOKEN';
  switch (part) {
    case 'env':
      return `write "\${env:${variable}}" there instead, with the new value in the environment`;
    case 'headers':
      return `let the header take the new one from the environment, as in "Bearer \${env:MY_TOKEN}"`;
    case 'auth':
      return `write "\${env:${variable}}" there instead, with the new value in the environment`;
    case 'url':
      return 'send the new one as a header that takes it from the environment: addresses end up in logs';
    case 'args':
      return 'hand the new one over as an environment variable: arguments are seen by every program on the device';
    default:
      return 'take the new one from the environment with "${env:NAME}"';
  }
}
