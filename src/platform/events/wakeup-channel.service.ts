import { Inject, Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type pg from 'pg';
import { DATABASE_ADDRESSES } from '../database/tokens.js';
import { workConnection, type DatabaseAddresses } from '../database/addresses.js';
import { DatabaseService } from '../database/database.service.js';
import { StandingConnection } from '../database/standing-connection.js';
import { LogService } from '../telemetry/log.service.js';
import { notifyChannel } from './wakeup.system.sql.js';

type WakeupListener = (ids: string[] | 'all') => void;

const wakeupChannelName = 'cs_wake';
const wakeupDebounceMs = 10;
const rereadIntervalMs = 1000;
const maxPayloadBytes = 7000; // PostgreSQL rejects payloads of 8000 bytes and more

/**
 * Notifies every process that rows changed: ids only, after the commit, at most one NOTIFY per 10 ms and process,
 * because a NOTIFY in every commit would serialize the commits. Delivery is best effort: every second, listeners get
 * 'all' and read the tables.
 */
@Injectable()
export class WakeupChannel implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, WakeupListener[]>();
  private readonly pending = new Map<string, Set<string>>();
  /** LISTEN needs a dedicated connection, not a pooled one. */
  private readonly connection: StandingConnection;
  private timer?: NodeJS.Timeout;
  private isClosed = false;

  constructor(
    @Inject(DATABASE_ADDRESSES) addresses: DatabaseAddresses,
    private readonly database: DatabaseService,
    private readonly log: LogService,
  ) {
    this.connection = new StandingConnection({
      config: workConnection(addresses.login, 'cs_app'),
      prepare: (client) => this.listen(client),
      onError: (error) => this.log.warn({ err: error }, 'wake-up connection was lost'),
    });
  }

  subscribe(topic: string, listener: WakeupListener): () => void {
    const list = this.listeners.get(topic) ?? [];
    this.listeners.set(topic, [...list, listener]);
    return () =>
      this.listeners.set(
        topic,
        (this.listeners.get(topic) ?? []).filter((other) => other !== listener),
      );
  }

  /** Notifies this process at once, and other processes after the debounce. */
  publish(topic: string, id: string): void {
    if (this.isClosed) return;
    this.dispatch(topic, [id]);
    const ids = this.pending.get(topic) ?? new Set();
    this.pending.set(topic, ids.add(id));
    this.timer ??= setTimeout(() => void this.flush(), wakeupDebounceMs);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connection.open();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  @Interval(rereadIntervalMs)
  protected reread(): void {
    if (!this.isClosed) this.dispatchAll();
  }

  private async listen(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload }) => this.receive(payload ?? ''));
    await client.query(`listen ${wakeupChannelName}`);
    this.dispatchAll();
  }

  private receive(payload: string): void {
    const { from, wakes } = JSON.parse(payload) as { from: string; wakes: Record<string, string[]> };
    if (from === this.id) return;
    for (const [topic, ids] of Object.entries(wakes)) this.dispatch(topic, ids.length ? ids : 'all');
  }

  private readonly id = Math.random().toString(36).slice(2);

  private async flush(): Promise<void> {
    this.timer = undefined;
    const wakes = Object.fromEntries([...this.pending].map(([topic, ids]) => [topic, [...ids]]));
    this.pending.clear();
    let payload = JSON.stringify({ from: this.id, wakes });
    if (payload.length > maxPayloadBytes) {
      payload = JSON.stringify({
        from: this.id,
        wakes: Object.fromEntries(Object.keys(wakes).map((topic) => [topic, []])),
      });
    }
    try {
      await this.database.systemPool.execute(notifyChannel, [wakeupChannelName, payload]);
    } catch (error) {
      this.log.warn({ err: error }, 'wake-up was not sent; other processes read the tables within a second');
    }
  }

  private dispatch(topic: string, ids: string[] | 'all'): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(ids);
  }

  private dispatchAll(): void {
    for (const topic of this.listeners.keys()) this.dispatch(topic, 'all');
  }
}
