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
  | 'files-too-large' // what was asked for in one exchange
  | 'corrupt' // what the host sent, or what is stored
  | 'object-missing'
  | 'other';

/** git did not do what was asked. The message is for people and contains no credential. */
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
  says(host: string, match: RegExpExecArray): string;
}

const damagedAt = (host: string) => `An object of the repository is damaged, either at ${host} or on the way.`;

/** The first rule that matches the messages of git, curl and ssh decides. Their language is fixed by `LC_ALL`. */
const rules: readonly FailureRule[] = [
  {
    pattern: /unable to update url base from redirection|The requested URL returned error: 30\d/,
    code: 'redirected',
    says: (host) => `${host} redirects to another address. Enter the address that the host shows now.`,
  },
  {
    pattern: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: 'host-key',
    says: (host) => `${host} did not prove the host key that is entered here. Nothing was sent to it.`,
  },
  {
    pattern: /Error loading key|Enter passphrase|incorrect passphrase|invalid format|agent refused operation/,
    code: 'bad-key',
    says: () =>
      'The private key cannot be used. Paste the whole key of a key pair without a passphrase, as ssh-keygen writes it.',
  },
  {
    pattern: /Permission denied \((publickey|[\w,-]*)\)|Too many authentication failures/,
    code: 'refused',
    says: (host) => `${host} does not accept the private key. Add its public key as a read-only deploy key.`,
  },
  {
    pattern:
      /Authentication failed for|could not read (Username|Password)|terminal prompts disabled|returned error: 401|HTTP Basic: Access denied/,
    code: 'refused',
    says: (host) => `${host} does not accept the credential. Enter a token that may read this repository.`,
  },
  {
    pattern: /returned error: 403/,
    code: 'refused',
    says: (host) => `${host} answered 403: the token may not read this repository.`,
  },
  {
    pattern: /returned error: 404|repository '[^']*' not found|Repository not found|does not appear to be a git/i,
    code: 'not-found',
    says: (host) =>
      `${host} has no such repository, or the credential may not see it. Check the address, and the rights of the credential.`,
  },
  {
    pattern: /returned error: (429|5\d\d)/,
    code: 'unreachable',
    says: (host, [, status]) => `${host} answered with status ${status}. The next sync tries again.`,
  },
  {
    pattern: /certificate|SSL|TLS|gnutls/i,
    code: 'tls',
    says: (host) =>
      `No secure connection to ${host}: its certificate is not trusted, or is for another name. Enter the certificate authority if the host has its own.`,
  },
  {
    pattern: /Operation too slow|timed out|Timeout/i,
    code: 'timed-out',
    says: (host) => `${host} did not answer in time.`,
  },
  {
    pattern: /Could not resolve host|Failed to connect|Connection refused|Couldn't connect|No route to host/i,
    code: 'unreachable',
    says: (host) => `There is no connection to ${host}.`,
  },
  {
    pattern: /not our ref|unadvertised object|upload-pack: not our ref|couldn't find remote ref/,
    code: 'object-missing',
    says: (host) => `${host} no longer has what was requested.`,
  },
  {
    pattern: /fsck|bad object|inflate|hash mismatch|corrupt|collision/i,
    code: 'corrupt',
    says: damagedAt,
  },
  {
    pattern: /early EOF|RPC failed|unexpected disconnect|hung up|Connection reset|Broken pipe|kex_exchange/i,
    code: 'unreachable',
    says: (host) => `The connection to ${host} ended before everything was received. The next sync tries again.`,
  },
  {
    pattern:
      /packfile|index-pack|pack has|unresolved deltas|unable to read tree|missing (tree|commit)|loose object|garbage|bad tree|not a tree/i,
    code: 'corrupt',
    says: damagedAt,
  },
];

const maxLines = 20;

/** A program that only reads and writes the stored copy has failed. The copy is then fetched again. */
export const storedCopyFailure = (messages: string): GitFailure =>
  new GitFailure(
    'corrupt',
    `The stored copy of the repository is damaged${quoteLast(messages)}. The next sync fetches it again.`,
  );

function quoteLast(messages: string): string {
  const last = messages.trim().split('\n').at(-1);
  return last ? `: git said ${quoteExternalText(last)}` : '';
}

/** Explains the messages of git. Text of the host is quoted only if no rule knows it. */
export function gitFailureOf(host: string, messages: string): GitFailure {
  const lines = messages.split('\n').slice(-maxLines).join('\n');
  const text = lines.replace(/'[^']*'/g, "''"); // names and addresses may contain any of the words
  for (const { pattern, code, says } of rules) {
    const match = pattern.exec(text);
    if (match) return new GitFailure(code, says(host, match));
  }
  const last = lines.trim().split('\n').at(-1) ?? '';
  return new GitFailure('other', `git stopped${last ? ` and said ${quoteExternalText(last)}` : ' without a message'}.`);
}
