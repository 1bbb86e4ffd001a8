import { once } from 'node:events';
import type { Response } from 'express';

const downloadStallMs = 60_000;

/** The client disconnected, or read nothing for a minute. */
export class ClientDisconnected extends Error {}

/**
 * A file that is streamed while it is generated, with backpressure. Headers are sent with the first line, or at the
 * end.
 */
export class StreamedDownload {
  constructor(
    private readonly response: Response,
    private readonly name: string,
    private readonly type: string,
  ) {}

  async write(text: string): Promise<void> {
    if (!this.response.headersSent) this.sendHeaders();
    if (this.response.destroyed) throw new ClientDisconnected();
    if (!this.response.write(text)) await this.waitForDrain();
  }

  end(): void {
    if (!this.response.headersSent) this.sendHeaders();
    this.response.end();
  }

  private sendHeaders(): void {
    this.response.status(200).set({
      'Content-Type': this.type,
      'Content-Disposition': `attachment; filename="${this.name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
  }

  private async waitForDrain(): Promise<void> {
    const timer = setTimeout(() => this.response.destroy(), downloadStallMs);
    const done = new AbortController();
    const { signal } = done;
    try {
      await Promise.race([once(this.response, 'drain', { signal }), once(this.response, 'close', { signal })]);
    } finally {
      clearTimeout(timer);
      done.abort();
    }
    if (this.response.destroyed) throw new ClientDisconnected();
  }
}
