/*
 * The demo shows ninety days of usage, and a vendor tells of its last thirty only: whoever has more than that has kept it.
 * So the demo's server begins by living through three earlier days, as one does that was connected back then. At each SIGUSR2 its clock goes on to the
 * next of them, and at the last one to now. Nothing else of the server knows of it.
 */

const dayMs = 86_400_000;
const longestWaitMs = 2 ** 31 - 1;

/** How many days ago the clock stands, at noon: the day before is over by then, and not yet beyond the vendor's thirty next time. */
export const stops = [60, 31, 29];

const RealDate = Date;
let behindMs = 0;
let next = 0;

const earlier: DateConstructor = new Proxy(RealDate, {
  construct: (target, given: [], asked) =>
    Reflect.construct(target, given.length ? given : [nowThere()], asked === earlier ? target : asked) as Date,
  apply: (target) => new target(nowThere()).toString(),
  get: (target, name) => (name === 'now' ? nowThere : (Reflect.get(target, name) as unknown)),
});

const realTimeout = setTimeout;
/** What waits for a time that has been is asked again each second, instead of all the time as Node does with waits of more than 24 days. */
const patient = new Proxy(realTimeout, {
  apply: (target, self, [then, ms, ...rest]: Parameters<typeof setTimeout>) =>
    Reflect.apply(target, self, [then, Number(ms) > longestWaitMs ? 1000 : ms, ...rest]) as NodeJS.Timeout,
});

function nowThere(): number {
  return RealDate.now() - behindMs;
}

/** Has the clock of this process moved by signals. */
export function followSignals(): void {
  process.on('SIGUSR2', () => {
    const back = stops[next++];
    const now = RealDate.now();
    const noon = now - (now % dayMs) + dayMs / 2;
    behindMs = back === undefined ? 0 : now - noon + back * dayMs;
    globalThis.Date = back === undefined ? RealDate : earlier;
    globalThis.setTimeout = back === undefined ? realTimeout : patient;
    process.stdout.write(`The clock stands at stop ${next}.\n`);
  });
}
