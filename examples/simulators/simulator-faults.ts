/** A fault that a test injects. */
export type SimulatorFault = (
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Delays the response. */
  | { kind: 'delay'; ms: number }
  /** Never responds. */
  | { kind: 'hang' }
  /** Executes the request and closes the connection in the middle of the response. */
  | { kind: 'cut' }
  /** Executes the request and returns half of the JSON. */
  | { kind: 'half' }
  /** Returns an HTML page with status 200, as a proxy does. */
  | { kind: 'html' }
) & {
  /** Matches the path. Default: all paths. */
  on?: RegExp;
  method?: string;
  /** The number of matching requests that succeed before the fault. */
  after?: number;
  /** The number of requests that fail. Default: all until `clear`. */
  times?: number;
};

export class SimulatorFaults {
  private active: SimulatorFault[] = [];

  add(fault: SimulatorFault): void {
    this.active.push({ ...fault });
  }

  clear(): void {
    this.active = [];
  }

  /** The fault to inject into this request, if any. */
  take(method: string, path: string): SimulatorFault | undefined {
    const matching = this.active.filter(
      (fault) => (!fault.on || fault.on.test(path)) && (!fault.method || fault.method === method),
    );
    const due = matching.find((fault) => !fault.after);
    for (const fault of matching) if (fault.after) fault.after--;
    if (due?.times !== undefined && --due.times <= 0) this.active = this.active.filter((fault) => fault !== due);
    return due;
  }
}
