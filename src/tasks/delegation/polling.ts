const minPollSeconds = 0.5;
const maxPollSeconds = 60;

/** Until the next poll: a quarter of the time since the agent was last sent something, within bounds. */
export function pollSeconds(since: Date): number {
  const quarter = (Date.now() - since.getTime()) / 4000;
  return Math.min(Math.max(quarter, minPollSeconds), maxPollSeconds);
}
