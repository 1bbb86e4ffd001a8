import { describe, expect, it } from 'vitest';
import type { Connector } from './connector-registry.service.js';
import { mergedSettings, secretFaults, settingsFaults, withoutQueries } from './settings.js';
import { changedTargets } from './targets.js';

const kind: Connector = {
  id: 'test',
  title: 'Test',
  setUp: '',
  offers: [],
  fields: [
    { name: 'url', label: 'Address', type: 'url', required: true, help: '' },
    { name: 'account', label: 'Account', type: 'text', required: false, help: '', isTarget: true },
    { name: 'region', label: 'Region', type: 'choice', required: false, help: '', options: ['eu', 'us'] },
    { name: 'limit', label: 'Limit', type: 'number', required: false, help: '' },
    { name: 'projects', label: 'Projects', type: 'list', required: false, help: '' },
    { name: 'token', label: 'Token', type: 'secret', required: true, help: '' },
  ],
  verify: async () => ({ status: 'connected' }),
};
const pointers = (settings: Record<string, unknown>) => settingsFaults(kind, settings).map((fault) => fault.pointer);
const url = 'https://a.example/mcp';

describe('settings', () => {
  it('are valid if each value fits its field', () => {
    expect(pointers({ url, account: 'x', region: 'eu', limit: 3, projects: ['a', 'b'] })).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, '/settings/url'],
    [{ url: 'a.example' }, '/settings/url'],
    [{ url: 'ftp://a.example' }, '/settings/url'],
    [{ url: 'https://me:secret@a.example' }, '/settings/url'],
    [{ url: 'https://a.example/#x' }, '/settings/url'],
    [{ url: 7 }, '/settings/url'],
    [{ url, region: 'moon' }, '/settings/region'],
    [{ url, limit: -1 }, '/settings/limit'],
    [{ url, limit: '3' }, '/settings/limit'],
    [{ url, projects: 'a' }, '/settings/projects'],
    [{ url, projects: [1] }, '/settings/projects'],
    [{ url, account: 'x\0' }, '/settings/account'],
    [{ url, token: 'not here' }, '/settings/token'],
    [{ url, somethingElse: 1 }, '/settings/somethingElse'],
  ])('reports an error for %j at %s', (settings, pointer) => {
    expect(pointers(settings)).toEqual([pointer]);
  });

  it('are patched: an absent value is unchanged, null removes it', () => {
    expect(mergedSettings({ url, account: 'x', limit: 1 }, { account: null, limit: 2 })).toEqual({ url, limit: 2 });
  });
});

describe('secrets', () => {
  it('are required on creation if the connector says so', () => {
    expect(secretFaults(kind, {}, true)).toMatchObject([{ pointer: '/secrets/token' }]);
    expect(secretFaults(kind, {}, false)).toEqual([]);
    expect(secretFaults(kind, { token: 'x' }, true)).toEqual([]);
  });
  it('must be single lines with names that the connector defines', () => {
    expect(secretFaults(kind, { token: 'a\nb' }, true)).toMatchObject([{ pointer: '/secrets/token' }]);
    expect(secretFaults(kind, { token: 'x', other: 'y' }, true)).toMatchObject([{ pointer: '/secrets/other' }]);
  });
  it('may contain line breaks, but no NUL, if the field is multiline', () => {
    const field = { name: 'key', label: 'Key', type: 'secret', required: true, isMultiline: true, help: '' } as const;
    const multiline = { ...kind, fields: [field] };
    expect(secretFaults(multiline, { key: 'a\nb' }, true)).toEqual([]);
    expect(secretFaults(multiline, { key: 'a\0b' }, true)).toMatchObject([
      { pointer: '/secrets/key', detail: 'must be text of at most 8192 characters' },
    ]);
  });
});

describe('targets', () => {
  const changed = (after: Record<string, unknown>) =>
    changedTargets(kind, { url, account: 'x' }, { url, account: 'x', ...after });
  it('do not change with the path or with a field that is not a target', () => {
    expect(changed({ url: 'https://a.example/other?x=1', limit: 5, region: 'us' })).toEqual([]);
    expect(changed({ url: 'https://A.example:443/mcp' })).toEqual([]);
  });
  it.each(['http://a.example/mcp', 'https://b.example/mcp', 'https://a.example:8443/mcp', undefined])(
    'change with the address %s',
    (other) => {
      expect(changed({ url: other })).toEqual(['url']);
    },
  );
  it('change with the account', () => {
    expect(changed({ account: 'y' })).toEqual(['account']);
    expect(changed({ account: undefined })).toEqual(['account']);
  });
});

describe('settings in the audit log', () => {
  it('omit the query and fragment of URLs', () => {
    expect(
      withoutQueries({ url: 'https://mcp.example.com/mcp?api_key=secret#x', timeoutSeconds: 5, path: '/srv' }),
    ).toEqual({
      url: 'https://mcp.example.com/mcp',
      timeoutSeconds: 5,
      path: '/srv',
    });
  });
});
