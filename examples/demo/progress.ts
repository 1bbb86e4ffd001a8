const stalledMs = 3 * 60_000;

/** For polling loops: throws when the reported progress has not changed for three minutes, however long the whole wait takes. */
export function stallDetector(what: string): (progress: unknown) => void {
  let last: unknown;
  let since = Date.now();
  return (progress) => {
    if (progress !== last) [last, since] = [progress, Date.now()];
    if (Date.now() - since > stalledMs) throw new Error(`${what}: no progress for ${stalledMs / 60_000} minutes`);
  };
}
