import type { InvalidField } from '../errors/problem.js';
import { isolatedJob } from '../isolation/isolated-job.js';
import { runIsolated } from '../isolation/isolated-workers.js';
import { IsolationError, type IsolationFailure } from '../isolation/isolation.error.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import type { SchemaJob, SchemaVerdict } from './foreign-schema.isolated.js';
import { type SupportedSchema, parseSupportedSchema } from './supported-schema.js';
import { BudgetExceeded, checkWithinBudget } from './schema-check.js';

/** A schema from another system: of a tool's input, of its result, or of a form. */
export interface ForeignSchema {
  tenantId: string;
  /** Identifies the schema, such as the hash of the definition. */
  key: string;
  schema: JsonObject;
}

/** `unusable`: the schema is invalid. `exceeded`: the check exceeded a limit. */
export type SchemaOutcome = SchemaVerdict | { exceeded: IsolationFailure };

const maxCachedSchemas = 1000;
/** A few milliseconds. Longer checks run in a worker. */
const inlineStepBudget = 30_000;
/** The limits of one check in a worker, including the compilation of the schema. */
const schemaCheckLimits = { cpuMs: 1000, residentMb: 300 };

const schemaCheckJob = isolatedJob<SchemaJob, SchemaVerdict>(
  'json-schema',
  new URL('./foreign-schema.isolated.js', import.meta.url),
  schemaCheckLimits,
);

/** By tenant and key, so that schemas of tenants are isolated from each other. */
const supportedSchemas = new Map<string, SupportedSchema | null>();

/**
 * Errors of the value; empty if it is valid. Undefined if the check takes too long or the schema has a rare keyword.
 */
export function checkInline({ tenantId, key, schema }: ForeignSchema, value: JsonValue): InvalidField[] | undefined {
  const name = `${tenantId} ${key}`;
  let supported = supportedSchemas.get(name);
  if (supported === undefined) supported = parseSupportedSchema(schema);
  else supportedSchemas.delete(name); // moves the entry to the end (LRU)
  supportedSchemas.set(name, supported);
  if (supportedSchemas.size > maxCachedSchemas) supportedSchemas.delete(supportedSchemas.keys().next().value!);
  if (!supported) return undefined;
  try {
    return checkWithinBudget(supported, value, inlineStepBudget);
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

/** Checks any schema and value. Checks that `checkInline` cannot do run in a worker, within its limits. */
export async function checkForeignSchema(foreign: ForeignSchema, value: JsonValue): Promise<SchemaOutcome> {
  const faults = checkInline(foreign, value);
  if (faults) return { faults };
  try {
    return await runIsolated(schemaCheckJob, { ...foreign, value }, foreign.tenantId);
  } catch (error) {
    if (error instanceof IsolationError) return { exceeded: error.failure };
    // stack overflow
    if (error instanceof RangeError || (error as Error).name === 'RangeError') return { exceeded: 'memory' };
    throw error;
  }
}
