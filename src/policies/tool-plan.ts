import { preparseSchema, type SchemaJson, validate } from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../platform/json/strict-json.js';
import { argumentShape, type RecordShape } from './argument-shape.js';
import type { Path } from './argument-values.js';
import { cedarSchema, type ContextName, contextNames, type ActionEffect, actionEffects } from './cedar-schema.js';
import type { Policy } from './policy.js';
import { isActionInScope } from './scope.js';

export interface EvaluatedTool {
  name: string;
  effect: ActionEffect;
  connectionSlug: string;
  inputSchema: JsonObject;
  definitionHash: string;
}

/** The parts of an offered tool that policies decide by. */
export const toEvaluatedTool = ({
  name,
  effect,
  connectionSlug,
  inputSchema,
  definitionHash,
}: EvaluatedTool): EvaluatedTool => ({ name, effect, connectionSlug, inputSchema, definitionHash });

/** The inputs that Cedar needs to decide on a tool, or why the policies cannot be evaluated for it. */
export type ToolPlan = { record: RecordShape; contextFields: readonly ContextName[] } | { fault: string };

/**
 * Stores the tool's schema in Cedar under `name`. The tool may have changed since the policies were published, so the
 * policies that could apply to it are validated against its current definition. Otherwise a forbid that uses a removed
 * attribute would silently stop applying. `generalFaults` are those of the general policies.
 */
export function planTool(
  name: string,
  { name: tool, effect, inputSchema }: EvaluatedTool,
  policies: readonly Policy[],
  generalFaults: ReadonlyMap<string, string>,
): ToolPlan {
  const applicable = policies.filter(({ json }) => isActionInScope(json.action, { tool, effect }));
  const record = pickMentionedArguments(argumentShape(inputSchema).record, applicable);
  const contextFields = contextNames.filter((name) => isContextFieldMentioned(name, applicable));
  const schema = cedarSchema([{ name: tool, effect, record, contextFields }], actionsOf(policies));
  const ownFaults = findFaults(
    schema,
    applicable.filter((policy) => !isGeneral(policy)),
  );
  const fault = applicable.map(({ id }) => generalFaults.get(id) ?? ownFaults.get(id)).find((found) => found);
  if (fault) return { fault: `The policies do not fit the current definition of ${tool}: ${fault}` };
  const parsedSchema = preparseSchema(name, schema);
  if (parsedSchema.type === 'failure')
    return { fault: `The arguments of ${tool} cannot be expressed in a Cedar schema.` };
  return { record, contextFields };
}

/** Why the general policies cannot be evaluated, by policy id. The answer is the same for all tools. */
export function findGeneralFaults(policies: readonly Policy[]): ReadonlyMap<string, string> {
  const noArguments: RecordShape = { kind: 'record', attributes: new Map() };
  const anyTools = actionEffects.map((effect) => ({ name: `any ${effect} tool`, effect, record: noArguments }));
  return findFaults(cedarSchema(anyTools), policies.filter(isGeneral));
}

/** Whether a policy is valid for all tools or for none: it uses no arguments and names no tool. */
const isGeneral = ({ mentions, entities }: Policy): boolean =>
  mentions.every(([root]) => root !== undefined && root !== 'arguments') &&
  entities.every(({ type, id }) => type !== 'Action' || actionEffects.some((effect) => effect === id));

/** Cedar's messages by policy id. */
function findFaults(schema: SchemaJson<string>, policies: readonly Policy[]): Map<string, string> {
  if (!policies.length) return new Map();
  const staticPolicies = Object.fromEntries(policies.map(({ id, statement }) => [id, statement.text]));
  const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: 'strict' } });
  if (answer.type === 'failure') return new Map(policies.map(({ id }) => [id, answer.errors[0].message]));
  return new Map(answer.validationErrors.map(({ policyId, error }) => [policyId, error.message]));
}

/**
 * Whether a mention of a path in `context` concerns an argument: the path is the argument itself, one of its ancestors,
 * or one of its descendants.
 */
export function concerns([root, ...path]: Path, argument: Path): boolean {
  if (root !== undefined && root !== 'arguments') return false;
  return path.slice(0, argument.length).every((step, index) => step === argument[index]);
}

/** Context fields that no policy uses are not passed to Cedar: the time alone would double the cost of a decision. */
const isContextFieldMentioned = (name: ContextName, policies: readonly Policy[]): boolean =>
  policies.some(({ mentions }) => mentions.some(([root]) => root === undefined || root === name));

/** Drops arguments that no policy uses: they may be large, and Cedar would read all of them. */
function pickMentionedArguments({ kind, attributes }: RecordShape, policies: readonly Policy[]): RecordShape {
  const mentions = policies.flatMap((policy) => policy.mentions);
  const isNamed = (name: string) => mentions.some((mention) => concerns(mention, [name]));
  return { kind, attributes: new Map([...attributes].filter(([name]) => isNamed(name))) };
}

/** Declares the other tools that the policies name: they existed at publication, and Cedar needs only their names. */
const actionsOf = (policies: readonly Policy[]) =>
  policies.flatMap(({ entities }) => entities.filter(({ type }) => type === 'Action').map(({ id }) => id));
