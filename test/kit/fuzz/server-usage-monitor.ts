/** Resources that a server process used. */
export interface ServerUsage {
  /** The longest delay of its event loop. */
  lagMs: number;
  cpuMs: number;
  residentMb: number;
}

/** Reads the metrics of a server process from its internal port. The lag covers the time since the last read. */
export class ServerUsageMonitor {
  constructor(private readonly internalUrl: string) {}

  /** Runs `act` and returns the resources that the server used meanwhile. */
  async measure(act: () => Promise<unknown>): Promise<ServerUsage> {
    const before = await this.read();
    await act();
    const after = await this.read();
    return {
      lagMs: after.lagMs,
      cpuMs: after.cpuMs - before.cpuMs,
      residentMb: after.residentMb - before.residentMb,
    };
  }

  /** Resolves once the server uses less than a fifth of a core. */
  async untilIdle(): Promise<void> {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 250));
    while ((await this.measure(pause)).cpuMs >= 50);
  }

  private async read(): Promise<ServerUsage> {
    const text = await (await fetch(`${this.internalUrl}/metrics`)).text();
    const figure = (name: string) => {
      const found = new RegExp(`^${name} (\\S+)`, 'm').exec(text);
      if (!found) throw new Error(`the server reports no ${name}`);
      return Number(found[1]);
    };
    return {
      lagMs: figure('nodejs_eventloop_lag_max_seconds') * 1000,
      cpuMs: figure('process_cpu_seconds_total') * 1000,
      residentMb: figure('process_resident_memory_bytes') / 2 ** 20,
    };
  }
}
