import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { InvalidField } from '../errors/problem.js';
import { type JsonObject, type JsonValue, pointerTo } from '../json/strict-json.js';
import { isLegacyDialect, type SupportedSchema, parseSupportedSchema } from './supported-schema.js';
import { linearPattern } from './linear-pattern.js';
import { BudgetExceeded, checkWithinBudget } from './schema-check.js';
import { truncate } from '../text/truncate.js';

/* Runs in a worker, whose limits bound the compilation of a schema and the backtracking of a pattern. */

export interface SchemaJob {
  tenantId: string;
  /** Identifies the schema, such as its hash. */
  key: string;
  schema: JsonObject;
  value: JsonValue;
}
export type SchemaVerdict = { faults: InvalidField[] } | { unusable: string };

const maxCompiledSchemas = 100;
/** Never reached: the CPU limit of the worker is lower. */
const workerStepBudget = 1e9;
const maxSchemaReasonLength = 300;

type PreparedSchema = { supported: SupportedSchema | null; compiled?: ValidateFunction | string };
const preparedSchemas = new Map<string, PreparedSchema>();

export function run({ tenantId, key, schema, value }: SchemaJob): SchemaVerdict {
  const prepared = prepareSchema(`${tenantId} ${key}`, schema);
  if (prepared.supported) {
    try {
      return { faults: checkWithinBudget(prepared.supported, value, workerStepBudget) };
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
    }
  }
  const validate = (prepared.compiled ??= compile(schema));
  if (typeof validate === 'string') return { unusable: validate };
  return { faults: validate(value) ? [] : (validate.errors ?? []).slice(-1).map(invalidFieldOf) };
}

function prepareSchema(name: string, schema: JsonObject): PreparedSchema {
  const prepared = preparedSchemas.get(name) ?? { supported: parseSupportedSchema(schema) };
  preparedSchemas.delete(name); // moves the entry to the end (LRU)
  preparedSchemas.set(name, prepared);
  if (preparedSchemas.size > maxCompiledSchemas) preparedSchemas.delete(preparedSchemas.keys().next().value!);
  return prepared;
}

/** Patterns that linearPattern does not support use RegExp; the CPU limit bounds their backtracking. */
const linearRegExp = Object.assign((source: string) => linearPattern(source) ?? new RegExp(source, 'u'), {
  code: 'linearPattern',
});
const ajvOptions = {
  strict: false,
  // collecting all errors of a value with a million invalid places would take too much memory
  allErrors: false,
  inlineRefs: false,
  validateFormats: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  logger: false,
  code: { regExp: linearRegExp },
  // without `loadSchema`, an external reference is an error and never causes a request
} as const;

/** One instance per schema, so that ids of one schema are not visible to others. */
function compile(schema: JsonObject): ValidateFunction | string {
  const { $schema: _dialect, ...rules } = schema;
  try {
    return (isLegacyDialect(schema) ? new Ajv(ajvOptions) : new Ajv2020(ajvOptions)).compile(rules);
  } catch (error) {
    return truncate((error as Error).message, maxSchemaReasonLength);
  }
}

function invalidFieldOf({ instancePath, keyword, params, message }: ErrorObject): InvalidField {
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
  return { pointer: truncate(pointer, 1000), detail: truncate(detail, maxSchemaReasonLength) };
}
