import {
  checkParsePolicySet,
  type DetailedError,
  type PolicyJson,
  policySetTextToParts,
  policyToJson,
} from '@cedar-policy/cedar-wasm/nodejs';
import { readConditions, type ConditionFacts } from './conditions.js';
import { maxPolicyDepth, policyDepth } from './policy-depth.js';
import { annotationSpan, type Span, spanOfBytes, type PolicyTextStatement, splitStatements } from './policy-text.js';

/** One policy of a text, with the facts that we need beyond Cedar's evaluation. */
export interface Policy extends ConditionFacts {
  id: string;
  effect: 'permit' | 'forbid';
  /** The approval step that a permit requires. */
  step: string | null;
  json: PolicyJson;
  statement: PolicyTextStatement;
}

/** Why a text cannot be published, with its position. */
export interface PolicyFault {
  message: string;
  help?: string;
  span: Span;
}

export const maxPolicies = 500;
export const maxPolicyTextLength = 128 * 1024;
/** No U+0000 and no unpaired surrogates: PostgreSQL can store neither. */
export const storableText = /^[^\0\p{Cs}]*$/u;

/**
 * Parses a text and rejects annotations that Cedar accepts silently: misspelled ones and ones without a value. A
 * misspelled `@approval` would turn a required approval into a plain permission.
 */
export function parsePolicies(text: string): { policies: Policy[]; faults: PolicyFault[] } {
  const whole = { start: 0, end: text.length };
  const refuse = (message: string) => ({ policies: [], faults: [{ message, span: whole }] });
  if (text.length > maxPolicyTextLength) return refuse(`The text is longer than ${maxPolicyTextLength} characters.`);
  if (!storableText.test(text)) return refuse('The text has characters that cannot be stored.');
  if (policyDepth(text) > maxPolicyDepth)
    return refuse(
      'A policy is nested too deeply, or has too many operators in a row. Use a set, such as ["a", "b"].contains(…), or several policies.',
    );
  const parsed = checkParsePolicySet({ staticPolicies: text });
  if (parsed.type === 'failure') return { policies: [], faults: parsed.errors.map((error) => cedarFault(text, error)) };
  const found = splitStatements(text);
  if (!isSplitAsCedarDoes(text, found)) return refuse('The text cannot be split into its policies.');
  if (found.length > maxPolicies) return refuse(`There are more than ${maxPolicies} policies.`);
  return parseStatements(found);
}

/** Cedar validates the whole text but decides by the separate statements: both must be the same policies. */
function isSplitAsCedarDoes(text: string, found: PolicyTextStatement[]): boolean {
  const parts = policySetTextToParts(text);
  const mine = found.map((statement) => statement.text);
  return parts.type === 'success' && JSON.stringify(parts.policies.sort()) === JSON.stringify(mine.sort());
}

function parseStatements(found: PolicyTextStatement[]): { policies: Policy[]; faults: PolicyFault[] } {
  const policies: Policy[] = [];
  const faults: PolicyFault[] = [];
  for (const [index, statement] of found.entries()) {
    const answer = policyToJson(statement.text);
    if (answer.type === 'failure')
      throw new Error(`Cedar parsed a text but not its policy ${index + 1}: ${answer.errors[0]?.message}`);
    const policy = policyOf(answer.json, statement, index);
    faults.push(...annotationFaults(policy));
    if (policies.some(({ id }) => id === policy.id)) {
      faults.push({
        message: `Another policy already has the id "${policy.id}".`,
        span: annotationSpan(statement, 'id') ?? statement,
      });
    }
    policies.push(policy);
  }
  return { policies, faults };
}

function policyOf(json: PolicyJson, statement: PolicyTextStatement, index: number): Policy {
  const { id, approval } = json.annotations ?? {};
  return {
    id: id || `policy ${index + 1}`,
    effect: json.effect,
    step: approval ?? null,
    json,
    statement,
    ...readConditions(json),
  };
}

/** An annotation without a value is `null` in Cedar's JSON, contrary to its types. */
function annotationFaults({ json, statement, effect }: Policy): PolicyFault[] {
  return Object.entries(json.annotations ?? {}).flatMap(([name, value]: [string, string | null]) => {
    const message = annotationFault(name, value, effect);
    return message ? [{ message, span: annotationSpan(statement, name) ?? statement }] : [];
  });
}

function annotationFault(name: string, value: string | null, effect: string): string | null {
  if (name !== 'id' && name !== 'approval')
    return `The annotation @${name} is unknown. Use @id("name") or @approval("step").`;
  if (name === 'approval' && effect === 'forbid')
    return 'A forbid cannot have @approval: an approval never overrides a forbid.';
  if (!value)
    return name === 'id'
      ? '@id requires a name: @id("name").'
      : '@approval requires the name of an approval step: @approval("review").';
  if (name === 'id' && !/^[\w][\w .:-]{0,63}$/.test(value))
    return 'An @id can have up to 64 letters, digits, spaces and the characters . _ : -';
  return null;
}

export function cedarFault(text: string, { message, help, sourceLocations = [] }: DetailedError): PolicyFault {
  const [at] = sourceLocations;
  const expected = at && 'label' in at && at.label ? at.label : null;
  return {
    message: sentence(
      message.replace(/^failed to parse policies from string: /, '').replace(/^for policy `[^`]*`, /, ''),
    ),
    help: help ?? expected ?? undefined,
    span: at ? spanOfBytes(text, at) : { start: 0, end: text.length },
  };
}

const sentence = (message: string) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
