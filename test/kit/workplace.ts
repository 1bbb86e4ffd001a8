import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Fault } from '../../examples/workplace-mcp/faults.js';
import type { Arrival } from '../../examples/workplace-mcp/store.js';

const workplaceScript = path.resolve('examples/workplace-mcp/main.ts');

/** The example workplace as a separate process, which can fail, be killed, and restart with its state. */
export class Workplace {
  private child?: ChildProcess;
  private port = 0;
  private readonly state = path.join(mkdtempSync(path.join(process.env.TEST_FOLDER!, 'workplace-')), 'state.jsonl');

  private constructor(private readonly token?: string) {}

  static async start({ token }: { token?: string } = {}): Promise<Workplace> {
    const workplace = new Workplace(token);
    await workplace.start();
    return workplace;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Starts on the same port, with its stored state. */
  async start(): Promise<void> {
    const args = [
      workplaceScript,
      '--port',
      String(this.port),
      '--state',
      this.state,
      '--faults',
      ...(this.token ? ['--token', this.token] : []),
    ];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(this.child.stdout!, 'data')) as [Buffer];
    this.port = Number(/:(\d+)\/mcp/.exec(line.toString())![1]);
  }

  async stop(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  /** Waits after a fault that ends the process. */
  async waitForExit(): Promise<void> {
    if (this.child!.exitCode === null) await once(this.child!, 'exit');
  }

  async fail(fault: Fault): Promise<void> {
    await fetch(new URL('/faults', this.url), { method: 'POST', body: JSON.stringify(fault) });
  }

  async clearFaults(): Promise<void> {
    await fetch(new URL('/faults', this.url), { method: 'DELETE' });
  }

  /** The calls that arrived, including duplicates. */
  async arrivals(): Promise<Arrival[]> {
    const response = await fetch(new URL('/arrivals', this.url));
    return ((await response.json()) as { arrivals: Arrival[] }).arrivals;
  }
}
