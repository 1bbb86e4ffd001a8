const stalledMs = 3 * 60_000;

/** A check for loops that wait: throws once what it is told has not changed for three minutes, however long the whole takes. */
export function stallOf(what: string): (progress: unknown) => void {
  let last: unknown;
  let since = Date.now();
  return (progress) => {
    if (progress !== last) [last, since] = [progress, Date.now()];
    if (Date.now() - since > stalledMs) throw new Error(`${what}: no progress for ${stalledMs / 60_000} minutes`);
  };
}
