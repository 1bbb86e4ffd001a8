import type { Fault } from '../errors/problem.js';
import { isolatedJob } from '../isolation/isolated-job.js';
import { runIsolated } from '../isolation/isolated-workers.js';
import { IsolationError, type IsolationFailure } from '../isolation/isolation.error.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import type { SchemaJob, SchemaVerdict } from './foreign-schema.isolated.js';
import { type KnownSchema, knownSchema } from './known-schema.js';
import { BudgetExceeded, checkWithin } from './schema-check.js';

/** The schema of somebody else: of a tool, of what it returns, of a form. */
export interface ForeignSchema {
  tenantId: string;
  /** The same for the same schema, such as the hash of the definition. */
  key: string;
  schema: JsonObject;
}

/** `unusable`: it is no schema; `exceeded`: checking the value takes more than a check may. */
export type SchemaOutcome = SchemaVerdict | { exceeded: IsolationFailure };

const mostKept = 1000;
/** Some milliseconds: what takes longer goes to a worker. */
const mostSteps = 30_000;
/** A worker is given this for one check, the compilation of the schema included. */
const limits = { cpuMs: 1000, residentMb: 300 };

const job = isolatedJob<SchemaJob, SchemaVerdict>(
  'json-schema',
  new URL('./foreign-schema.isolated.js', import.meta.url),
  limits,
);

/** By tenant and schema: no tenant's schema has to do with that of another. */
const kept = new Map<string, KnownSchema | null>();

/** Faults of the value; empty if it conforms. Undefined if the check takes too long, or the schema has a rare keyword. */
export function quickCheck({ tenantId, key, schema }: ForeignSchema, value: JsonValue): Fault[] | undefined {
  const name = `${tenantId} ${key}`;
  let known = kept.get(name);
  if (known === undefined) known = knownSchema(schema);
  else kept.delete(name); // the one used last goes last
  kept.set(name, known);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  if (!known) return undefined;
  try {
    return checkWithin(known, value, mostSteps);
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

/** The same for any schema and value: what `quickCheck` does not do is done by a worker, within its limits. */
export async function checkForeign(foreign: ForeignSchema, value: JsonValue): Promise<SchemaOutcome> {
  const faults = quickCheck(foreign, value);
  if (faults) return { faults };
  try {
    return await runIsolated(job, { ...foreign, value }, foreign.tenantId);
  } catch (error) {
    if (error instanceof IsolationError) return { exceeded: error.failure };
    if (error instanceof RangeError || (error as Error).name === 'RangeError') return { exceeded: 'memory' }; // the stack
    throw error;
  }
}
