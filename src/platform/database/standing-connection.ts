import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';

const reopenMs = 1000;

export interface StandingConnectionOptions {
  config: pg.ClientConfig;
  /** Prepares each new connection, such as with LISTEN. */
  prepare(client: pg.Client): Promise<void>;
  /** Receives the errors of a lost connection and of each attempt to open another one. */
  onError(error: Error): void;
}

/** A connection outside of the pools that stays open: when it is lost, another one is opened, one attempt at a time. */
export class StandingConnection {
  private client?: pg.Client;
  private opening?: pg.Client;
  private reopening?: Promise<void>;
  private readonly closing = new AbortController();

  constructor(private readonly options: StandingConnectionOptions) {}

  /** The first connection. Throws if it cannot be opened. */
  async open(): Promise<void> {
    const { config, prepare, onError } = this.options;
    const client = new pg.Client({ ...config, keepAlive: true });
    this.opening = client;
    const lost = new AbortController();
    // connect() never settles if end() is called before the database answers
    const whileOpen = rejectsOn(lost.signal);
    client.on('error', onError);
    client.on('end', () => {
      lost.abort(new Error('The connection was lost while it was opened.'));
      if (this.client === client) this.reopen();
    });
    try {
      await Promise.race([client.connect(), whileOpen]);
      await Promise.race([prepare(client), whileOpen]);
      lost.signal.throwIfAborted();
      this.closing.signal.throwIfAborted();
    } catch (error) {
      await client.end();
      throw error;
    } finally {
      this.opening = undefined;
    }
    this.client = client;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.client?.end(), this.opening?.end()]);
    await this.reopening;
  }

  private reopen(): void {
    if (this.closing.signal.aborted) return;
    this.reopening ??= this.openAgain().finally(() => (this.reopening = undefined));
  }

  private async openAgain(): Promise<void> {
    const { signal } = this.closing;
    const pause = () => after(reopenMs, undefined, { signal, ref: false });
    while (!signal.aborted) {
      try {
        await pause();
        return await this.open();
      } catch (error) {
        if (!signal.aborted) this.options.onError(error as Error);
      }
    }
  }
}

function rejectsOn(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  rejected.catch(() => undefined); // it may be rejected when nothing waits for it anymore
  return rejected;
}
