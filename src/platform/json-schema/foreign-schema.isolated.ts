import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Fault } from '../errors/problem.js';
import { type JsonObject, type JsonValue, pointerTo } from '../json/strict-json.js';
import { isOldDialect, type KnownSchema, knownSchema } from './known-schema.js';
import { linearPattern } from './linear-pattern.js';
import { BudgetExceeded, checkWithin } from './schema-check.js';
import { cut } from '../text/cut.js';

/* In a worker, whose limits bound what a schema that is compiled, or a pattern that backtracks, may take. */

export interface SchemaJob {
  tenantId: string;
  /** The same for the same schema. */
  key: string;
  schema: JsonObject;
  value: JsonValue;
}
export type SchemaVerdict = { faults: Fault[] } | { unusable: string };

const mostKept = 100;
/** More than the worker is given time for. */
const mostSteps = 1e9;
const longestText = 300;

type Prepared = { known: KnownSchema | null; compiled?: ValidateFunction | string };
const kept = new Map<string, Prepared>();

export function run({ tenantId, key, schema, value }: SchemaJob): SchemaVerdict {
  const prepared = preparedOf(`${tenantId} ${key}`, schema);
  if (prepared.known) {
    try {
      return { faults: checkWithin(prepared.known, value, mostSteps) };
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
    }
  }
  const validate = (prepared.compiled ??= compile(schema));
  if (typeof validate === 'string') return { unusable: validate };
  return { faults: validate(value) ? [] : (validate.errors ?? []).slice(-1).map(faultOf) };
}

function preparedOf(name: string, schema: JsonObject): Prepared {
  const prepared = kept.get(name) ?? { known: knownSchema(schema) };
  kept.delete(name); // the one used last goes last
  kept.set(name, prepared);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  return prepared;
}

/** What a schema means that is no pattern of linear time is left to the processor limit. */
const regExp = Object.assign((source: string) => linearPattern(source) ?? new RegExp(source, 'u'), {
  code: 'linearPattern',
});
const options = {
  strict: false,
  // of a value that fails in a million places all errors would be kept
  allErrors: false,
  inlineRefs: false,
  validateFormats: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  logger: false,
  code: { regExp },
  // without `loadSchema` a reference that leads out of the schema is an error, not a request
} as const;

/** An instance for each schema: what it names stays with it. */
function compile(schema: JsonObject): ValidateFunction | string {
  const { $schema: _dialect, ...rules } = schema;
  try {
    return (isOldDialect(schema) ? new Ajv(options) : new Ajv2020(options)).compile(rules);
  } catch (error) {
    return cut((error as Error).message, longestText);
  }
}

function faultOf({ instancePath, keyword, params, message }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const extra = additionalProperty ?? unevaluatedProperty;
  const named = missingProperty ?? extra;
  const pointer = named === undefined ? instancePath : `${instancePath}${pointerTo([named])}`;
  const detail =
    missingProperty !== undefined
      ? 'is required'
      : extra !== undefined
        ? 'is not a property of this tool'
        : (message ?? `fails "${keyword}"`);
  return { pointer: cut(pointer, 1000), detail: cut(detail, longestText) };
}
