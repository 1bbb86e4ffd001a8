import { dayOf, daysAfter, startOf, type Day } from '../vendor-simulator/ledger/days.ts';
import { groups, type Person } from '../vendor-simulator/ledger/people.ts';
import { startSimulator, type VendorSimulator } from '../vendor-simulator/simulator.ts';
import { stallOf } from './progress.ts';

const seats = 24;
const daysInBooks = 90;
/** Comes to work with one address, and has the vendor's seat with another. */
export const stranger = { name: 'Noor Castellan', email: 'noor.castellan@larkmoor.example' };

/** The demo's vendor: a team of two dozen whose books go back ninety days, of which it tells the last thirty. */
export class DemoVendor {
  private readonly simulator: VendorSimulator;
  private daysAgo = 0;
  private movedAt = 0;

  private constructor(simulator: VendorSimulator) {
    this.simulator = simulator;
    setInterval(() => this.simulator.ledger.moveTo(this.today), 60_000).unref();
  }

  static async start(port: number, members: { name: string; email: string }[]): Promise<DemoVendor> {
    const strange = { ...stranger, email: stranger.email.replace('@', '+cursor@') };
    const people = { count: seats, named: [...members, strange] };
    return new DemoVendor(await startSimulator({ port, seed: 19, people, serviceAccounts: 0, days: daysInBooks }));
  }

  get url(): string {
    return this.simulator.url;
  }

  get key(): string {
    return this.simulator.key;
  }

  /** What day the vendor takes it for. */
  private get today(): Day {
    return daysAfter(dayOf(Date.now()), -this.daysAgo);
  }

  moveTo(daysAgo: number): void {
    this.daysAgo = daysAgo;
    this.movedAt = this.simulator.requests.length;
    this.simulator.ledger.moveTo(this.today);
  }

  /** Comes back when, since the last move, events of the day were asked for, then the total of the cycle, then nothing more. */
  async wasReadBackTo(day: Day): Promise<void> {
    const { requests } = this.simulator;
    const isEvents = (body: Record<string, unknown>) => body.startDate === startOf(day);
    const stalled = stallOf(`usage of ${day} was not pulled`);
    for (; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const asked = requests.slice(this.movedAt);
      const at = asked.findIndex(({ path, body }) => path === '/teams/filtered-usage-events' && isEvents(body));
      if (at >= 0 && asked.slice(at).some(({ path }) => path === '/teams/spend') && (await this.isQuiet())) return;
      stalled(requests.length);
    }
  }

  /** People, groups and cost centres, as the personnel department has them. */
  list(): string {
    const people = Array.from({ length: seats }, (_, index) => this.simulator.ledger.person(index));
    return ['email;name;group;cost_centre', ...people.map(lineOf)].join('\n');
  }

  close(): Promise<void> {
    return this.simulator.close();
  }

  private async isQuiet(): Promise<boolean> {
    const { length } = this.simulator.requests;
    await new Promise((resolve) => setTimeout(resolve, 400));
    return this.simulator.requests.length === length;
  }
}

function lineOf({ name, email, group }: Person): string {
  const known = name === stranger.name ? stranger.email : email;
  return [known, name, group.name, `CC-${4100 + 10 * groups.indexOf(group)}`].join(';');
}
