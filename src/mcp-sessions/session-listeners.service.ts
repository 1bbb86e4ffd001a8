import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { type Ears, Listener, type SessionListener } from './listener.js';
import { takeListening } from './mcp-sessions.sql.js';
import { newsOfSessions } from './mcp-sessions.system.sql.js';
import { SessionEvents } from './session-events.service.js';
import { sessionsTopic } from './topics.js';

export type { SessionListener };

interface NewsRow {
  listener: string;
  isOver: boolean;
  number: number | null;
  sealed: Buffer;
  changes: number;
  /** Null: as they were. */
  subscriptions: string[] | null;
}

/** Who listens to sessions on this process. One statement a second reads for all of them, so that a thousand that are idle cost little. */
@Injectable()
export class SessionListeners implements OnModuleInit {
  private readonly listeners = new Map<string, Listener>();
  private readonly bySession = new Map<string, Set<Listener>>();
  private readonly behind = new Set<Listener>();
  private isReading = false;

  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly events: SessionEvents,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.wakes.on(sessionsTopic, (ids) => this.heard(ids));
  }

  get all(): Listener[] {
    return [...this.listeners.values()];
  }

  /** Takes the place of whoever listened before. `after`: what was told already, or from now on. Null: the session has ended. */
  async take(principal: Principal, sessionId: string, after: number | null): Promise<SessionListener | null> {
    const id = newId();
    const newest = await this.database.tenant(principal, (tx) => {
      afterCommit(tx, () => this.wakes.send(sessionsTopic, sessionId));
      return takeListening(tx, principal.tenantId, sessionId, id);
    });
    if (newest === null) return null;
    return new Listener(id, principal, sessionId, Math.min(after ?? newest, newest), (one) => this.leave(one));
  }

  follow(listener: SessionListener, ears: Ears): void {
    const one = listener as Listener;
    one.ears = ears;
    this.listeners.set(one.id, one);
    this.bySession.set(one.sessionId, (this.bySession.get(one.sessionId) ?? new Set()).add(one));
    this.catchUp([one]);
  }

  private heard(ids: string[] | 'all'): void {
    if (ids === 'all') this.catchUp(this.listeners.values());
    else for (const id of ids) this.catchUp(this.bySession.get(id) ?? []);
  }

  private catchUp(listeners: Iterable<Listener>): void {
    for (const listener of listeners) this.behind.add(listener);
    if (this.isReading || !this.behind.size) return;
    this.isReading = true;
    // one statement serves everybody who asks within this turn of the event loop
    setImmediate(() => void this.readBehind());
  }

  private async readBehind(): Promise<void> {
    try {
      while (this.behind.size) {
        const batch = [...this.behind];
        this.behind.clear();
        await this.read(batch.filter((listener) => listener.ears));
      }
    } catch (error) {
      this.log.warn({ err: error }, 'sessions could not be read; the next second tries again');
    } finally {
      this.isReading = false;
    }
  }

  private async read(batch: Listener[]): Promise<void> {
    if (!batch.length) return;
    const { rows } = await this.database.systemPool.query<NewsRow>({
      ...newsOfSessions,
      values: [
        batch.map(({ principal }) => principal.tenantId),
        batch.map(({ sessionId }) => sessionId),
        batch.map(({ id }) => id),
        batch.map(({ last }) => last),
        batch.map(({ changes }) => changes),
      ],
    });
    for (const row of rows) this.hand(row);
  }

  private hand({ listener: id, isOver, number, sealed, changes, subscriptions }: NewsRow): void {
    const listener = this.listeners.get(id);
    if (!listener?.ears) return;
    if (isOver) return listener.end();
    if (subscriptions && changes > listener.changes) {
      listener.changes = changes;
      listener.ears.follow(subscriptions);
    }
    if (number === null || number <= listener.last) return;
    const { sessionId } = listener;
    listener.last = number;
    listener.ears.tell({ number, message: this.events.open({ sessionId, stream: sessionId }, number, sealed) });
    this.behind.add(listener); // perhaps there is more
  }

  private leave(listener: Listener): void {
    this.behind.delete(listener);
    this.listeners.delete(listener.id);
    const others = this.bySession.get(listener.sessionId);
    others?.delete(listener);
    if (!others?.size) this.bySession.delete(listener.sessionId);
  }
}
