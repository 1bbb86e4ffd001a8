import { quoteExternalText } from '../../platform/text/quote-external-text.js';

export type GitFailureCode =
  | 'not-installed'
  | 'refused' // no credential, a wrong one, or no right to this repository
  | 'not-found'
  | 'redirected'
  | 'unreachable'
  | 'tls'
  | 'host-key'
  | 'bad-key' // the private key cannot be used
  | 'timed-out'
  | 'too-large' // the repository
  | 'files-too-large' // the files of one fetch
  | 'corrupt' // the received data or the stored copy
  | 'object-missing'
  | 'other';

/** A git command failed. People see the message; it contains no credential. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';

  constructor(
    readonly code: GitFailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface FailureRule {
  pattern: RegExp;
  code: GitFailureCode;
  message(host: string, match: RegExpExecArray): string;
}

const damagedAt = (host: string) =>
  `An object of the repository is damaged. It was stored damaged at ${host}, or was damaged in transit.`;

/** Applied in order to the messages of git, curl and ssh, which are in English because of `LC_ALL`. */
const rules: readonly FailureRule[] = [
  {
    pattern: /unable to update url base from redirection|The requested URL returned error: 30\d/,
    code: 'redirected',
    message: (host) => `${host} redirects to another address. Enter the address that the host shows now.`,
  },
  {
    pattern: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: 'host-key',
    message: (host) => `The host key of ${host} does not match the entered host keys. Nothing was sent.`,
  },
  {
    pattern: /Error loading key|Enter passphrase|incorrect passphrase|invalid format|agent refused operation/,
    code: 'bad-key',
    message: () =>
      'The private key cannot be used. Paste the whole key of a key pair without a passphrase, as ssh-keygen writes it.',
  },
  {
    pattern: /Permission denied \((publickey|[\w,-]*)\)|Too many authentication failures/,
    code: 'refused',
    message: (host) => `${host} does not accept the private key. Add its public key as a read-only deploy key.`,
  },
  {
    pattern:
      /Authentication failed for|could not read (Username|Password)|terminal prompts disabled|returned error: 401|HTTP Basic: Access denied/,
    code: 'refused',
    message: (host) => `${host} does not accept the credential. Enter a token that may read this repository.`,
  },
  {
    pattern: /returned error: 403/,
    code: 'refused',
    message: (host) => `${host} returned status 403: the token may not read this repository.`,
  },
  {
    pattern: /returned error: 404|repository '[^']*' not found|Repository not found|does not appear to be a git/i,
    code: 'not-found',
    message: (host) =>
      `${host} has no such repository, or the credential may not see it. Check the address, and the rights of the credential.`,
  },
  {
    pattern: /returned error: (429|5\d\d)/,
    code: 'unreachable',
    message: (host, [, status]) => `${host} returned status ${status}. The next sync tries again.`,
  },
  {
    pattern: /certificate|SSL|TLS|gnutls/i,
    code: 'tls',
    message: (host) =>
      `The TLS connection to ${host} failed: its certificate is not trusted, or is for another name. If the host uses its own certificate authority, enter its certificate.`,
  },
  {
    pattern: /Operation too slow|timed out|Timeout/i,
    code: 'timed-out',
    message: (host) => `${host} did not answer in time.`,
  },
  {
    pattern: /Could not resolve host|Failed to connect|Connection refused|Couldn't connect|No route to host/i,
    code: 'unreachable',
    message: (host) => `Could not connect to ${host}.`,
  },
  {
    pattern: /not our ref|unadvertised object|upload-pack: not our ref|couldn't find remote ref/,
    code: 'object-missing',
    message: (host) => `${host} no longer has the requested objects.`,
  },
  {
    pattern: /not a git repository/,
    code: 'corrupt',
    message: () => `${damagedCopy().message} The next sync fetches it again.`,
  },
  {
    pattern: /fsck|bad object|inflate|hash mismatch|corrupt|collision/i,
    code: 'corrupt',
    message: damagedAt,
  },
  {
    pattern:
      /early EOF|RPC failed|unexpected disconnect|hung up|Connection reset|Broken pipe|kex_exchange|Empty reply|transfer closed/i,
    code: 'unreachable',
    message: (host) => `The connection to ${host} was interrupted. The next sync tries again.`,
  },
  {
    pattern:
      /packfile|index-pack|pack has|unresolved deltas|unable to read tree|missing (tree|commit)|loose object|garbage|bad tree|not a tree/i,
    code: 'corrupt',
    message: damagedAt,
  },
];

/** Messages of git and its libraries at the memory limit of the process. */
export const outOfMemory = /Out of memory|out of memory|Cannot allocate memory/;

const maxLines = 20;

/** The failure of a command that only uses the stored copy. The next sync fetches the copy again. */
export const storedCopyFailure = (messages: string): GitFailure =>
  new GitFailure(
    'corrupt',
    `The stored copy of the repository is damaged${quoteLast(messages)}. The next sync fetches it again.`,
  );

/** Our own check has found the damage. */
export const damagedCopy = (): GitFailure => new GitFailure('corrupt', 'The stored copy of the repository is damaged.');

function quoteLast(messages: string): string {
  const last = messages.trim().split('\n').at(-1);
  return last ? `. Message of git: ${quoteExternalText(last)}` : '';
}

/** Translates the messages of git. Their text is quoted only if no rule matches. */
export function gitFailureOf(host: string, messages: string): GitFailure {
  const lines = messages.split('\n').slice(-maxLines).join('\n');
  const text = lines.replace(/'[^']*'/g, "''"); // names and addresses could match a rule
  for (const { pattern, code, message } of rules) {
    const match = pattern.exec(text);
    if (match) return new GitFailure(code, message(host, match));
  }
  const last = lines.trim().split('\n').at(-1) ?? '';
  return new GitFailure(
    'other',
    `git failed${last ? `. Message of git: ${quoteExternalText(last)}` : ' without a message'}.`,
  );
}
