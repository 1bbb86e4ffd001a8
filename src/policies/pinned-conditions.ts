import type { Policy } from './policy.js';
import type { ReplayedCall } from './policy-replay.js';
import type { EvaluatedTool } from './tool-plan.js';
import { cedarString } from './write-rule.js';

/**
 * Conditions for everything that these policies depend on and that can change between two calls with the same caller,
 * tool and arguments: groups, effect, surface and taint, as they are for this call. With them, a permit for the call
 * permits nothing that the policies do not permit. If that is not possible, the reason as a sentence.
 */
export function pinnedConditions(
  policies: readonly Policy[],
  call: Pick<ReplayedCall, 'groups' | 'surface' | 'tainted'>,
  { effect }: Pick<EvaluatedTool, 'effect'>,
): string[] | { obstacle: string } {
  // an empty path: the policy uses the whole context
  const isUsed = (name: string) =>
    policies.some(({ mentions }) => mentions.some(([root]) => root === undefined || root === name));
  if (isUsed('time')) return { obstacle: 'A policy that requires the approval depends on the time.' };
  const entities = policies.flatMap((policy) => policy.entities);
  const groups = new Set(entities.flatMap(({ type, id }) => (type === 'Group' ? [id] : [])));
  return [
    ...[...groups].map((id) => {
      const isMember = `principal in Group::${cedarString(id)}`;
      return call.groups.includes(id) ? isMember : `!(${isMember})`;
    }),
    // always: there are no permits for destructive tools
    `action in Action::${cedarString(effect)}`,
    ...(isUsed('surface') ? [`context.surface == ${cedarString(call.surface)}`] : []),
    ...(isUsed('tainted') ? [call.tainted ? 'context.tainted' : '!context.tainted'] : []),
  ];
}
