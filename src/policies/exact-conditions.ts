import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import { argumentShape, type Shape } from './argument-shape.js';
import { attribute, cedarString, isPlain } from './write-rule.js';

/** What a group of calls has in common besides caller and tool. */
export interface CommonContext {
  args: JsonObject;
  /** Null: they came from several surfaces. */
  surface: string | null;
  /** None of them was tainted. */
  isUntainted: boolean;
}

/**
 * Cedar conditions that only calls with exactly these arguments meet: every argument has its value, and every other one
 * is absent. If conditions cannot express that, the reason, as a clause about the tool.
 */
export function exactConditions(
  inputSchema: JsonObject,
  { args, surface, isUntainted }: CommonContext,
): string[] | { obstacle: string } {
  if (!isClosed(inputSchema)) return { obstacle: 'accepts arguments that its schema does not list' };
  const properties = inputSchema.properties as JsonObject;
  const { record, unusable } = argumentShape(inputSchema);
  const given: string[] = [];
  const absent: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const shape = record.attributes.get(name)?.shape;
    if (!shape || unusable.some(({ path }) => path[0] === name))
      return { obstacle: `has the argument "${name}", which conditions cannot use` };
    const condition = conditionOf(name, shape, args[name], schema);
    if (!condition) return { obstacle: `has the argument "${name}", whose value conditions cannot express exactly` };
    (args[name] === undefined ? absent : given).push(condition);
  }
  return [
    ...given,
    ...absent,
    ...(surface === null ? [] : [`context.surface == ${cedarString(surface)}`]),
    ...(isUntainted ? ['!context.tainted'] : []),
  ];
}

function conditionOf(name: string, shape: Shape, value: JsonValue | undefined, schema: JsonValue): string | null {
  const has = `${attribute(['arguments'])} has ${isPlain(name) ? name : cedarString(name)}`;
  // other calls of the tool must not be denied because of a mention of a value that Cedar cannot represent
  if (!isAlwaysExact(shape)) return null;
  // for Cedar, null is absent
  if (value === undefined) return isNeverNull(schema) ? `!(${has})` : null;
  const literal = literalOf(value, shape);
  return literal && `${has} && ${attribute(['arguments', name])} == ${literal}`;
}

const isAlwaysExact = (shape: Shape): boolean => (shape.kind === 'set' ? isScalar(shape.element) : isScalar(shape));
const isScalar = ({ kind }: Shape): boolean => kind === 'long' || kind === 'string' || kind === 'boolean';

/** Sets have no order and no duplicates, unlike the lists of JSON. */
function literalOf(value: JsonValue, { kind }: Shape): string | null {
  if (kind === 'string' && typeof value === 'string') return cedarString(value);
  if (kind === 'long' && Number.isSafeInteger(value)) return String(value);
  return kind === 'boolean' && typeof value === 'boolean' ? String(value) : null;
}

/** Callers can only give the listed arguments. */
const isClosed = ({ properties, additionalProperties, patternProperties }: JsonObject): boolean =>
  isObject(properties) && additionalProperties === false && patternProperties === undefined;

function isNeverNull(schema: JsonValue): boolean {
  if (!isObject(schema) || schema.nullable === true) return false;
  const { type, enum: values, const: only } = schema;
  if (typeof type === 'string') return type !== 'null';
  if (Array.isArray(type)) return type.length > 0 && !type.includes('null');
  return Array.isArray(values) ? !values.includes(null) : only !== undefined && only !== null;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
