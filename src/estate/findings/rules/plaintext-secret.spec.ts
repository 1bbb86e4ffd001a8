import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import type { SecretType } from '../../../platform/secrets/secret-types.js';
import { plaintextSecret } from './plaintext-secret.js';

const found = (type: SecretType, place: string, scope: 'user' | 'project' = 'user') =>
  plaintextSecret.check(anEntry({ secrets: [{ type, place, fingerprint: 'f1' }] }), aConfiguration({ scope }))[0];

describe('the plaintext_secret rule', () => {
  it.each([
    ['github_token', 'user', 'high'],
    ['github_token', 'project', 'critical'],
    ['generic', 'user', 'medium'],
    ['generic', 'project', 'high'],
  ] as const)('rates %s in a %s file as %s', (type, scope, severity) =>
    expect(found(type, '/env/TOKEN', scope)).toMatchObject({ at: '/env/TOKEN', severity }),
  );

  it.each([
    ['/env/GH_TOKEN', '"${env:GH_TOKEN}"'],
    ['/env/odd name', '"${env:MY_TOKEN}"'],
    ['/headers/Authorization', '"Bearer ${env:MY_TOKEN}"'],
    ['/auth/CLIENT_SECRET', '"${env:CLIENT_SECRET}"'],
    ['/args/3', 'environment variable'],
    ['/url', 'as a header'],
    ['/elsewhere', '"${env:NAME}"'],
  ])('for a secret at %s, suggests %s', (place, instead) => expect(found('generic', place).fix).toContain(instead));

  it.each([
    ['github_token', 'A GitHub token'],
    ['aws_key', 'An AWS key'],
    ['openai_key', 'An OpenAI key'],
    ['slack_token', 'A Slack token'],
    ['private_key', 'A private key'],
    ['generic', 'A secret'],
  ] as const)('calls %s "%s"', (type, name) =>
    expect(found(type, '/env/T').reason).toBe(`${name} of server “tools” is stored in plaintext at “/env/T”.`),
  );

  it('reports each place with a fingerprint instead of the value', () => {
    const secrets = ['/env/A', '/env/B'].map((place) => ({ type: 'jwt' as const, place, fingerprint: 'f' }));
    const both = plaintextSecret.check(anEntry({ secrets }), aConfiguration());
    expect(both.map(({ evidence }) => evidence)).toEqual([
      { type: 'jwt', place: '/env/A', fingerprint: 'f' },
      { type: 'jwt', place: '/env/B', fingerprint: 'f' },
    ]);
    expect(plaintextSecret.check(anEntry(), aConfiguration())).toEqual([]);
  });
});
