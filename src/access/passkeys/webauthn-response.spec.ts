import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Problem } from '../../platform/errors/problem.js';
import { parseAuthenticationResponse, parseRegistrationResponse } from './webauthn-response.js';
import { memberIdOfUserHandle } from './webauthn.service.js';

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const assertion = (clientData: unknown, more: object = {}) =>
  JSON.stringify({
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: encoded(clientData), authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
    ...more,
  });

describe('a WebAuthn response', () => {
  it('contains the challenge that it answers', () => {
    const challenge = Buffer.alloc(32, 9).toString('base64url');
    const { challenge: read, response } = parseAuthenticationResponse(assertion({ challenge, crossOrigin: false }));
    expect([read, response.response.userHandle]).toEqual([Buffer.alloc(32, 9), undefined]);
  });

  it.each([
    ['from a frame on another page', assertion({ challenge: 'AAAA', crossOrigin: true })],
    ['without a challenge', assertion({})],
    ['whose challenge is not a string', assertion({ challenge: 1 })],
    ['of another type', assertion({ challenge: 'AAAA' }, { type: 'password' })],
    ['whose id is not base64url', assertion({ challenge: 'AAAA' }, { id: 'A=A' })],
  ])('%s is rejected', (_, text) => expect(() => parseAuthenticationResponse(text)).toThrow(Problem));

  it('is rejected with a problem for any malformed input', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.json(),
      fc.json().map((json) => assertion(JSON.parse(json))),
    );
    fc.assert(
      fc.property(anything, (sent) => {
        for (const read of [parseAuthenticationResponse, parseRegistrationResponse]) {
          try {
            expect(read(sent).challenge).toBeInstanceOf(Buffer);
          } catch (error) {
            expect(error).toMatchObject({ code: 'passkey-refused' });
          }
        }
      }),
    );
  });
});

describe('memberIdOfUserHandle', () => {
  it('returns the member id stored in a passkey', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(memberIdOfUserHandle(Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'))).toBe(id);
      }),
    );
  });

  it.each([undefined, '', 'AAAA', 'A'.repeat(64)])('returns null for %j', (handle) => {
    expect(memberIdOfUserHandle(handle)).toBeNull();
  });
});
