import { expect, it } from 'vitest';
import { fieldName } from '../console/kit/field-name.ts';

it.each([
  ['/input/name', 'Name'],
  ['/input/logoUrl', 'Logo URL'],
  ['/input/redirectUris/0', 'Redirect URIs, entry 1'],
  ['/input/groupIds', 'Group IDs'],
  ['/input/settings/client_secret', 'Client secret'],
  ['/input', null],
  ['', null],
])('names the field of %s', (pointer, name) => {
  expect(fieldName(pointer)).toBe(name);
});
