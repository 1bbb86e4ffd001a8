import type { ReplayedChange } from '../policies/replay-decisions.service.js';
import type { RecordedCall } from './policy-replay.sql.js';
import type { ShadowedChange } from './policy-shadow.entity.js';

const maxExamples = 5;

/** Adds calls, oldest first, to the counts of a shadow. */
export function addShadowedCalls(
  stored: readonly ShadowedChange[],
  found: readonly { call: RecordedCall; change: ReplayedChange }[],
): ShadowedChange[] {
  const changes = new Map(stored.map((one) => [keyOf(one), one]));
  for (const { call, change } of found) {
    const { id: callId, taskId, tool, caller, requestedAt } = call;
    const { before, after, reason } = change;
    const key = keyOf({ tool, before, after });
    const { calls, examples } = changes.get(key) ?? { calls: 0, examples: [] };
    const example = { callId, taskId, caller: caller.name, requestedAt, reason };
    changes.set(key, {
      tool,
      before,
      after,
      calls: calls + 1,
      examples: [example, ...examples].slice(0, maxExamples),
    });
  }
  return [...changes.values()];
}

const keyOf = ({ tool, before, after }: Pick<ShadowedChange, 'tool' | 'before' | 'after'>) =>
  JSON.stringify([tool, before.verdict, before.steps, after.verdict, after.steps]);
