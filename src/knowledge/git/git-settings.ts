import type { ConnectorField } from '../../connections/connector-registry.service.js';
import type { InvalidField } from '../../platform/errors/problem.js';
import { InvalidGitAddress, isBranchName, parseGitAddress, type GitAddress } from './git-address.js';
import type { GitCredential } from './git-transport.js';
import { isHostKey } from './git-transport.js';
import { pemOf } from './pem.js';

const webLinks = ['github', 'gitlab', 'gitea', 'bitbucket', 'none'] as const;

export const gitFields: readonly ConnectorField[] = [
  {
    name: 'address',
    label: 'Repository',
    type: 'text',
    required: true,
    isTarget: true,
    help: 'The clone URL: https://git.example.com/acme/handbook.git or git@git.example.com:acme/handbook.git. On GitHub and GitLab, the wiki is a separate repository whose address ends in .wiki.git.',
  },
  {
    name: 'branch',
    label: 'Branch',
    type: 'text',
    required: false,
    help: 'Leave empty for the default branch.',
  },
  {
    name: 'user',
    label: 'User name',
    type: 'text',
    required: false,
    help: 'For https. Leave empty for GitHub, GitLab and Gitea, which accept any name with a token. For an access token of Bitbucket, enter x-token-auth.',
  },
  {
    name: 'token',
    label: 'Token',
    type: 'secret',
    required: false,
    help: 'For https. A token that can only read this repository. Leave empty for a public repository.',
  },
  {
    name: 'privateKey',
    label: 'Private key',
    type: 'secret',
    required: false,
    isMultiline: true,
    help: 'For SSH. The private key of a read-only deploy key, without a passphrase.',
  },
  {
    name: 'hostKeys',
    label: 'Host keys',
    type: 'list',
    required: false,
    help: 'For SSH. Fingerprints of the host, such as SHA256:…, or its public keys. If you leave it empty, saving shows the fingerprints that the host presents, so that you can compare and enter them.',
  },
  {
    name: 'certificateAuthority',
    label: 'Certificate authority',
    type: 'text',
    required: false,
    help: 'For https with a private certificate authority: the certificate of the authority, in PEM.',
  },
  {
    name: 'include',
    label: 'Only these files',
    type: 'list',
    required: false,
    help: 'Patterns as in .gitignore, for example docs/ or *.md. Leave empty for all files.',
  },
  {
    name: 'exclude',
    label: 'Not these files',
    type: 'list',
    required: false,
    help: 'Patterns as in .gitignore, for example vendor/. They take precedence over the included files.',
  },
  {
    name: 'webLinks',
    label: 'Web pages',
    type: 'choice',
    required: false,
    options: webLinks,
    optionLabels: ['GitHub', 'GitLab', 'Gitea or Forgejo', 'Bitbucket', 'None'],
    help: 'The software of the host, so that citations link to the file at the cited commit. Detected for github.com, gitlab.com, codeberg.org and bitbucket.org.',
  },
  {
    name: 'webAddress',
    label: 'Web address',
    type: 'text',
    required: false,
    help: 'The page of the repository, if it differs from the clone URL without .git.',
  },
  {
    name: 'groups',
    label: 'Only for groups',
    type: 'list',
    required: false,
    help: 'The groups that can search the repository, because git has no read permissions per person. Leave empty for everyone who can use a configuration with this connection.',
  },
];

export interface GitSettings {
  address: GitAddress;
  branch: string | null;
  include: readonly string[];
  exclude: readonly string[];
  webLinks: (typeof webLinks)[number] | null;
  webAddress: string | null;
  /** Leave out the files that .gitattributes marks as generated or vendored. */
  usesAttributes: boolean;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() ? value.trim() : null);
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];

export const gitSettingsOf = (settings: Record<string, unknown>): GitSettings => ({
  address: parseGitAddress(String(settings.address ?? '').trim()),
  branch: textOf(settings.branch),
  include: listOf(settings.include),
  exclude: listOf(settings.exclude),
  webLinks: webLinks.find((one) => one === settings.webLinks) ?? null,
  webAddress: textOf(settings.webAddress),
  usesAttributes: true,
});

export const gitCredentialOf = (
  settings: Record<string, unknown>,
  secret: (name: string) => string | undefined,
): GitCredential => ({
  user: textOf(settings.user) ?? undefined,
  token: secret('token'),
  privateKey: secret('privateKey'),
  hostKeys: listOf(settings.hostKeys),
  certificateAuthority: textOf(settings.certificateAuthority) ?? undefined,
});

export function gitSettingsFaults(settings: Record<string, unknown>): InvalidField[] {
  const faults: InvalidField[] = [];
  const wrong = (name: string, detail: string) => faults.push({ pointer: `/settings/${name}`, detail });
  try {
    parseGitAddress(String(settings.address ?? '').trim());
  } catch (error) {
    if (!(error instanceof InvalidGitAddress)) throw error;
    wrong('address', error.message);
  }
  const branch = textOf(settings.branch);
  if (branch && !isBranchName(branch)) wrong('branch', 'must be the name of a branch, such as main');
  if (/[\p{Cc}:]/u.test(String(settings.user ?? ''))) wrong('user', 'must not contain colons or line breaks');
  if (!listOf(settings.hostKeys).every(isHostKey))
    wrong('hostKeys', 'must be fingerprints such as SHA256:… or public keys such as ssh-ed25519 AAAA…');
  const authority = textOf(settings.certificateAuthority);
  if (authority && !pemOf(authority, 'CERTIFICATE')) wrong('certificateAuthority', 'must be a certificate in PEM');
  const page = textOf(settings.webAddress);
  if (page && !isWebAddress(page)) wrong('webAddress', 'must be a URL such as https://git.example.com/acme/handbook');
  return faults;
}

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return !username && !password && !search && !hash;
}
