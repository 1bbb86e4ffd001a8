import { actionEffects } from './cedar-schema.js';
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
  const mentionOf = (name: string) => (policy: Policy) =>
    policy.mentions.some(([root]) => root === undefined || root === name);
  const timed = policies.find(mentionOf('time'));
  if (timed) return { obstacle: 'A policy that requires the approval depends on the time.' };
  const entities = policies.flatMap((policy) => policy.entities);
  const groups = new Set(entities.flatMap(({ type, id }) => (type === 'Group' ? [id] : [])));
  const usesEffect = entities.some(({ type, id }) => type === 'Action' && actionEffects.some((one) => one === id));
  return [
    ...[...groups].map((id) => {
      const isMember = `principal in Group::${cedarString(id)}`;
      return call.groups.includes(id) ? isMember : `!(${isMember})`;
    }),
    ...(usesEffect ? [`action in Action::${cedarString(effect)}`] : []),
    ...(policies.some(mentionOf('surface')) ? [`context.surface == ${cedarString(call.surface)}`] : []),
    ...(policies.some(mentionOf('tainted')) ? [call.tainted ? 'context.tainted' : '!context.tainted'] : []),
  ];
}
