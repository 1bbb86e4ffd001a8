import type {
  EntityUidJson,
  PolicyJson,
  PrincipalConstraint,
  ResourceConstraint,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { EntityId } from './conditions.js';
import type { ActionEffect } from './cedar-schema.js';

/** A request without its arguments. */
export interface ScopeRequest {
  principal: EntityId;
  groups: readonly string[];
  tool: string;
  effect: ActionEffect;
  connection: string;
}

/** Whether the scope of a policy matches: its head in parentheses, without the conditions. */
export function isInScope({ principal, action, resource }: PolicyJson, request: ScopeRequest): boolean {
  const ancestors = request.groups.map((id) => ({ type: 'Group', id }));
  return (
    isActionInScope(action, request) &&
    entityInScope(principal, request.principal, ancestors) &&
    entityInScope(resource, { type: 'Connection', id: request.connection }, [])
  );
}

export function isActionInScope(
  action: PolicyJson['action'],
  { tool, effect }: Pick<ScopeRequest, 'tool' | 'effect'>,
): boolean {
  if (action.op === 'All') return true;
  const named = actionsOf(action).map((uid) => entityId(uid).id);
  return action.op === '==' ? named[0] === tool : named.includes(tool) || named.includes(effect);
}

function actionsOf(action: Exclude<PolicyJson['action'], { op: 'All' }>): EntityUidJson[] {
  if ('entities' in action) return action.entities;
  if ('entity' in action) return [action.entity];
  return [];
}

function entityInScope(
  constraint: PrincipalConstraint | ResourceConstraint,
  entity: EntityId,
  ancestors: EntityId[],
): boolean {
  const isIn = (uid: EntityUidJson) => [entity, ...ancestors].some((one) => isSameEntity(one, entityId(uid)));
  switch (constraint.op) {
    case 'All':
      return true;
    case '==':
      return 'entity' in constraint && isSameEntity(entity, entityId(constraint.entity));
    case 'in':
      return 'entity' in constraint && isIn(constraint.entity);
    case 'is':
      return (
        constraint.entity_type === entity.type &&
        (!constraint.in || ('entity' in constraint.in && isIn(constraint.in.entity)))
      );
  }
}

const isSameEntity = (a: EntityId, b: EntityId) => a.type === b.type && a.id === b.id;
const entityId = (uid: EntityUidJson): EntityId => ('__entity' in uid ? uid.__entity : uid);
