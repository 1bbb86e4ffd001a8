import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { checkInline } from './foreign-schemas.js';

/* `checkInline` takes only milliseconds on the event loop. Checks beyond its budget run in a worker. */

let schemas = 0;
const processorMs = (schema: JsonObject, value: JsonValue): number => {
  const before = process.cpuUsage();
  checkInline({ tenantId: 'one', key: `hostile ${++schemas}`, schema }, value);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

describe('the inline check of a hostile schema', () => {
  it.each<[string, JsonObject, JsonValue]>([
    ['a broken reference of slashes', { $ref: `#${'/'.repeat(28)}%` }, 'x'],
    ['a long reference', { $ref: `#${'/a'.repeat(30_000)}%` }, 'x'],
    [
      'a list of thousands of types',
      { items: { type: [...Array<string>(9000).fill('null'), 'string'] } },
      Array<string>(25_000).fill('x'),
    ],
  ])('takes little time: %s', (_, schema, value) => {
    expect(processorMs(schema, value)).toBeLessThan(100);
  });
});
