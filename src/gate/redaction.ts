import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import { isSecretFieldName } from '../platform/secrets/field-names.js';

const maxRedactedLength = 16 * 1024;

/** For the audit log, which bounds the length of its entries. */
export function redactForLog(value: JsonObject, schema: JsonObject): JsonObject {
  const short = redact(value, schema) as JsonObject;
  const { length } = JSON.stringify(short);
  return length > maxRedactedLength ? { '[too long]': length } : short;
}

/**
 * Arguments as the audit log stores them, which outlives the ledger: shape, numbers, booleans, and values that the
 * schema lists. Replaces other text by its length, a name unknown to the schema by its position, and a value whose name
 * suggests a secret entirely.
 */
export function redact(value: JsonValue, schema: JsonObject = {}, name = ''): JsonValue {
  if (value !== null && isSecretFieldName(name)) return '[secret]';
  if (typeof value === 'string') return isListed(value, schema) ? value : `[text, ${[...value].length}]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, childSchema(schema, 'items')));
  if (value === null || typeof value !== 'object') return value;
  const known = childSchema(schema, 'properties');
  const members = Object.entries(value).map(([key, item], index): [string, JsonValue] =>
    Object.hasOwn(known, key)
      ? [key, redact(item, childSchema(known, key), key)]
      : [`[name ${index + 1}]`, redact(item, {}, key)],
  );
  return Object.fromEntries(members);
}

const isListed = (value: string, schema: JsonObject): boolean =>
  schema.const === value || (Array.isArray(schema.enum) && schema.enum.includes(value));

function childSchema(schema: JsonObject, key: string): JsonObject {
  const found = Object.hasOwn(schema, key) ? schema[key] : undefined;
  return found !== null && typeof found === 'object' && !Array.isArray(found) ? found : {};
}
