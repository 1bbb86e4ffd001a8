import type { Browser } from './browser.js';
import { eventBlocks } from './event-stream.js';

/** The event stream of an open console page. */
export class ConsoleEventStream {
  readonly received: string[] = [];
  hasEnded = false;
  private readonly waiters = new Set<() => void>();

  private constructor(private readonly abort: AbortController) {}

  static async open(browser: Browser): Promise<ConsoleEventStream> {
    const leaving = new AbortController();
    const response = await browser.fetch('/console/events', {
      headers: { accept: 'text/event-stream' },
      signal: leaving.signal,
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const eventStream = new ConsoleEventStream(leaving);
    void eventStream.listen(response);
    return eventStream;
  }

  /** Resolves when this event arrives, for example "task <id>" or "spend null". */
  waitFor(line: string): Promise<void> {
    return this.when(() => this.received.includes(line));
  }

  waitForEnd(): Promise<void> {
    return this.when(() => this.hasEnded);
  }

  close(): void {
    this.abort.abort();
  }

  private when(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!is()) return;
        this.waiters.delete(check);
        resolve();
      };
      this.waiters.add(check);
      check();
    });
  }

  private async listen(response: Response): Promise<void> {
    try {
      for await (const block of eventBlocks(response)) this.handleBlock(block);
    } catch {
      // closed by the test or by the end of the process: both end the stream
    }
    this.hasEnded = true;
    this.waiters.forEach((look) => look());
  }

  private handleBlock(block: string): void {
    const { event, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s))) as Record<
      string,
      string
    >;
    if (data) this.received.push(`${event} ${(JSON.parse(data) as { id?: string | null }).id}`);
    this.waiters.forEach((look) => look());
  }
}
