import {
  checkForeignSchema,
  type ForeignSchema,
  checkInline,
  type SchemaOutcome,
} from '../platform/json-schema/foreign-schemas.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Arguments } from './arguments.js';

/** The arguments must be checked in a worker before the call can be decided. */
export class IsolatedCheckRequired extends Error {
  constructor(
    readonly schema: ForeignSchema,
    readonly args: Arguments,
  ) {
    super('the arguments must be checked in isolation');
  }

  async run(): Promise<ArgumentCheck> {
    const { schema, args } = this;
    return { key: schema.key, hash: args.hash, faults: faultsOf(await checkForeignSchema(schema, args.value)) };
  }
}

/** A completed check: the schema, the arguments, and their faults. */
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
 * Validates arguments against the schema of their tool. Empty: they are valid. An unusable schema rejects everything.
 * Throws IsolatedCheckRequired if the check could be slow and `completedCheck` does not cover these arguments.
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
        ? 'the server is too busy to check the arguments against the schema of the tool; try again later'
        : 'checking the arguments against the schema of the tool takes too much time or memory';
  return [{ pointer: '', detail }];
}
