import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';

const reopenMs = 1000;
/** For each attempt: a proxy can accept a connection whose database does not answer. */
const openingMs = 10_000;
/** Gateways of clouds drop connections that are idle for about four minutes. The default of Linux is two hours. */
const keepAliveMs = 60_000;

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
    const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs };
    const client = new pg.Client({ connectionTimeoutMillis: openingMs, ...config, ...keepAlive });
    this.opening = client;
    let isLost = false;
    client.on('error', onError);
    client.on('end', () => {
      isLost = true;
      if (this.client === client) this.reopen();
    });
    try {
      await client.connect();
      await prepare(client);
      if (isLost) throw new Error('The connection was lost while it was opened.');
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
    // after end(), connect() would never settle
    this.opening?.connection.stream.destroy();
    await this.client?.end();
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
