/*
 * The demo shows 90 days of usage, but a vendor returns only its last 30: older days exist only if they were stored in time.
 * So the demo's server first runs on three earlier days, as if it had been connected back then. Each SIGUSR2 moves its clock to the
 * next of these days, and the last one to now. No other part of the server knows about this.
 */

const dayMs = 86_400_000;
const longestWaitMs = 2 ** 31 - 1;

/** Days ago, at noon: by then the previous day is over, and at the next stop it is still within the vendor's 30 days. */
export const stops = [60, 31, 29];

const RealDate = Date;
let behindMs = 0;
let next = 0;

const shiftedDate: DateConstructor = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(
      target,
      args.length ? args : [shiftedNow()],
      newTarget === shiftedDate ? target : newTarget,
    ) as Date,
  apply: (target) => new target(shiftedNow()).toString(),
  get: (target, name) => (name === 'now' ? shiftedNow : (Reflect.get(target, name) as unknown)),
});

const realTimeout = setTimeout;
/**
 * Node fires timeouts of more than 24 days immediately, so timers for a shifted date would spin. They fire once a second
 * instead.
 */
const boundedTimeout = new Proxy(realTimeout, {
  apply: (target, self, [callback, ms, ...rest]: Parameters<typeof setTimeout>) =>
    Reflect.apply(target, self, [callback, Number(ms) > longestWaitMs ? 1000 : ms, ...rest]) as NodeJS.Timeout,
});

function shiftedNow(): number {
  return RealDate.now() - behindMs;
}

/** Moves the clock of this process on each signal. */
export function followSignals(): void {
  process.on('SIGUSR2', () => {
    const daysAgo = stops[next++];
    const now = RealDate.now();
    const noon = now - (now % dayMs) + dayMs / 2;
    behindMs = daysAgo === undefined ? 0 : now - noon + daysAgo * dayMs;
    globalThis.Date = daysAgo === undefined ? RealDate : shiftedDate;
    globalThis.setTimeout = daysAgo === undefined ? realTimeout : boundedTimeout;
    process.stdout.write(`Clock moved to stop ${next}.\n`);
  });
}
