import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { Path } from './argument-values.js';

/** The attributes, entities and values that the conditions of a policy use. */
export interface ConditionFacts {
  /** Paths of attributes in `context`; [] if a condition uses the record as a whole. */
  mentions: Path[];
  /** All entities in the policy, including its scope. */
  entities: EntityId[];
  /** Strings that an attribute of `context` is compared with. */
  comparisons: { path: Path; value: string }[];
  /** Ids of actions that the action is compared with, in the scope or in a condition. `in` is not a comparison. */
  equals: string[];
}

export interface EntityId {
  type: string;
  id: string;
}

export function readConditions({ principal, action, resource, conditions }: PolicyJson): ConditionFacts {
  const reader = new ConditionReader();
  for (const scope of [principal, action, resource]) reader.entitiesIn(scope);
  if (action.op === '==' && 'entity' in action) reader.facts.equals.push(...actionsIn(action.entity));
  for (const { body } of conditions) reader.expression(body);
  return reader.facts;
}

const comparisonOperators = new Set(['==', '!=', 'contains', 'containsAny', 'containsAll']);

/** Walks Cedar's JSON form of an expression: an object with one key, the operator. */
class ConditionReader {
  readonly facts: ConditionFacts = { mentions: [], entities: [], comparisons: [], equals: [] };

  expression(expression: unknown): void {
    const [operator, operand] = Object.entries(expression as object)[0] as [string, never];
    const path = contextPath(expression);
    if (path) return void this.facts.mentions.push(path);
    if (operator === 'Value') return this.entitiesIn(operand);
    if (operator === 'Record') return Object.values(operand as object).forEach((member) => this.expression(member));
    if (operator === 'has') return this.has(operand);
    if (comparisonOperators.has(operator)) this.comparison(operand);
    this.operands(operand);
  }

  entitiesIn(value: unknown): void {
    this.facts.entities.push(...entitiesIn(value));
  }

  private has({ left, attr }: { left: unknown; attr: string | string[] }): void {
    const path = contextPath(left);
    if (path) this.facts.mentions.push([...path, ...[attr].flat()]);
    else this.expression(left);
  }

  /** `a == "x"` and `["x", "y"].contains(a)`, in either order. */
  private comparison({ left, right }: { left: unknown; right: unknown }): void {
    for (const [one, other] of [
      [left, right],
      [right, left],
    ]) {
      const path = contextPath(one);
      if (path) for (const value of stringLiterals(other)) this.facts.comparisons.push({ path, value });
      if ((one as { Var?: string }).Var === 'action') this.facts.equals.push(...actionsIn(other));
    }
  }

  private operands(operand: unknown): void {
    if (Array.isArray(operand)) return operand.forEach((inner) => this.expression(inner));
    for (const [name, inner] of Object.entries(operand as object)) {
      if (['left', 'right', 'arg', 'in', 'if', 'then', 'else'].includes(name)) this.expression(inner);
    }
  }
}

export function entitiesIn(value: unknown): EntityId[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, id } = value as Partial<EntityId>;
  if (typeof type === 'string' && typeof id === 'string') return [{ type, id }];
  return Object.values(value).flatMap(entitiesIn);
}

const actionsIn = (value: unknown): string[] =>
  entitiesIn(value)
    .filter(({ type }) => type === 'Action')
    .map(({ id }) => id);

/** `context.arguments.amount` → ['arguments', 'amount']; null for any other expression. */
export function contextPath(expression: unknown): Path | null {
  const { Var, '.': access } = expression as { Var?: string; '.'?: { left: unknown; attr: string } };
  if (Var !== undefined) return Var === 'context' ? [] : null;
  const left = access && contextPath(access.left);
  return left ? [...left, access.attr] : null;
}

function stringLiterals(expression: unknown): string[] {
  const { Value, Set: items } = expression as { Value?: unknown; Set?: unknown[] };
  if (items) return items.flatMap(stringLiterals);
  return [Value].flat().filter((value) => typeof value === 'string');
}
