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
} as const;
