import { afterAll, beforeAll, expect, it } from 'vitest';
import { TypeMetadataStorage } from '@nestjs/graphql';
import { getMetadataStorage } from 'class-validator';
import { JsonScalar } from '../src/platform/graphql/json.scalar.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

/** The validation pipe removes fields without a rule, so that their values would be silently ignored. */
it('every field of every GraphQL input has a validation rule', () => {
  const inputs = [...TypeMetadataStorage.getInputTypesMetadata(), ...TypeMetadataStorage.getArgumentsMetadata()];
  expect(inputs.flatMap(({ properties = [] }) => properties).length).toBeGreaterThan(50);
  const unruled = inputs.flatMap(({ target, name, properties = [] }) => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(target, '', false, false);
    const ruled = new Set(rules.map((rule) => rule.propertyName));
    return properties.filter((property) => !ruled.has(property.name)).map((property) => `${name}.${property.name}`);
  });
  expect(unruled).toEqual([]);
});

/** The validation pipe removes keys such as "constructor": names that people choose come in lists. */
it('no GraphQL input is a map with keys that people choose', () => {
  const inputs = [...TypeMetadataStorage.getInputTypesMetadata(), ...TypeMetadataStorage.getArgumentsMetadata()];
  const maps = inputs.flatMap(({ name, properties = [] }) =>
    properties.filter(({ typeFn }) => typeFn() === JsonScalar).map((property) => `${name}.${property.name}`),
  );
  // their keys are the fields of a connector
  expect(maps.sort()).toEqual([
    'CreateConnectionInput.secrets',
    'CreateConnectionInput.settings',
    'UpdateConnectionInput.secrets',
    'UpdateConnectionInput.settings',
  ]);
});
