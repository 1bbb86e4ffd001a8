import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';

/*
 * Which fields of a result the output schema of its tool marks as protected. Patterns and conditions of the schema are
 * not evaluated: a subschema that may apply to a field counts.
 */

const maxSubschemas = 200;

/** Whether the schema may mark anything: rules out most schemas. */
export const mayMarkFields = (schema: JsonObject | null | undefined): boolean =>
  Boolean(schema) && /"writeOnly"|"password"/.test(JSON.stringify(schema));

export class SchemaMarks {
  private readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** All subschemas that describe the root. */
  start(): JsonObject[] {
    return this.expand([this.root]);
  }

  isProtected(subschemas: readonly JsonObject[]): boolean {
    return subschemas.some(({ writeOnly, format }) => writeOnly === true || format === 'password');
  }

  property(subschemas: readonly JsonObject[], name: string): JsonObject[] {
    return this.expand(
      subschemas.flatMap(({ properties, patternProperties, additionalProperties }) => [
        ...(isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [additionalProperties]),
        ...(isObject(patternProperties) ? Object.values(patternProperties) : []),
      ]),
    );
  }

  item(subschemas: readonly JsonObject[], index: number): JsonObject[] {
    return this.expand(
      subschemas.flatMap(({ items, prefixItems, contains }) => {
        const positional = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
        return [...(index < positional.length ? [positional[index]] : [items]), contains];
      }),
    );
  }

  /** With everything that they refer to or combine. Throws if that is too much to decide. */
  private expand(found: readonly (JsonValue | undefined)[]): JsonObject[] {
    const all = new Set<JsonObject>();
    const open = found.filter(isObject);
    for (let schema = open.pop(); schema; schema = open.pop()) {
      if (all.has(schema)) continue;
      if (all.size >= maxSubschemas) throw new RangeError('The output schema is too complex.');
      all.add(schema);
      const { $ref, allOf, anyOf, oneOf } = schema;
      const combined = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
      const branches = [schema.if, schema.then, schema.else, this.resolve($ref), ...combined];
      open.push(...branches.filter(isObject));
    }
    return [...all];
  }

  /** References inside the schema: "#", "#/$defs/name". */
  private resolve(reference: JsonValue | undefined): JsonValue | undefined {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    let at: JsonValue | undefined = this.root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decodePart(part);
      if (Array.isArray(at)) at = at[Number(name)];
      else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }
    return at;
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
