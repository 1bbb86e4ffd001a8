import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { schemaFile } from '../src/organization/files/document-files.js';

const file = 'docs/organization.schema.json';

it('the JSON Schema for editors is current (update with UPDATE_SCHEMA=1 npm test -- organization-schema)', () => {
  if (process.env.UPDATE_SCHEMA) writeFileSync(file, schemaFile());
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(schemaFile()));
});

it('the JSON Schema knows the fields of every kind, and texts in files', () => {
  const { oneOf, anyOf } = JSON.parse(schemaFile()) as Record<string, { properties: Record<string, unknown> }[]>;
  const kinds = (oneOf ?? anyOf).map(({ properties }) => (properties.kind as { const: string }).const);
  expect(kinds).toEqual(['group', 'connection', 'configuration', 'approval-step', 'policy', 'client', 'budget']);
  const policy = (oneOf ?? anyOf)[4].properties.text;
  expect(JSON.stringify(policy)).toContain('fromFile');
});
