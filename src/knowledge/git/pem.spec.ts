import { expect, it } from 'vitest';
import { pemOf } from './pem.js';

const body = `${'A'.repeat(64)}\n${'b+/9'.repeat(4)}==`;
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;

it.each([
  ['complete', pem],
  ['without line breaks', pem.replaceAll('\n', '')],
  ['with blanks in their place', `  ${pem.replaceAll('\n', ' ')}`],
  ['with Windows line breaks', pem.replaceAll('\n', '\r\n')],
])('restores a key that is %s', (_, text) => expect(pemOf(text, 'PRIVATE KEY')).toBe(pem));

it.each([
  ['without an end', pem.slice(0, 80)],
  ['of another type', pem.replaceAll('PRIVATE KEY', 'CERTIFICATE')],
  ['with other text inside', pem.replace('b+/9', '; id')],
  ['that is a public key', 'ssh-ed25519 AAAA'],
])('finds none in text %s', (_, text) => expect(pemOf(text, 'PRIVATE KEY')).toBeNull());
