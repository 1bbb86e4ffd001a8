import { preparseSchema, validate } from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../platform/json/strict-json.js';
import { argumentShape, type RecordShape } from './argument-shape.js';
import type { Path } from './argument-values.js';
import { cedarSchema, type ContextName, contextNames, type ActionEffect } from './cedar-schema.js';
import type { Policy } from './policy.js';
import { isActionInScope } from './scope.js';

export interface EvaluatedTool {
  name: string;
  effect: ActionEffect;
  connectionSlug: string;
  inputSchema: JsonObject;
  definitionHash: string;
}

/** How Cedar is asked about a tool, or why the policies cannot be asked about it. */
export type ToolPlan = { record: RecordShape; contextFields: readonly ContextName[] } | { fault: string };

/**
 * Has Cedar keep the tool's schema under `name`. The tool may have changed since the policies were published: those that
 * could apply to it are validated once more, against what it is now. A forbid on an attribute that is gone must not fall
 * silent.
 */
export function planTool(
  name: string,
  { name: tool, effect, inputSchema }: EvaluatedTool,
  policies: readonly Policy[],
): ToolPlan {
  const applicable = policies.filter(({ json }) => isActionInScope(json.action, { tool, effect }));
  const record = pickMentionedArguments(argumentShape(inputSchema).record, applicable);
  const told = contextNames.filter((name) => isContextFieldMentioned(name, applicable));
  const schema = cedarSchema([{ name: tool, effect, record, contextFields: told }], actionsOf(policies));
  const staticPolicies = Object.fromEntries(applicable.map(({ id, statement }) => [id, statement.text]));
  const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: 'strict' } });
  const errors = answer.type === 'failure' ? answer.errors : answer.validationErrors.map(({ error }) => error);
  if (errors.length) return { fault: `The policies do not fit ${tool} as it is now: ${errors[0].message}` };
  const parsedSchema = preparseSchema(name, schema);
  if (parsedSchema.type === 'failure')
    return { fault: `The arguments of ${tool} cannot be described to the policies.` };
  return { record, contextFields: told };
}

/**
 * Whether a policy that mentions this path in `context` speaks of an argument: it does of what it names, of what lies
 * below, and of what it lies below of.
 */
export function concerns([root, ...path]: Path, argument: Path): boolean {
  if (root !== undefined && root !== 'arguments') return false;
  return path.slice(0, argument.length).every((step, index) => step === argument[index]);
}

/** What no policy looks at Cedar is not told: the time alone would cost as much as the rest of a decision. */
const isContextFieldMentioned = (name: ContextName, policies: readonly Policy[]): boolean =>
  policies.some(({ mentions }) => mentions.some(([root]) => root === undefined || root === name));

/** Without the arguments that no policy looks at: they may be large, and Cedar would read all of them. */
function pickMentionedArguments({ kind, attributes }: RecordShape, policies: readonly Policy[]): RecordShape {
  const mentions = policies.flatMap((policy) => policy.mentions);
  const isNamed = (name: string) => mentions.some((mention) => concerns(mention, [name]));
  return { kind, attributes: new Map([...attributes].filter(([name]) => isNamed(name))) };
}

/** Other tools that the policies name were there when the text was published; that is all Cedar needs to know of them. */
const actionsOf = (policies: readonly Policy[]) =>
  policies.flatMap(({ entities }) => entities.filter(({ type }) => type === 'Action').map(({ id }) => id));
