import { describe, expect, it } from 'vitest';
import { issuerFault } from './issuer.js';

describe('issuerFault', () => {
  it.each(['https://accounts.example.com', 'https://login.example.com/tenant/v2.0', 'http://127.0.0.1:9000'])(
    'accepts %s',
    (issuer) => expect(issuerFault(issuer)).toBeNull(),
  );

  it.each([
    ['accounts.example.com', /address/],
    ['http://accounts.example.com', /https/],
    ['file:///etc/passwd', /https/],
    ['https://accounts.example.com?x=1', /query/],
    ['https://accounts.example.com#', /query/],
    ['https://a:b@accounts.example.com', /user name/],
    ['https://accounts.example.com/.well-known/openid-configuration', /before/],
  ])('rejects %s', (issuer, reason) => expect(issuerFault(issuer)).toMatch(reason));
});
