import { actionEffects } from './cedar-schema.js';
import {
  comparisons,
  decimalComparisons,
  type PolicyRuleForm,
  type RuleCondition,
  type RuleTest,
  type RuleWho,
} from './rule.js';

/** Writes a rule as one Cedar policy, annotations first, formatted as people write it. */
export function writeRule(rule: PolicyRuleForm): string {
  const { name, verdict, step, who, actions, connection, conditions } = rule;
  return [
    ...(name ? [`@id(${cedarString(name)})`] : []),
    ...(verdict === 'approval' ? [`@approval(${cedarString(step ?? '')})`] : []),
    `${verdict === 'forbid' ? 'forbid' : 'permit'} (${principal(who)}, ${action(actions)}, ${resource(connection)})`,
    ...(conditions.length ? [`when { ${conjuncts(conditions).join(' && ')} }`] : []),
  ]
    .join('\n')
    .concat(';');
}

function principal({ kind, id }: RuleWho): string {
  switch (kind) {
    case 'everybody':
      return 'principal';
    case 'members':
      return 'principal is Member';
    case 'agents':
      return 'principal is Agent';
    case 'group':
      return `principal in Group::${cedarString(id ?? '')}`;
    case 'member':
      return `principal == Member::${cedarString(id ?? '')}`;
    case 'agent':
      return `principal == Agent::${cedarString(id ?? '')}`;
  }
}

function action(names: string[]): string {
  const [only, ...more] = names.map((name) => `Action::${cedarString(name)}`);
  if (!only) return 'action';
  if (more.length) return `action in [${[only, ...more].join(', ')}]`;
  return (actionEffects as readonly string[]).includes(names[0]) ? `action in ${only}` : `action == ${only}`;
}

const resource = (connection: string | null) =>
  connection ? `resource == Connection::${cedarString(connection)}` : 'resource';

/** Tests optional attributes with "has" before access, each only once. */
function conjuncts(conditions: RuleCondition[]): string[] {
  const written = conditions.flatMap((condition) => [
    ...guards(condition.path),
    ...(condition.test === 'given' ? [] : [comparison(condition.path, condition.test, condition)]),
  ]);
  return [...new Set(written)];
}

/** Only arguments can be absent. */
const guards = (path: string[]): string[] =>
  path
    .slice(1)
    .map((name, at) => `${attribute(path.slice(0, at + 1))} has ${isPlain(name) ? name : cedarString(name)}`);

function comparison(path: string[], test: Exclude<RuleTest, 'given'>, { type, values }: RuleCondition): string {
  const left = attribute(path);
  const [right] = values.map((value) => literal(value, type));
  switch (test) {
    case 'is':
      if (type === 'truth') return values[0] === 'true' ? left : `!${left}`;
      return `${left} == ${right}`;
    case 'is_not':
      return `${left} != ${right}`;
    case 'one_of':
      return `[${values.map((value) => literal(value, type)).join(', ')}].contains(${left})`;
    case 'contains':
      return `${left}.contains(${right})`;
    case 'like':
      return `${left} like ${cedarString(values[0])}`;
    default:
      return type === 'decimal'
        ? `${left}.${decimalComparisons[test]}(${right})`
        : `${left} ${comparisons[test]} ${right}`;
  }
}

function literal(value: string, type: RuleCondition['type']): string {
  if (type === 'text') return cedarString(value);
  // Cedar decimals require a decimal point
  if (type === 'decimal') return `decimal(${cedarString(value.includes('.') ? value : `${value}.0`)})`;
  return value;
}

export const attribute = (path: string[]): string =>
  path.reduce((left, name) => (isPlain(name) ? `${left}.${name}` : `${left}[${cedarString(name)}]`), 'context');

const keywords = new Set(['true', 'false', 'if', 'then', 'else', 'in', 'is', 'like', 'has', '__cedar']);
export const isPlain = (name: string) => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name);

/** A Cedar string literal. Characters that are invisible, break the line or reverse the text are written as escapes. */
export const cedarString = (text: string): string =>
  `"${text
    .replace(/["\\]/g, '\\$&')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)}"`;
