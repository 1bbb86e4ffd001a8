import type { Principal } from '../principal/principal.js';
import type { SessionEvent } from './session-event-store.service.js';

/** A session has one listener across all processes. A new listener replaces the previous one. */
export interface SessionListener {
  readonly sessionId: string;
  /** Number of the last event that it received. */
  readonly last: number;
  close(): void;
}
export interface SessionListenerCallbacks {
  onEvent(event: Pick<SessionEvent, 'number' | 'message'>): void;
  /** `uris`: all resources that the client is subscribed to now. */
  onSubscriptionsChanged(uris: string[]): void;
  /** The session has ended, or another listener replaced this one. */
  onEnd(): void;
}

export class ActiveSessionListener implements SessionListener {
  callbacks?: SessionListenerCallbacks;
  /** The version of the subscriptions that it last received. */
  subscriptionChanges = 0;

  constructor(
    readonly id: string,
    readonly principal: Principal,
    readonly sessionId: string,
    public last: number,
    private readonly onClose: (activeSessionListener: ActiveSessionListener) => void,
  ) {}

  close(): void {
    this.callbacks = undefined;
    this.onClose(this);
  }

  end(): void {
    const { callbacks } = this;
    this.close();
    callbacks?.onEnd();
  }
}
