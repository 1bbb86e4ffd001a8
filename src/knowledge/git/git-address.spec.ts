import { describe, expect, it } from 'vitest';
import { hostKeyAlias, InvalidGitAddress, isBranchName, parseGitAddress } from './git-address.js';

describe('the address of a repository', () => {
  it.each([
    ['https://github.com/acme/handbook.git', 'https', 'github.com', 443, 'acme/handbook'],
    ['https://git.example.org:8443/a/b/c', 'https', 'git.example.org', 8443, 'a/b/c'],
    ['http://[::1]:3000/acme/x.git/', 'http', '[::1]', 3000, 'acme/x'],
    ['git@github.com:acme/handbook.git', 'ssh', 'github.com', 22, 'acme/handbook'],
    ['ssh://git@git.example.org:2222/acme/handbook.git', 'ssh', 'git.example.org', 2222, 'acme/handbook'],
    ['ssh://git.example.org/~ada/notes', 'ssh', 'git.example.org', 22, 'ada/notes'],
  ])('%s', (text, protocol, host, port, repository) =>
    expect(parseGitAddress(text)).toMatchObject({ protocol, host, port, repository }),
  );

  it.each([
    '',
    'ext::sh -c id',
    'ext::sh%20-c%20id',
    'file:///srv/x.git',
    '/srv/x.git',
    './x',
    'git://example.org/x.git',
    'fd::17',
    'https://user@example.org/x.git',
    'https://user:pw@example.org/x.git',
    'ssh://git:pw@example.org/x.git',
    'ssh://-oProxyCommand=id/x.git',
    'ssh://-x@example.org/x.git',
    'git@-oProxyCommand=id:x',
    '-x@example.org:x',
    'https://example.org/',
    'https://example.org/x?y=1',
    'https://example.org:22/x.git',
    'https://example.org/x\\y',
    'https://example.org/a\nb',
    'git@example.org:--upload-pack=id',
    `https://example.org/${'x'.repeat(1000)}`,
  ])('refuses %j', (text) => expect(() => parseGitAddress(text)).toThrow(InvalidGitAddress));

  it('names the host key as known_hosts does', () => {
    expect(hostKeyAlias(parseGitAddress('git@example.org:x'))).toBe('example.org');
    expect(hostKeyAlias(parseGitAddress('ssh://example.org:2222/x'))).toBe('[example.org]:2222');
    expect(hostKeyAlias(parseGitAddress('ssh://[::1]:2222/x'))).toBe('[::1]:2222');
  });
});

it.each([
  ['main', true],
  ['release/2.0', true],
  ['größe', true],
  ['-f', false],
  ['a..b', false],
  ['a b', false],
  ['HEAD^', false],
  ['x.lock', false],
  ['.hidden', false],
  ['a//b', false],
  ['a:b', false],
  ['@{-1}', false],
])('the branch name %j is valid: %s', (name, expected) => expect(isBranchName(name)).toBe(expected));
