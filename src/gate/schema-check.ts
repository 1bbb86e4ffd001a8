import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Fault } from '../platform/errors/problem.js';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

type Check = (value: JsonValue) => Fault[];

const kept = 500;
const shown = 20;
const patienceMs = 200;
const options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  logger: false,
  // without `loadSchema` a reference that leads out of the schema is an error, not a request
} as const;

/** Checks arguments by the JSON Schema of a tool. Compiled once per definition. */
export class SchemaCheck {
  private readonly checks = new Map<string, Check>();

  /** What is wrong, with a pointer each; empty: nothing. A schema that cannot be used lets nothing pass. */
  faults(definitionHash: string, schema: JsonObject, value: JsonValue): Fault[] {
    const check = this.checks.get(definitionHash) ?? compile(schema);
    this.checks.delete(definitionHash); // the one used last goes last
    this.checks.set(definitionHash, check);
    if (this.checks.size > kept) this.checks.delete(this.checks.keys().next().value!);
    return check(value);
  }
}

function compile(schema: JsonObject): Check {
  const { $schema, ...rules } = schema;
  const isOld = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
  let validate: ValidateFunction;
  try {
    // an instance each: they keep what they compile
    validate = (isOld ? new Ajv(options) : new Ajv2020(options)).compile(rules);
  } catch (error) {
    const detail = `the schema of the tool cannot be used: ${(error as Error).message}`;
    return () => [{ pointer: '', detail }];
  }
  const run = canTakeForever(rules) ? withPatience(validate) : validate;
  return (value) => {
    const isValid = run(value);
    if (isValid === undefined) return [{ pointer: '', detail: 'the schema of the tool takes too long to check this' }];
    return isValid ? [] : (validate.errors ?? []).slice(0, shown).map(fault);
  };
}

/** A pattern may backtrack without end, comparing each item with each grows with the square, and choices that refer to themselves double with every level. */
const canTakeForever = (schema: JsonObject): boolean =>
  /"(pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/.test(JSON.stringify(schema));

// only a script can be given a time limit: this one calls what is laid beside it
const desk: { run?: () => unknown } = createContext({});
const callRun = new Script('run()');

function withPatience(validate: ValidateFunction): (value: JsonValue) => boolean | undefined {
  return (value) => {
    desk.run = () => validate(value);
    // the limit is one of the wall clock: a process that was stopped meanwhile is not the schema's fault, so it gets a second try
    return runInTime() ?? runInTime();
  };
}

function runInTime(): boolean | undefined {
  try {
    return callRun.runInContext(desk, { timeout: patienceMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

function fault({ instancePath, keyword, params, message }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const extra = additionalProperty ?? unevaluatedProperty;
  if (missingProperty !== undefined)
    return { pointer: `${instancePath}/${escape(missingProperty)}`, detail: 'is required' };
  if (extra !== undefined)
    return { pointer: `${instancePath}/${escape(extra)}`, detail: 'is not a property of this tool' };
  const choices =
    keyword === 'enum' ? `: ${JSON.stringify((params as { allowedValues: unknown }).allowedValues).slice(0, 200)}` : '';
  return { pointer: instancePath, detail: `${message ?? `fails "${keyword}"`}${choices}` };
}

const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
