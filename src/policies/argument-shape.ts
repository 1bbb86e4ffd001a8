import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/**
 * The Cedar type of a tool's arguments, derived from the tool's JSON Schema. Anything without a Cedar type is listed as
 * not usable in conditions. A shape does not validate: a schema can express more than a shape.
 */
export type Shape =
  | { kind: 'long' }
  | { kind: 'decimal' }
  | { kind: 'boolean' }
  /** `values`: the only values that the schema allows, to detect misspelled values in policies. */
  | { kind: 'string'; values?: string[] }
  | { kind: 'set'; element: Shape }
  | RecordShape;

export interface RecordShape {
  kind: 'record';
  attributes: Map<string, { shape: Shape; required: boolean }>;
}

export interface UnusableField {
  path: string[];
  reason: string;
}

export interface ArgumentShape {
  record: RecordShape;
  unusable: UnusableField[];
}

/** The shape of a tool's arguments. A schema that is not for an object gives a record without attributes. */
export function argumentShape(inputSchema: JsonValue): ArgumentShape {
  const unusable: UnusableField[] = [];
  const reading = new SchemaReader(inputSchema).read(inputSchema, []);
  const shape = toShape(reading, [], unusable);
  if (shape?.kind === 'record') return { record: shape, unusable };
  return { record: { kind: 'record', attributes: new Map() }, unusable };
}

type Type = 'any' | 'none' | 'null' | 'long' | 'decimal' | 'boolean' | 'string' | 'set' | 'record';

/** The type inferred for one part of a schema, before it is clear whether policies can use it. */
interface InferredType {
  /** `any`: unconstrained. `none`: has no Cedar type; see `reason`. */
  type: Type;
  reason?: string;
  nullable: boolean;
  required: Set<string>;
  values?: string[];
  element?: InferredType;
  attributes?: Map<string, InferredType>;
}

const inferredType = (type: Type, more: Partial<InferredType> = {}): InferredType => ({
  type,
  nullable: false,
  required: new Set(),
  ...more,
});
const unsupportedType = (reason: string, nullable = false) => inferredType('none', { reason, nullable });

const tooLarge = unsupportedType('has a schema that is too large');
const reserved = new Set(['__entity', '__extn', '__proto__']);
const maxSchemaNodes = 5000;
const maxSchemaDepth = 32;
/** Names, values and characters of references, counted on each visit: references multiply a small schema. */
const maxSchemaWork = 100_000;
/** A longer list of allowed values counts as arbitrary text. */
const maxEnumValues = 500;

class SchemaReader {
  private nodes = 0;
  private work = 0;
  private readonly root: JsonValue;

  constructor(root: JsonValue) {
    this.root = root;
  }

  read(schema: JsonValue | undefined, refs: string[], depth = 0): InferredType {
    if (schema === undefined || schema === true) return inferredType('any', { nullable: true });
    if (!isObject(schema)) return unsupportedType('accepts no value');
    // references can make a small schema expand without limit
    if (++this.nodes > maxSchemaNodes || depth > maxSchemaDepth || !this.spend(0)) return tooLarge;
    const below = (inner: JsonValue) => this.read(inner, refs, depth + 1);
    const parts = [
      this.fromValues(schema),
      this.fromType(schema, refs, depth),
      ...(typeof schema.$ref === 'string' ? [this.fromReference(schema.$ref, refs, depth)] : []),
      ...list(schema.allOf).map(below),
      ...[list(schema.anyOf), list(schema.oneOf)]
        .filter((branches) => branches.length)
        .map((branches) => branches.map(below).reduce((a, b) => this.union(a, b))),
    ];
    return parts.reduce((a, b) => this.intersect(a, b));
  }

  private spend(work: number): boolean {
    this.work += work;
    return this.work <= maxSchemaWork;
  }

  private fromType(schema: JsonObject, refs: string[], depth: number): InferredType {
    // counted before reading, because references can read the same lists many times
    if (!this.spend(list(schema.type).length + list(schema.required).length)) return tooLarge;
    const names = typeNames(schema);
    const nullable = names.length === 0 || names.includes('null');
    const required = new Set(list(schema.required).filter((name) => typeof name === 'string'));
    const other = names.filter((name) => name !== 'null' && !(name === 'integer' && names.includes('number')));
    if (other.length > 1) return unsupportedType(`may be ${other.join(' or ')}`, nullable);
    switch (other[0] ?? (names.length ? 'null' : impliedType(schema))) {
      case 'integer':
        return inferredType('long', { nullable });
      case 'number':
        return inferredType('decimal', { nullable });
      case 'string':
        return inferredType('string', { nullable });
      case 'boolean':
        return inferredType('boolean', { nullable });
      case 'null':
        return inferredType('null', { nullable });
      case 'array':
        return this.array(schema, nullable, refs, depth);
      case 'object':
        return { ...this.object(schema, refs, depth), nullable, required };
      case undefined:
        return inferredType('any', { nullable, required });
      default:
        return unsupportedType(`has the unknown type "${other[0]}"`, nullable);
    }
  }

  private array(schema: JsonObject, nullable: boolean, refs: string[], depth: number): InferredType {
    if (schema.prefixItems !== undefined || Array.isArray(schema.items)) return unsupportedType('is a tuple', nullable);
    return inferredType('set', { nullable, element: this.read(schema.items, refs, depth + 1) });
  }

  private object(schema: JsonObject, refs: string[], depth: number): InferredType {
    if (!isObject(schema.properties)) {
      return schema.additionalProperties === false
        ? inferredType('record', { attributes: new Map() })
        : unsupportedType('is an object with arbitrary keys');
    }
    const attributes = Object.entries(schema.properties).map(([name, inner]): [string, InferredType] => [
      name,
      reserved.has(name) ? unsupportedType('has a reserved name') : this.read(inner, refs, depth + 1),
    ]);
    return inferredType('record', { attributes: new Map(attributes) });
  }

  private fromReference(ref: string, refs: string[], depth: number): InferredType {
    if (!this.spend(ref.length)) return tooLarge;
    if (refs.includes(ref)) return unsupportedType('refers to itself');
    const target = this.resolvePointer(ref);
    if (target === undefined) return unsupportedType(`refers to "${ref}", which is not in this schema`);
    return this.read(target, [...refs, ref], depth + 1);
  }

  /** JSON Pointer (RFC 6901) in a URI fragment. Never fetches anything. */
  private resolvePointer(ref: string): JsonValue | undefined {
    if (!/^#(\/|$)/.test(ref)) return undefined;
    const steps = ref.split('/').slice(1).map(unescapeStep);
    return steps.reduce<JsonValue | undefined>((at, step) => {
      if (Array.isArray(at)) return at[Number(step)];
      return isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    }, this.root);
  }

  /** Reads `enum` and `const`. */
  private fromValues(schema: JsonObject): InferredType {
    const values = schema.const !== undefined ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : null;
    if (!values) return inferredType('any', { nullable: true });
    if (!this.spend(values.length)) return tooLarge;
    const nullable = values.includes(null);
    const rest = values.filter((value) => value !== null);
    if (!rest.length) return inferredType('null', { nullable });
    if (rest.every((value) => typeof value === 'string'))
      return inferredType('string', { nullable, values: withinValueLimit(rest) });
    if (rest.every((value) => typeof value === 'boolean')) return inferredType('boolean', { nullable });
    if (rest.every((value) => Number.isSafeInteger(value))) return inferredType('long', { nullable });
    if (rest.every((value) => typeof value === 'number')) return inferredType('decimal', { nullable });
    return unsupportedType('lists values of several types', nullable);
  }

  /** Both schemas apply, as in `allOf`. One part may determine a Cedar type that the other leaves open. */
  private intersect(a: InferredType, b: InferredType): InferredType {
    if (!this.spend(sizeOf(a) + sizeOf(b))) return tooLarge;
    const nullable = a.nullable && b.nullable;
    const required = new Set([...a.required, ...b.required]);
    const [vague, clear] = specificity(a) <= specificity(b) ? [a, b] : [b, a];
    if (specificity(vague) < 2) return { ...clear, nullable, required };
    return { ...this.intersectTypes(a, b), nullable, required };
  }

  private intersectTypes(a: InferredType, b: InferredType): InferredType {
    if (isNumber(a) && isNumber(b)) return a.type === 'long' ? a : b;
    if (a.type !== b.type) return unsupportedType('contradicts itself');
    if (a.values && b.values) return { ...a, values: inBoth(new Set(a.values), new Set(b.values)) };
    if (a.element && b.element) return { ...a, element: this.intersect(a.element, b.element) };
    if (a.attributes && b.attributes)
      return { ...a, attributes: merge(a.attributes, b.attributes, (one, other) => this.intersect(one, other)) };
    return b.values ? b : a;
  }

  /** One of the schemas applies, as in `anyOf` and `oneOf`. */
  private union(a: InferredType, b: InferredType): InferredType {
    if (!this.spend(sizeOf(a) + sizeOf(b))) return tooLarge;
    const nullable = a.nullable || b.nullable;
    const required = new Set(inBoth(a.required, b.required));
    if (a.type === 'null' || b.type === 'null') return { ...(a.type === 'null' ? b : a), nullable };
    const open = [a, b].find(({ type }) => type === 'any') ?? [a, b].find(({ type }) => type === 'none');
    if (open) return { ...open, nullable, required };
    return { ...this.unionTypes(a, b), nullable, required };
  }

  private unionTypes(a: InferredType, b: InferredType): InferredType {
    if (isNumber(a) && isNumber(b)) return a.type === 'decimal' ? a : b;
    if (a.type !== b.type) return unsupportedType(`may be ${jsonTypeName(a)} or ${jsonTypeName(b)}`);
    if (a.element && b.element) return { ...a, element: this.union(a.element, b.element) };
    if (a.attributes && b.attributes)
      return { ...a, attributes: merge(a.attributes, b.attributes, (one, other) => this.union(one, other)) };
    return { ...a, values: a.values && b.values && withinValueLimit([...new Set([...a.values, ...b.values])]) };
  }
}

const specificity = ({ type }: InferredType) => (type === 'any' ? 0 : type === 'none' ? 1 : 2);
const sizeOf = ({ required, values, attributes }: InferredType): number =>
  1 + required.size + (values?.length ?? 0) + (attributes?.size ?? 0);
const inBoth = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((value) => b.has(value));
const withinValueLimit = (values: string[]): string[] | undefined =>
  values.length > maxEnumValues ? undefined : values;

function merge(
  a: Map<string, InferredType>,
  b: Map<string, InferredType>,
  join: (a: InferredType, b: InferredType) => InferredType,
): Map<string, InferredType> {
  const merged = new Map(a);
  for (const [name, inner] of b) merged.set(name, merged.has(name) ? join(merged.get(name)!, inner) : inner);
  return merged;
}

/** Returns the shape, or null after adding the reason to `unusable`. */
function toShape(inferred: InferredType, path: string[], unusable: UnusableField[]): Shape | null {
  const refuse = (reason: string) => {
    unusable.push({ path, reason });
    return null;
  };
  switch (inferred.type) {
    case 'any':
      return refuse('may be anything');
    case 'null':
      return refuse('is always null');
    case 'none':
      return refuse(inferred.reason ?? 'has a type that policies do not support');
    case 'string':
      return { kind: 'string', ...(inferred.values ? { values: inferred.values } : {}) };
    case 'set':
      return elementOf(inferred.element!, refuse);
    case 'record':
      return recordOf(inferred, path, unusable);
    default:
      return { kind: inferred.type };
  }
}

function elementOf(element: InferredType, refuse: (reason: string) => null): Shape | null {
  if (element.type !== 'any' && element.nullable) return refuse('has items that may be null');
  const inner: UnusableField[] = [];
  const shape = toShape(element, [], inner);
  // comparing sets compares whole items: a partial item would give wrong results
  if (!shape || inner.length)
    return refuse(`has items that cannot be compared: ${inner[0].path.join('.') || 'an item'} ${inner[0].reason}`);
  return { kind: 'set', element: shape };
}

function recordOf({ attributes, required }: InferredType, path: string[], unusable: UnusableField[]): RecordShape {
  const usable = [...attributes!].flatMap(([name, inner]) => {
    const shape = toShape(inner, [...path, name], unusable);
    return shape ? [[name, { shape, required: required.has(name) && !inner.nullable }] as const] : [];
  });
  return { kind: 'record', attributes: new Map(usable) };
}

function typeNames(schema: JsonObject): string[] {
  const type = schema.nullable === true && typeof schema.type === 'string' ? [schema.type, 'null'] : schema.type;
  return [...new Set(list(type).length ? list(type) : [type])].filter((name) => typeof name === 'string');
}

function impliedType(schema: JsonObject): string | undefined {
  if (isObject(schema.properties)) return 'object';
  return schema.items !== undefined || schema.prefixItems !== undefined ? 'array' : undefined;
}

const isNumber = ({ type }: InferredType) => type === 'long' || type === 'decimal';
const jsonTypeName = ({ type }: InferredType) =>
  ({ long: 'integer', decimal: 'number', set: 'array', record: 'object' })[type as string] ?? type;
const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const unescapeStep = (step: string) =>
  step
    .replace(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
