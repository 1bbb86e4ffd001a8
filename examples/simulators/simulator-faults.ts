/** A fault that a test enables. */
export type SimulatorFault = (
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Answers, but late. */
  | { kind: 'delay'; ms: number }
  /** Never answers. */
  | { kind: 'hang' }
  /** Executes the request and cuts the connection in the middle of the answer. */
  | { kind: 'cut' }
  /** Executes the request and answers with half of the JSON. */
  | { kind: 'half' }
  /** The page of a proxy, with status 200. */
  | { kind: 'html' }
) & {
  /** Default: all paths. */
  on?: RegExp;
  method?: string;
  /** The number of matching requests that succeed first. */
  after?: number;
  /** How often. Default: until `clear`. */
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

  /** The fault of this request, if one is due. */
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
