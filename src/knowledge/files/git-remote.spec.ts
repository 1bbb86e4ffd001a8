import { describe, expect, it } from 'vitest';
import { blobUrlOf, filePageUrl, originIn } from './git-remote.js';

describe('the web URL of a checkout', () => {
  it.each([
    ['git@github.com:acme/handbook.git', 'https://github.com/acme/handbook/blob/main'],
    ['https://user:secret@github.com/acme/handbook.git', 'https://github.com/acme/handbook/blob/main'],
    ['ssh://git@gitlab.example.org:2222/team/sub/repo.git', 'https://gitlab.example.org/team/sub/repo/-/blob/main'],
    ['https://codeberg.org/acme/handbook', 'https://codeberg.org/acme/handbook/src/branch/main'],
    ['git@bitbucket.org:acme/handbook.git', 'https://bitbucket.org/acme/handbook/src/main'],
    ['/srv/git/handbook.git', null],
    ['https://git.example.org/acme/handbook.git', null],
  ])('of %s is %s', (origin, expected) => expect(blobUrlOf(origin, 'main')).toBe(expected));
});

describe('the page of a file at a commit', () => {
  it.each([
    ['github', 'https://h.example/a/b', 'https://h.example/a/b/blob/c0ffee/x%20y/z.md'],
    ['gitlab', 'https://h.example/a/b', 'https://h.example/a/b/-/blob/c0ffee/x%20y/z.md'],
    ['gitea', 'https://h.example/a/b', 'https://h.example/a/b/src/commit/c0ffee/x%20y/z.md'],
    ['bitbucket', 'https://h.example/a/b', 'https://h.example/a/b/src/c0ffee/x%20y/z.md'],
    ['github', 'https://h.example/a/b.wiki', 'https://h.example/a/b/wiki/z/c0ffee'],
    ['gitlab', 'https://h.example/a/b.wiki', 'https://h.example/a/b/-/wikis/x%20y/z?version_id=c0ffee'],
  ] as const)('on %s in %s', (layout, repository, expected) =>
    expect(filePageUrl(repository, layout, 'c0ffee', 'x y/z.md')).toBe(expected),
  );
});

describe('the origin of a checkout', () => {
  const origin =
    '[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\turl = git@github.com:acme/handbook.git\n';

  it('is read only from its own section', () => {
    expect(originIn(`[core]\n\turl = no\n[remote "other"]\n\turl = no\n${origin}`)).toBe(
      'git@github.com:acme/handbook.git',
    );
    expect(originIn('[remote "origin"]\n[branch "main"]\n\turl = no\n')).toBeNull();
  });

  it.each([
    ['blank lines', `[remote "origin"]\n${'\n'.repeat(60_000)}`],
    ['blanks', `[remote "origin"]\n${' '.repeat(60_000)}url`],
    ['sections', '[remote "origin"]\n'.repeat(3600)],
    ['lines that start like the URL', `[remote "origin"]\n${' url '.repeat(12_000)}`],
  ])('is found in linear time: %s', (_, config) => expect(originIn(config)).toBeNull());
});
