import { validate, type ValidationError } from '@cedar-policy/cedar-wasm/nodejs';
import { type ArgumentShape, argumentShape, type RecordShape, type Shape } from './argument-shape.js';
import type { Path } from './argument-values.js';
import { cedarSchema, contextNames, type ActionEffect, actionEffects, policySurfaces } from './cedar-schema.js';
import type { EntityId } from './conditions.js';
import { cedarFault, type PolicyFault, type Policy, parsePolicies } from './policy.js';
import {
  annotationSpan,
  attributeSpan,
  entitySpan,
  literalSpan,
  type TextPosition,
  positionOf,
  type Span,
} from './policy-text.js';
import { isActionInScope } from './scope.js';

/** The names that the policies of one configuration can use. */
export interface Vocabulary {
  tools: { name: string; effect: ActionEffect; connection: string; shape: ArgumentShape }[];
  connections: string[];
  groups: { id: string; name: string }[];
  agents: string[];
  members: string[];
  steps: string[];
}

export interface PolicyTextFinding extends TextPosition {
  message: string;
  help?: string;
}

export interface PolicyTextCheck {
  /** A text with errors cannot be published. */
  errors: PolicyTextFinding[];
  warnings: PolicyTextFinding[];
}

/** Limits errors and warnings separately: locating each takes time linear in the length of the text. */
const maxFindings = 100;

/** Runs all checks that are possible before a text is published. */
export function checkPolicyText(text: string, vocabulary: Vocabulary): PolicyTextCheck {
  const { policies, faults } = parsePolicies(text);
  if (!policies.length)
    return { errors: faults.slice(0, maxFindings).map((fault) => toFinding(text, fault)), warnings: [] };
  const found = validateWithCedar(text, policies, vocabulary);
  const errors = [...faults, ...found.errors, ...policies.flatMap((policy) => nameFaults(policy, vocabulary))];
  const idle = found.idle.filter(({ statement }) => !errors.some(({ span }) => isWithin(span, statement)));
  const never = idle.filter((policy) => toolsInScope(policy, vocabulary).length).map(neverApplies);
  const notYet = idle.filter((policy) => !toolsInScope(policy, vocabulary).length).map(appliesToNothing);
  const open = policies.filter(permitsEverything).map(permitsEverythingWarning);
  const findings = (faults: PolicyFault[]) =>
    unique(faults.slice(0, maxFindings).map((fault) => toFinding(text, fault)));
  return { errors: findings([...errors, ...never]), warnings: findings([...found.warnings, ...notYet, ...open]) };
}

export const toVocabularyTool = (tool: {
  name: string;
  effect: ActionEffect;
  connectionSlug: string;
  inputSchema: Parameters<typeof argumentShape>[0];
}) => ({
  name: tool.name,
  effect: tool.effect,
  connection: tool.connectionSlug,
  shape: argumentShape(tool.inputSchema),
});

interface CedarValidation {
  errors: PolicyFault[];
  warnings: PolicyFault[];
  /** Policies that, according to Cedar, no request can match. */
  idle: Policy[];
}

function validateWithCedar(text: string, policies: readonly Policy[], { tools }: Vocabulary): CedarValidation {
  const schema = cedarSchema(tools.map(({ name, effect, shape }) => ({ name, effect, record: shape.record })));
  const answer = validate({ schema, policies: { staticPolicies: text }, validationSettings: { mode: 'strict' } });
  if (answer.type === 'failure')
    return {
      errors: answer.errors.slice(0, maxFindings).map((error) => cedarFault(text, error)),
      warnings: [],
      idle: [],
    };
  const faults = (errors: ValidationError[]) =>
    errors.slice(0, maxFindings).map(({ error }) => cedarFault(text, error));
  const [idle, warnings] = partition(answer.validationWarnings, ({ error }) => isIdle.test(error.message));
  return {
    errors: faults(answer.validationErrors),
    warnings: faults(warnings),
    // Cedar numbers the policies of a text
    idle: policies.filter((_, index) => idle.some(({ policyId }) => policyId === `policy${index}`)),
  };
}

const isIdle = /policy is impossible|unable to find an applicable action/;

const neverApplies = ({ statement }: Policy): PolicyFault => ({
  message: 'This policy can never apply: no call meets its scope and conditions.',
  span: statement,
});

const appliesToNothing = ({ statement }: Policy): PolicyFault => ({
  message: 'No tool of this configuration is in the scope of this policy yet.',
  span: statement,
});

const permitsEverything = ({ effect, step, json }: Policy): boolean =>
  effect === 'permit' &&
  step === null &&
  !json.conditions.length &&
  [json.principal, json.action, json.resource].every(({ op }) => op === 'All');

const permitsEverythingWarning = ({ statement }: Policy): PolicyFault => ({
  message: 'This policy allows every tool to everyone without an approval, except what another policy restricts.',
  span: statement,
});

/** Checks names that Cedar does not check. With a typo in such a name, a forbid would silently never apply. */
function nameFaults(policy: Policy, vocabulary: Vocabulary): PolicyFault[] {
  return [
    ...stepFaults(policy, vocabulary),
    ...entityFaults(policy, vocabulary),
    ...effectFaults(policy),
    ...mentionFaults(policy, vocabulary),
    ...valueFaults(policy, vocabulary),
  ];
}

function stepFaults({ step, effect, statement }: Policy, { steps }: Vocabulary): PolicyFault[] {
  if (!step || effect === 'forbid' || steps.includes(step)) return [];
  return [
    {
      message: `There is no approval step "${step}".`,
      help: `available steps: ${quoteNamesOrNone(steps)}`,
      span: annotationSpan(statement, 'approval') ?? statement,
    },
  ];
}

function entityFaults({ entities, statement }: Policy, vocabulary: Vocabulary): PolicyFault[] {
  const unknown = entities.flatMap((entity) => {
    const fault = entityFault(entity, vocabulary);
    return fault ? [{ ...fault, entity }] : [];
  });
  return unknown.slice(0, maxFindings).map(({ entity: { type, id }, ...fault }) => ({
    ...fault,
    span: entitySpan(statement, type, id) ?? statement,
  }));
}

/** Detects `==` with an effect: a tool is in the group of its effect but never equals the group. */
function effectFaults({ equals, statement }: Policy): PolicyFault[] {
  return actionEffects
    .filter((effect) => equals.includes(effect))
    .map((effect) => ({
      message: `Action::"${effect}" is the group of all tools with that effect, so no tool equals it.`,
      help: `write: action in Action::"${effect}"`,
      span: entitySpan(statement, 'Action', effect) ?? statement,
    }));
}

function entityFault(
  { type, id }: EntityId,
  { groups, connections, agents, members }: Vocabulary,
): Omit<PolicyFault, 'span'> | null {
  switch (type) {
    case 'Group': {
      if (groups.some((group) => group.id === id)) return null;
      const sameName = groups.find(({ name }) => name === id);
      return {
        message: `There is no group with the id "${id}".`,
        help: sameName && `the id of "${sameName.name}" is ${sameName.id}`,
      };
    }
    case 'Connection':
      return connections.includes(id)
        ? null
        : {
            message: `This configuration has no connection "${id}".`,
            help: `its connections: ${quoteNamesOrNone(connections)}`,
          };
    case 'Agent':
      return agents.includes(id) ? null : { message: `This configuration has no agent with the id "${id}".` };
    case 'Member':
      return members.includes(id) ? null : { message: `There is no member with the id "${id}".` };
    default:
      return null; // Cedar reports actions and unknown types
  }
}

/** For Cedar, `has` with an unknown attribute is false, not an error. */
function mentionFaults(policy: Policy, vocabulary: Vocabulary): PolicyFault[] {
  const inScope = toolsInScope(policy, vocabulary);
  const wrong = policy.mentions.flatMap((path) => {
    const fault = mentionFault(path, inScope);
    return fault ? [{ ...fault, path }] : [];
  });
  return wrong.slice(0, maxFindings).map(({ path, ...fault }) => ({
    ...fault,
    span: attributeSpan(policy.statement, path) ?? policy.statement,
  }));
}

function mentionFault([root, ...path]: Path, tools: Vocabulary['tools']): Omit<PolicyFault, 'span'> | null {
  if (root === undefined) return null;
  if (!contextNames.some((name) => name === root))
    return {
      message: `There is no attribute context.${root}.`,
      help: `available: ${contextNames.map((name) => `context.${name}`).join(', ')}`,
    };
  if (root !== 'arguments' || !path.length || !tools.length) return null;
  if (tools.some(({ shape }) => shapeAt(shape.record, path))) return null;
  const unusable = tools.flatMap(({ name, shape }) =>
    shape.unusable.filter((one) => startsWith(path, one.path)).map((one) => ({ name, ...one })),
  )[0];
  const attribute = path.join('.');
  if (unusable)
    return {
      message: `The argument "${attribute}" is not usable in conditions: in ${unusable.name} it ${unusable.reason}.`,
    };
  return { message: `No tool that this policy applies to has the argument "${attribute}".` };
}

/** Detects comparisons with a string that the attribute can never have. */
function valueFaults(policy: Policy, vocabulary: Vocabulary): PolicyFault[] {
  const inScope = toolsInScope(policy, vocabulary);
  const never = policy.comparisons.flatMap(({ path, value }) => {
    const known = knownValues(path, inScope);
    return !known || known.includes(value) ? [] : [{ path, value, known }];
  });
  return never.slice(0, maxFindings).map(({ path, value, known }) => ({
    message: `context.${path.join('.')} is never "${value}".`,
    help: `allowed values: ${quoteNamesOrNone(known)}`,
    span: literalSpan(policy.statement, value) ?? policy.statement,
  }));
}

function knownValues([root, ...path]: Path, tools: Vocabulary['tools']): readonly string[] | null {
  if (root === 'surface' && !path.length) return policySurfaces;
  if (root !== 'arguments') return null;
  const shapes = tools.map(({ shape }) => shapeAt(shape.record, path)).filter((shape) => shape !== null);
  const values = shapes
    .map((shape) => (shape.kind === 'set' ? shape.element : shape))
    .map((shape) => (shape.kind === 'string' ? shape.values : undefined));
  return values.length && values.every((list) => list !== undefined) ? values.flat() : null;
}

function shapeAt(record: RecordShape, path: Path): Shape | null {
  const [first, ...rest] = path;
  const found = record.attributes.get(first)?.shape ?? null;
  if (!found || !rest.length) return found;
  return found.kind === 'record' ? shapeAt(found, rest) : null;
}

const toolsInScope = ({ json }: Policy, { tools }: Vocabulary) =>
  tools.filter(({ name, effect }) => isActionInScope(json.action, { tool: name, effect }));

const isWithin = (inner: Span, outer: Span) => inner.start >= outer.start && inner.end <= outer.end;
const partition = <T>(items: T[], test: (item: T) => boolean) => [
  items.filter(test),
  items.filter((item) => !test(item)),
];
const startsWith = (path: Path, start: Path) => start.every((step, index) => path[index] === step);
const quoteNamesOrNone = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ') || 'none';
const toFinding = (text: string, { message, help, span }: PolicyFault): PolicyTextFinding => ({
  message,
  help,
  ...positionOf(text, span),
});
const unique = (findings: PolicyTextFinding[]) => [
  ...new Map(findings.map((one) => [`${one.line}:${one.column} ${one.message}`, one])).values(),
];
