import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { ReadQueue } from '../platform/events/read-queue.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { type SessionListenerCallbacks, ActiveSessionListener, type SessionListener } from './session-listener.js';
import { replaceListener } from './mcp-sessions.sql.js';
import { pendingSessionUpdates, type SessionUpdateRow } from './mcp-sessions.system.sql.js';
import { SessionEventStore } from './session-event-store.service.js';
import { sessionsTopic } from './topics.js';

export type { SessionListener };

/** Session listeners in this process. One statement reads for all of them, so that idle listeners cost little. */
@Injectable()
export class SessionListenerRegistry implements OnModuleInit {
  private readonly listeners = new Map<string, ActiveSessionListener>();
  private readonly bySession = new Map<string, Set<ActiveSessionListener>>();
  private readonly reads = new ReadQueue<ActiveSessionListener>(
    (listeners) => this.read(listeners.filter(({ callbacks }) => callbacks)),
    (error) => this.log.warn({ err: error }, 'session updates could not be read; retrying at the next wake-up'),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly events: SessionEventStore,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(sessionsTopic, (ids) => this.handleWakeup(ids));
  }

  get all(): ActiveSessionListener[] {
    return [...this.listeners.values()];
  }

  /**
   * Replaces the previous listener. `after`: the last event that the client received; null for new events only. Returns
   * null if the session has ended.
   */
  async register(principal: Principal, sessionId: string, after: number | null): Promise<SessionListener | null> {
    const id = newId();
    const replaced = await this.database.tenant(principal, (tx) => {
      tx.afterCommit(() => this.wakeupChannel.publish(sessionsTopic, sessionId));
      return tx.one(replaceListener, [principal.tenantId, sessionId, id]);
    });
    if (!replaced) return null;
    const { last } = replaced;
    return new ActiveSessionListener(id, principal, sessionId, Math.min(after ?? last, last), (one) =>
      this.remove(one),
    );
  }

  attach(listener: SessionListener, callbacks: SessionListenerCallbacks): void {
    const one = listener as ActiveSessionListener;
    one.callbacks = callbacks;
    this.listeners.set(one.id, one);
    this.bySession.set(one.sessionId, (this.bySession.get(one.sessionId) ?? new Set()).add(one));
    this.reads.add([one]);
  }

  private handleWakeup(ids: string[] | 'all'): void {
    if (ids === 'all') this.reads.add(this.listeners.values());
    else for (const id of ids) this.reads.add(this.bySession.get(id) ?? []);
  }

  private async read(batch: ActiveSessionListener[]): Promise<void> {
    if (!batch.length) return;
    const rows = await this.database.systemPool.run(pendingSessionUpdates, [
      batch.map(({ principal }) => principal.tenantId),
      batch.map(({ sessionId }) => sessionId),
      batch.map(({ id }) => id),
      batch.map(({ last }) => last),
      batch.map(({ subscriptionChanges }) => subscriptionChanges),
    ]);
    for (const row of rows) this.dispatch(row);
  }

  private dispatch({ listener: id, isOver, number, sealed, changes, subscriptions }: SessionUpdateRow): void {
    const listener = this.listeners.get(id);
    if (!listener?.callbacks) return;
    if (isOver) return listener.end();
    if (subscriptions && changes !== null && changes > listener.subscriptionChanges) {
      listener.subscriptionChanges = changes;
      listener.callbacks.onSubscriptionsChanged(subscriptions);
    }
    if (number === null || sealed === null || number <= listener.last) return;
    const { sessionId } = listener;
    listener.last = number;
    listener.callbacks.onEvent({
      number,
      message: this.events.unseal({ sessionId, stream: sessionId }, number, sealed),
    });
    this.reads.add([listener]); // there may be more events
  }

  private remove(activeSessionListener: ActiveSessionListener): void {
    this.reads.delete(activeSessionListener);
    this.listeners.delete(activeSessionListener.id);
    const others = this.bySession.get(activeSessionListener.sessionId);
    others?.delete(activeSessionListener);
    if (!others?.size) this.bySession.delete(activeSessionListener.sessionId);
  }
}
