/** How far a task may be handed on. */
export const delegationLimits = {
  /** Configurations below each other, the first not counted. */
  depth: 4,
  /** Tasks that one task, and those that it led to, may hand on in all. */
  tasks: 30,
  /** Turns of a model that these may have taken when another is handed on: what it costs at most. */
  turns: 400,
  /** Until a task that was handed on has to be at its end, waiting for people included. */
  hours: 72,
  /** In which an agent elsewhere has to answer the question how a task stands. */
  unreachableMinutes: 15,
} as const;

const hourMs = 3_600_000;

/** Why a task that was handed on is not waited for any more; null while it is. */
export function findStopReason({ isParentOver, createdAt }: { isParentOver: boolean; createdAt: Date }): string | null {
  if (isParentOver) return 'the task that it was handed on by is over';
  if (Date.now() - createdAt.getTime() < delegationLimits.hours * hourMs) return null;
  return `it did not come to an end within ${delegationLimits.hours} hours`;
}
