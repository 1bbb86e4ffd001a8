import { expect, it } from 'vitest';
import { gitVersionFault } from './git-version.js';

it.each([
  'git version 2.39.4',
  'git version 2.39.5 (Apple Git-154)',
  'git version 2.45.1.windows.1',
  'git version 2.53.0',
  'git version 3.0.0',
])('accepts %s', (text) => expect(gitVersionFault(text)).toBeNull());

it.each(['git version 2.39.3', 'git version 2.38.9', 'git version 2.45.0', 'git version 1.9.1'])('refuses %s', (text) =>
  expect(gitVersionFault(text)).toMatch(/is too old.*Install git 2\.45\.1 or newer/),
);

it('refuses a program that is not git', () =>
  expect(gitVersionFault('hello')).toMatch(/version of the program "git" on the server is unknown/));
