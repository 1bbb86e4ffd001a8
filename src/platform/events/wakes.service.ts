import { Inject, Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { ADDRESSES } from '../database/tokens.js';
import { workConnection, type DatabaseAddresses } from '../database/addresses.js';
import { Database } from '../database/database.service.js';
import { Log } from '../telemetry/log.service.js';

type Listener = (ids: string[] | 'all') => void;

const channel = 'cs_wake';
const debounceMs = 10;
const rereadMs = 1000;
const payloadBytes = 7000; // PostgreSQL refuses 8000 and more

/**
 * Tells every process that rows changed: ids only, after the commit, at most one NOTIFY per 10 ms and process (a NOTIFY in
 * every commit would serialise the commits). Nothing depends on it: listeners hear 'all' every second and read the tables.
 */
@Injectable()
export class Wakes implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly unsent = new Map<string, Set<string>>();
  private connection?: pg.Client;
  private timer?: NodeJS.Timeout;
  private reread?: NodeJS.Timeout;
  private ended = false;

  constructor(
    @Inject(ADDRESSES) private readonly at: DatabaseAddresses,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  on(topic: string, listener: Listener): () => void {
    const list = this.listeners.get(topic) ?? [];
    this.listeners.set(topic, [...list, listener]);
    return () =>
      this.listeners.set(
        topic,
        (this.listeners.get(topic) ?? []).filter((other) => other !== listener),
      );
  }

  /** This process hears it at once, the others within the debounce. */
  send(topic: string, id: string): void {
    if (this.ended) return;
    this.tell(topic, [id]);
    const ids = this.unsent.get(topic) ?? new Set();
    this.unsent.set(topic, ids.add(id));
    this.timer ??= setTimeout(() => void this.flush(), debounceMs);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.listen();
    this.reread = setInterval(() => this.tellAll(), rereadMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ended = true;
    clearInterval(this.reread);
    clearTimeout(this.timer);
    await this.connection?.end();
  }

  private async listen(): Promise<void> {
    // LISTEN needs a connection of its own, never a pooled one
    const connection = new pg.Client({ ...workConnection(this.at.login, 'cs_app'), keepAlive: true });
    connection.on('error', (error) => this.log.warn({ err: error }, 'the wake-up connection broke'));
    connection.on('end', () => this.listenAgain());
    connection.on('notification', ({ payload }) => this.hear(payload ?? ''));
    await connection.connect();
    await connection.query(`listen ${channel}`);
    this.connection = connection;
    this.tellAll();
  }

  private listenAgain(): void {
    if (this.ended) return;
    setTimeout(() => void this.listen().catch(() => this.listenAgain()), rereadMs).unref();
  }

  private hear(payload: string): void {
    const { from, wakes } = JSON.parse(payload) as { from: string; wakes: Record<string, string[]> };
    if (from === this.id) return;
    for (const [topic, ids] of Object.entries(wakes)) this.tell(topic, ids.length ? ids : 'all');
  }

  private readonly id = Math.random().toString(36).slice(2);

  private async flush(): Promise<void> {
    this.timer = undefined;
    const wakes = Object.fromEntries([...this.unsent].map(([topic, ids]) => [topic, [...ids]]));
    this.unsent.clear();
    let payload = JSON.stringify({ from: this.id, wakes });
    if (payload.length > payloadBytes) {
      payload = JSON.stringify({
        from: this.id,
        wakes: Object.fromEntries(Object.keys(wakes).map((topic) => [topic, []])),
      });
    }
    try {
      await this.database.systemPool.query('select pg_notify($1, $2)', [channel, payload]);
    } catch (error) {
      this.log.warn({ err: error }, 'a wake-up was not sent; the others read the tables within a second');
    }
  }

  private tell(topic: string, ids: string[] | 'all'): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(ids);
  }

  private tellAll(): void {
    for (const topic of this.listeners.keys()) this.tell(topic, 'all');
  }
}
