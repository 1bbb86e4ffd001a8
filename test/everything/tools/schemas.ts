import { type Fixture, text } from '../fixture.ts';

/** Schemas that have to reach a client as they are. */
export const schemas: Record<string, Fixture> = {
  json_schema_2020_12_tool: {
    description: 'Has a schema with the vocabulary of JSON Schema 2020-12.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: (asked) => text(JSON.stringify(asked.arguments)),
  },
  test_x_mcp_header: {
    description: 'Has an argument that clients repeat in a header.',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        level: { type: 'integer' },
      },
    },
    call: (asked) => text(`region=${String(asked.arguments.region)}`),
  },
};
