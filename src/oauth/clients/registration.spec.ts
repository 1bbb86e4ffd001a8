import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { ClientScope } from '../client.entity.js';
import {
  mergedRegistration,
  requiresNewConsent,
  changedFields,
  type Registration,
  registrationFaults,
  registrationOf,
  narrowsAccess,
} from './registration.js';

const portal: Registration = {
  name: 'Portal',
  description: 'For customers',
  logoUrl: 'https://portal.example/logo.svg',
  type: 'public',
  isNative: false,
  redirectUris: ['https://portal.example/callback'],
  target: 'mcp',
  configurationId: '01a1f9d3-2b6f-7eac-9da4-3e79b6f9a07d',
  scopes: ['api:read', 'api:write'],
  authMethod: 'none',
  contacts: ['ops@portal.example'],
};
const pointers = (change: Partial<Registration>) =>
  registrationFaults({ ...portal, ...change }).map(({ pointer }) => pointer);

describe('a registration', () => {
  it('is completed with defaults', () => {
    const input = { ...portal, name: ' Portal ', description: '  ', authMethod: null, scopes: ['api:write' as const] };
    expect(registrationOf(input)).toEqual({ ...portal, description: null });
    expect(registrationOf({ ...input, type: 'confidential' }).authMethod).toBe('client_secret_basic');
  });

  it('leaves omitted fields unchanged and clears optional fields', () => {
    expect(mergedRegistration(portal, { description: null, name: undefined })).toEqual({
      ...portal,
      description: null,
    });
    expect(mergedRegistration(portal, { name: null as never, contacts: null as never })).toEqual(portal);
  });

  it('drops the configuration when the target changes to the API', () =>
    expect(mergedRegistration(portal, { target: 'api' })).toEqual({ ...portal, target: 'api', configurationId: null }));

  it('rejects inconsistent fields', () => {
    expect(pointers({})).toEqual([]);
    expect(pointers({ type: 'confidential', isNative: true })).toEqual(['/isNative', '/authMethod']);
    expect(pointers({ configurationId: null, scopes: [] })).toEqual(['/configurationId', '/scopes']);
    expect(pointers({ target: 'api', authMethod: 'client_secret_post' })).toEqual(['/authMethod', '/configurationId']);
  });

  it.each([
    'http://a.example/x.png',
    'data:image/png;base64,',
    'https://u:p@a.example/',
    'https://ä.example/',
    'logo.png',
  ])('rejects the logo URL %s', (logoUrl) => expect(pointers({ logoUrl })).toEqual(['/logoUrl']));
});

describe('an update', () => {
  const some = fc.record(
    {
      name: fc.constantFrom('Portal', 'Other'),
      description: fc.constantFrom(null, 'For customers', 'For all'),
      redirectUris: fc.constantFrom(portal.redirectUris, ['https://portal.example/other']),
      target: fc.constantFrom('api' as const, 'mcp' as const),
      scopes: fc.constantFrom<ClientScope[]>(['api:read'], ['api:write']),
      contacts: fc.constantFrom([], portal.contacts),
    },
    { requiredKeys: [] },
  );

  it('without fields changes nothing', () => {
    expect(changedFields(portal, mergedRegistration(portal, {}))).toEqual({});
    expect(requiresNewConsent({})).toBe(false);
  });

  it('is idempotent', () =>
    fc.assert(
      fc.property(some, (input) => {
        const once = mergedRegistration(portal, input);
        expect(changedFields(once, mergedRegistration(once, input))).toEqual({});
      }),
    ));

  it('requires new consent whenever it narrows the access', () =>
    fc.assert(
      fc.property(some, (input) => {
        const after = mergedRegistration(portal, input);
        if (narrowsAccess(portal, after)) expect(requiresNewConsent(changedFields(portal, after))).toBe(true);
      }),
    ));

  it('narrows no access when it adds a scope or changes the name or a redirect URI', () => {
    const reading: Registration = { ...portal, scopes: ['api:read'] };
    expect(narrowsAccess(reading, { ...portal, name: 'Other', redirectUris: ['https://portal.example/other'] })).toBe(
      false,
    );
    expect(narrowsAccess(portal, reading)).toBe(true);
    expect(narrowsAccess(portal, mergedRegistration(portal, { target: 'api' }))).toBe(true);
  });
});
