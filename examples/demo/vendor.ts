import { dayOf, daysAfter, startOf, type Day } from '../vendor-simulator/ledger/days.ts';
import { groups, type Person } from '../vendor-simulator/ledger/people.ts';
import { startSimulator, type VendorSimulator } from '../vendor-simulator/simulator.ts';
import { stallDetector } from './progress.ts';

const seats = 24;
const daysInBooks = 90;
/** Uses one email address at work and another at the vendor. */
export const stranger = { name: 'Noor Castellan', email: 'noor.castellan@larkmoor.example' };

/** The demo's vendor: a team of 24 people with 90 days of usage, of which the API returns the last 30. */
export class DemoVendor {
  private readonly simulator: VendorSimulator;
  private daysAgo = 0;
  private movedAt = 0;

  private constructor(simulator: VendorSimulator) {
    this.simulator = simulator;
    setInterval(() => this.simulator.ledger.moveTo(this.today), 60_000).unref();
  }

  static async start(port: number, members: { name: string; email: string }[]): Promise<DemoVendor> {
    const vendorAccount = { ...stranger, email: stranger.email.replace('@', '+cursor@') };
    const people = { count: seats, named: [...members, vendorAccount] };
    return new DemoVendor(await startSimulator({ port, seed: 19, people, serviceAccounts: 0, days: daysInBooks }));
  }

  get url(): string {
    return this.simulator.url;
  }

  get key(): string {
    return this.simulator.key;
  }

  /** The current day of the simulated vendor. */
  private get today(): Day {
    return daysAfter(dayOf(Date.now()), -this.daysAgo);
  }

  moveTo(daysAgo: number): void {
    this.daysAgo = daysAgo;
    this.movedAt = this.simulator.requests.length;
    this.simulator.ledger.moveTo(this.today);
  }

  /**
   * Resolves when, since the last move, the day's events and then the billing cycle were requested, and nothing since.
   */
  async waitUntilSynced(day: Day): Promise<void> {
    const { requests } = this.simulator;
    const isEvents = (body: Record<string, unknown>) => body.startDate === startOf(day);
    const failIfStalled = stallDetector(`usage of ${day} was not synced`);
    for (; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const received = requests.slice(this.movedAt);
      const at = received.findIndex(({ path, body }) => path === '/teams/filtered-usage-events' && isEvents(body));
      if (at >= 0 && received.slice(at).some(({ path }) => path === '/teams/spend') && (await this.isQuiet())) return;
      failIfStalled(requests.length);
    }
  }

  /** A CSV list of people, groups and cost centres, as an HR system exports it. */
  peopleCsv(): string {
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
  const workEmail = name === stranger.name ? stranger.email : email;
  return [workEmail, name, group.name, `CC-${4100 + 10 * groups.indexOf(group)}`].join(';');
}
