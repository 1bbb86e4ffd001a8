const minPollSeconds = 0.5;
const maxPollSeconds = 60;

/** Time until the next poll: a quarter of the time since the last message to the agent, within bounds. */
export function pollSeconds(since: Date): number {
  const quarter = (Date.now() - since.getTime()) / 4000;
  return Math.min(Math.max(quarter, minPollSeconds), maxPollSeconds);
}
