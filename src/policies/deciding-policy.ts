/** A policy that decides on a call. */
export interface DecidingPolicy {
  /** Its @id, or "policy <n>". */
  id: string;
  effect: 'permit' | 'forbid';
  /** The approval step that a permit requires. */
  step: string | null;
  /** In Cedar. */
  text: string;
}
