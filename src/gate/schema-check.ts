import {
  checkForeignSchema,
  type ForeignSchema,
  checkInline,
  type SchemaOutcome,
} from '../platform/json-schema/foreign-schemas.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Arguments } from './arguments.js';

/** A check of arguments that needs a worker before the call can be decided. */
export class IsolatedCheckRequired extends Error {
  constructor(
    readonly schema: ForeignSchema,
    readonly args: Arguments,
  ) {
    super('the arguments have to be checked in isolation');
  }

  async run(): Promise<ArgumentCheck> {
    const { schema, args } = this;
    return { key: schema.key, hash: args.hash, faults: faultsOf(await checkForeignSchema(schema, args.value)) };
  }
}

/** A check that was done: of which arguments by which schema, and what is wrong with them. */
export interface ArgumentCheck {
  key: string;
  hash: Buffer;
  faults: InvalidField[];
}

interface DefinedTool {
  definitionHash: string;
  inputSchema: JsonObject;
}

/**
 * What is wrong with arguments by the schema of their tool; empty: nothing. A schema that cannot be used lets nothing pass.
 * Throws IsolatedCheckRequired where it is not found out in a moment, and `done` is not a check of these arguments.
 */
export function argumentFaults(
  tenantId: string,
  { definitionHash, inputSchema }: DefinedTool,
  args: Arguments,
  completedCheck?: ArgumentCheck,
): InvalidField[] {
  const schema = { tenantId, key: definitionHash, schema: inputSchema };
  if (completedCheck?.key === schema.key && completedCheck.hash.equals(args.hash)) return completedCheck.faults;
  const faults = checkInline(schema, args.value);
  if (!faults) throw new IsolatedCheckRequired(schema, args);
  return faults;
}

function faultsOf(outcome: SchemaOutcome): InvalidField[] {
  if ('faults' in outcome) return outcome.faults;
  const detail =
    'unusable' in outcome
      ? `the schema of the tool cannot be used: ${outcome.unusable}`
      : outcome.exceeded === 'overloaded' || outcome.exceeded === 'stalled'
        ? 'the server is too busy to check the arguments by the schema of the tool; try again later'
        : 'the schema of the tool takes too much time or memory to check this';
  return [{ pointer: '', detail }];
}
