import { expect, it } from 'vitest';
import { secretsInHeader, withoutSecrets } from './without-secrets.js';

const basic = `Basic ${Buffer.from('ada:pass word').toString('base64')}`;

it.each([
  ['Bearer tok-4711', 'no "Bearer tok-4711", no tok-4711', 'no "…", no …'],
  ['tok-4711', 'unknown key tok-4711', 'unknown key …'],
  [basic, `not ${basic}, not ada:pass word, not pass word`, 'not …, not …, not …'],
])('replaces the parts of the header %j', (header, text, expected) => {
  expect(withoutSecrets(text, secretsInHeader(header))).toBe(expected);
});

it('replaces the longest secret first, and ignores those that are too short to be one', () => {
  expect(withoutSecrets('key-1 key-12 ab', ['key-1', 'key-12', 'ab', ''])).toBe('… … ab');
});
