import {
  Injectable,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Recheck } from '../access/recheck.service.js';
import { newId } from '../platform/crypto/ids.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { takeListening } from './mcp-sessions.sql.js';
import { newsOfSessions, touchSessions } from './mcp-sessions.system.sql.js';
import { type SessionEvent, SessionEvents } from './session-events.service.js';
import { sessionsTopic } from './topics.js';

/** Of a session: one at a time, wherever it is; the newest stays. */
export interface SessionListener {
  readonly sessionId: string;
  /** What it has been told. */
  readonly last: number;
  close(): void;
}
export interface Ears {
  tell(event: Pick<SessionEvent, 'number' | 'message'>): void;
  /** The resources whose changes the client wants to hear of; these, and no others any more. */
  follow(uris: string[]): void;
  /** The session has ended, or somebody else listens now. */
  over(): void;
}
interface NewsRow {
  listener: string;
  isOver: boolean;
  number: number | null;
  sealed: Buffer;
  changes: number;
  /** Null: as they were. */
  subscriptions: string[] | null;
}

const touchMs = 60_000;
const recheckMs = 5000;
/** Listeners that are looked at together. */
const recheckedAtOnce = 8;

/** Who listens to sessions on this process. One statement a second reads for all of them, so that a thousand that are idle cost little. */
@Injectable()
export class SessionListeners implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners = new Map<string, Listener>();
  private readonly bySession = new Map<string, Set<Listener>>();
  private readonly behind = new Set<Listener>();
  private isReading = false;
  private readonly timers: NodeJS.Timeout[] = [];
  private isRechecking = false;

  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly events: SessionEvents,
    private readonly recheck: Recheck,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.wakes.on(sessionsTopic, (ids) => this.heard(ids));
  }

  onApplicationBootstrap(): void {
    this.timers.push(
      setInterval(() => void this.touch(), touchMs),
      setInterval(() => void this.recheckAll(), recheckMs),
    );
  }

  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
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

  /** A stream may last for days, and what opened it may not. */
  private async recheckAll(): Promise<void> {
    if (this.isRechecking) return;
    this.isRechecking = true;
    try {
      const all = [...this.listeners.values()];
      for (let from = 0; from < all.length; from += recheckedAtOnce)
        await Promise.all(all.slice(from, from + recheckedAtOnce).map((listener) => this.recheckOne(listener)));
    } catch (error) {
      this.log.warn({ err: error }, 'who listens to sessions could not be checked; it is checked again');
    } finally {
      this.isRechecking = false;
    }
  }

  private async recheckOne(listener: Listener): Promise<void> {
    if (await this.recheck.check(listener.principal)) listener.end();
  }

  private async touch(): Promise<void> {
    const held = [...this.listeners.values()];
    if (!held.length) return;
    try {
      await this.database.systemPool.query({
        ...touchSessions,
        values: [held.map(({ principal }) => principal.tenantId), held.map(({ sessionId }) => sessionId)],
      });
    } catch (error) {
      this.log.warn({ err: error }, 'open sessions could not be marked as in use; the next minute tries again');
    }
  }
}

class Listener implements SessionListener {
  ears?: Ears;
  /** As often as it has seen the subscriptions change. */
  changes = 0;

  constructor(
    readonly id: string,
    readonly principal: Principal,
    readonly sessionId: string,
    public last: number,
    private readonly left: (listener: Listener) => void,
  ) {}

  close(): void {
    this.ears = undefined;
    this.left(this);
  }

  end(): void {
    const { ears } = this;
    this.close();
    ears?.over();
  }
}
