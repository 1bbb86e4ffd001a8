/** Limits of delegation. */
export const delegationLimits = {
  /** Levels of delegation below the first configuration. */
  depth: 4,
  /** Delegated tasks in one tree. */
  tasks: 30,
  /** Model turns that a tree may have taken before it can no longer grow; bounds its cost. */
  turns: 400,
  /** A delegated task has to end within this time, including the time it waits for people. */
  hours: 72,
  /** A remote agent has to report the status of a task within this time. */
  unreachableMinutes: 15,
} as const;

const hourMs = 3_600_000;

/** Why a delegated task is stopped; null: it may continue. */
export function findStopReason({ isParentOver, createdAt }: { isParentOver: boolean; createdAt: Date }): string | null {
  if (isParentOver) return 'its parent task has ended';
  if (Date.now() - createdAt.getTime() < delegationLimits.hours * hourMs) return null;
  return `it did not end within ${delegationLimits.hours} hours`;
}
