import type { Browser } from './browser.js';
import { eventBlocks } from './event-stream.js';

/** What an open console is told, as its page hears it. */
export class ConsoleNews {
  readonly heard: string[] = [];
  hasEnded = false;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly leaving: AbortController) {}

  static async of(browser: Browser): Promise<ConsoleNews> {
    const leaving = new AbortController();
    const response = await browser.fetch('/console/events', {
      headers: { accept: 'text/event-stream' },
      signal: leaving.signal,
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const news = new ConsoleNews(leaving);
    void news.listen(response);
    return news;
  }

  /** Resolves once this was told, as "task <id>" or "spend null". */
  until(line: string): Promise<void> {
    return this.when(() => this.heard.includes(line));
  }

  ended(): Promise<void> {
    return this.when(() => this.hasEnded);
  }

  leave(): void {
    this.leaving.abort();
  }

  private when(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!is()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  private async listen(response: Response): Promise<void> {
    try {
      for await (const block of eventBlocks(response)) this.hear(block);
    } catch {
      // left, or the process is gone: an end as well
    }
    this.hasEnded = true;
    this.waiting.forEach((look) => look());
  }

  private hear(block: string): void {
    const { event, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s))) as Record<
      string,
      string
    >;
    if (data) this.heard.push(`${event} ${(JSON.parse(data) as { id?: string | null }).id}`);
    this.waiting.forEach((look) => look());
  }
}
