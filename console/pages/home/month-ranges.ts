const day = (at: number) => new Date(at).toISOString().slice(0, 10);

/** This month to date, the same number of days last month (or all of it, if it is shorter), and all of last month; UTC. */
export function monthRanges(now: Date) {
  const [year, month, today] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const lastEnd = Date.UTC(year, month, 0);
  return {
    thisFrom: day(Date.UTC(year, month, 1)),
    thisTo: day(now.getTime()),
    lastFrom: day(Date.UTC(year, month - 1, 1)),
    lastTo: day(Math.min(Date.UTC(year, month - 1, today), lastEnd)),
    lastEnd: day(lastEnd),
  };
}
