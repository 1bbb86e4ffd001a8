import type { Log } from '../../../platform/telemetry/log.service.js';
import { NotSent } from '../../connections.error.js';
import type { Line } from './line.js';
import type { LineRows, Said } from './line-rows.service.js';
import type { Switchboard } from './switchboard.js';

/** A process that was stalled in between hands on nothing that is older: its callers have been told that it is lost. */
const freshMs = 5000;

interface Served extends Line {
  /** What is being written, one after the other. */
  written: Promise<void>;
}

/** The lines that other processes have to a child of ours. */
export class ServedLines {
  private readonly lines = new Map<string, Served>();

  constructor(
    private readonly child: string,
    private readonly command: string,
    private readonly board: Switchboard,
    private readonly rows: LineRows,
    private readonly log: Log,
  ) {}

  async serve(): Promise<void> {
    for (const id of await this.rows.accept(this.child, this.command)) this.open(id);
    if (!this.lines.size) return;
    const living = await this.rows.living(this.child);
    for (const id of this.lines.keys()) if (!living.includes(id)) await this.drop(id);
    const askedAt = performance.now();
    const taken = await this.rows.requests(this.child);
    if (performance.now() - askedAt > freshMs) return;
    for (const { line, message, ...said } of taken) if (message) this.handOn(line, { message, ...said });
  }

  /** What was heard goes out first. */
  async close(reason: string): Promise<void> {
    await Promise.all([...this.lines.values()].map(({ written }) => written));
    await this.rows.closeAllOf(this.child, reason);
  }

  private open(id: string): void {
    const line = this.board.open({
      heard: (message, about) => this.say(id, { message, about }),
      ended: () => undefined, // they are closed together
    });
    this.lines.set(id, { ...line, written: Promise.resolve() });
  }

  private handOn(id: string, { message }: Said): void {
    const about = message && 'id' in message ? message.id : undefined;
    this.lines
      .get(id)
      ?.send(message!)
      // anything else comes with the end of the line, or of whoever waited
      .catch((error: Error) => error instanceof NotSent && this.say(id, { notSent: error.message, about }));
  }

  private say(id: string, said: Said): void {
    const served = this.lines.get(id);
    if (!served) return;
    served.written = served.written
      .then(() => this.rows.answer(id, said))
      .catch(() => this.drop(id)) // by which its caller hears that no answer comes
      .catch((error: unknown) => this.log.warn({ err: error, command: this.command }, 'a caller was not told'));
  }

  /** Its row first: as long as that is there, its caller writes, and is served. */
  private async drop(id: string): Promise<void> {
    await this.rows.close(id);
    const served = this.lines.get(id);
    this.lines.delete(id);
    await served?.close();
  }
}
