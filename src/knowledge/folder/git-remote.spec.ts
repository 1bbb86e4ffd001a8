import { describe, expect, it } from 'vitest';
import { addressOf } from './git-remote.js';

describe('address of a checkout', () => {
  it.each([
    ['git@github.com:acme/handbook.git', 'https://github.com/acme/handbook/blob/main'],
    ['https://user:secret@github.com/acme/handbook.git', 'https://github.com/acme/handbook/blob/main'],
    ['ssh://git@gitlab.example.org:2222/team/sub/repo.git', 'https://gitlab.example.org/team/sub/repo/-/blob/main'],
    ['https://codeberg.org/acme/handbook', 'https://codeberg.org/acme/handbook/src/branch/main'],
    ['/srv/git/handbook.git', null],
    ['https://git.example.org/acme/handbook.git', null],
  ])('%s', (origin, expected) => expect(addressOf(origin, 'main')).toBe(expected));
});
