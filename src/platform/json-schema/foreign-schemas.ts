import type { InvalidField } from '../errors/problem.js';
import { isolatedJob } from '../isolation/isolated-job.js';
import { runIsolated } from '../isolation/isolated-workers.js';
import { IsolationError, type IsolationFailure } from '../isolation/isolation.error.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import type { SchemaJob, SchemaVerdict } from './foreign-schema.isolated.js';
import { type SupportedSchema, parseSupportedSchema } from './supported-schema.js';
import { BudgetExceeded, checkWithinBudget } from './schema-check.js';

/** The schema of somebody else: of a tool, of what it returns, of a form. */
export interface ForeignSchema {
  tenantId: string;
  /** The same for the same schema, such as the hash of the definition. */
  key: string;
  schema: JsonObject;
}

/** `unusable`: it is no schema; `exceeded`: checking the value takes more than a check may. */
export type SchemaOutcome = SchemaVerdict | { exceeded: IsolationFailure };

const maxCachedSchemas = 1000;
/** Some milliseconds: what takes longer goes to a worker. */
const inlineStepBudget = 30_000;
/** A worker is given this for one check, the compilation of the schema included. */
const schemaCheckLimits = { cpuMs: 1000, residentMb: 300 };

const schemaCheckJob = isolatedJob<SchemaJob, SchemaVerdict>(
  'json-schema',
  new URL('./foreign-schema.isolated.js', import.meta.url),
  schemaCheckLimits,
);

/** By tenant and schema: no tenant's schema has to do with that of another. */
const supportedSchemas = new Map<string, SupportedSchema | null>();

/** Faults of the value; empty if it conforms. Undefined if the check takes too long, or the schema has a rare keyword. */
export function checkInline({ tenantId, key, schema }: ForeignSchema, value: JsonValue): InvalidField[] | undefined {
  const name = `${tenantId} ${key}`;
  let known = supportedSchemas.get(name);
  if (known === undefined) known = parseSupportedSchema(schema);
  else supportedSchemas.delete(name); // the one used last goes last
  supportedSchemas.set(name, known);
  if (supportedSchemas.size > maxCachedSchemas) supportedSchemas.delete(supportedSchemas.keys().next().value!);
  if (!known) return undefined;
  try {
    return checkWithinBudget(known, value, inlineStepBudget);
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

/** The same for any schema and value: what `checkInline` does not do is done by a worker, within its limits. */
export async function checkForeignSchema(foreign: ForeignSchema, value: JsonValue): Promise<SchemaOutcome> {
  const faults = checkInline(foreign, value);
  if (faults) return { faults };
  try {
    return await runIsolated(schemaCheckJob, { ...foreign, value }, foreign.tenantId);
  } catch (error) {
    if (error instanceof IsolationError) return { exceeded: error.failure };
    if (error instanceof RangeError || (error as Error).name === 'RangeError') return { exceeded: 'memory' }; // the stack
    throw error;
  }
}
