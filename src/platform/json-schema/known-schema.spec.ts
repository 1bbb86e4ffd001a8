import { describe, expect, it } from 'vitest';
import { leastCpuMsOf } from '../../../test/kit/cpu-time.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { checkInline } from './foreign-schemas.js';

/* `checkInline` takes only milliseconds on the event loop. Checks beyond its budget run in a worker. */

let schemas = 0;
const checkNew = (schema: JsonObject, value: JsonValue) =>
  checkInline({ tenantId: 'one', key: `hostile ${++schemas}`, schema }, value);

describe('the inline check of a hostile schema', () => {
  it.each<[string, JsonObject, JsonValue]>([
    ['a broken reference of slashes', { $ref: `#${'/'.repeat(28)}%` }, 'x'],
    ['a long reference', { $ref: `#${'/a'.repeat(30_000)}%` }, 'x'],
    [
      'a list of thousands of types',
      { items: { type: [...Array<string>(9000).fill('null'), 'string'] } },
      Array<string>(25_000).fill('x'),
    ],
  ])('takes little time: %s', async (_, schema, value) => {
    expect(await leastCpuMsOf(() => checkNew(schema, value))).toBeLessThan(100);
  });
});
