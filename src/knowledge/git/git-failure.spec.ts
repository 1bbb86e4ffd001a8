import { describe, expect, it } from 'vitest';
import { gitFailureOf } from './git-failure.js';

describe('the messages of git', () => {
  it.each([
    ["fatal: unable to access 'https://h/x/': The requested URL returned error: 403", 'refused'],
    ["remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://h/x/'", 'refused'],
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'refused'],
    ["remote: Repository not found.\nfatal: repository 'https://h/tls/certificate/' not found", 'not-found'],
    ["fatal: unable to access 'https://h/ssl-certificate/': Failed to connect to h port 443", 'unreachable'],
    [
      "fatal: unable to access 'https://h/x/': server certificate verification failed. CAfile: none CRLfile: none",
      'tls',
    ],
    [
      'fatal: unable to update url base from redirection:\n  asked for: https://h/x\n   redirect: https://i/x',
      'redirected',
    ],
    ["fatal: unable to access 'https://h/x/': Operation too slow. Less than 1000 bytes/sec", 'timed-out'],
    ['No ED25519 host key is known for h\nHost key verification failed.', 'host-key'],
    ['git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'refused'],
    ['Enter passphrase for (stdin): ', 'bad-key'],
    ['fatal: remote error: upload-pack: not our ref 1111', 'object-missing'],
    [
      'error: RPC failed; curl 18 transfer closed\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
      'unreachable',
    ],
    [
      'error: object 11: zeroPaddedFilemode: contains zero-padded file modes\nfatal: fsck error in packed object',
      'corrupt',
    ],
    ['fatal: the remote end hung up unexpectedly', 'unreachable'],
    ["fatal: unable to access 'https://h/x/': Empty reply from server", 'unreachable'],
    ["fatal: unable to access 'https://h/x/': transfer closed with outstanding read data remaining", 'unreachable'],
    ["fatal: 'x.git' does not appear to be a git repository", 'not-found'],
    ["fatal: not a git repository: 'repository.git'", 'corrupt'],
  ])('%s', (text, code) => expect(gitFailureOf('h', text)).toMatchObject({ code }));

  it('are quoted on one line if no rule matches', () =>
    expect(gitFailureOf('h', 'warning: x\nfatal: a new “problem”\u202e\n').message).toBe(
      'git failed. Message of git: “fatal: a new "problem"”.',
    ));
});
