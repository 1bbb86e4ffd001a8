import type { Principal } from '../principal/principal.js';
import type { SessionEvent } from './session-event-store.service.js';

/** Of a session: one at a time, wherever it is; the newest stays. */
export interface SessionListener {
  readonly sessionId: string;
  /** What it has been told. */
  readonly last: number;
  close(): void;
}
export interface SessionListenerCallbacks {
  onEvent(event: Pick<SessionEvent, 'number' | 'message'>): void;
  /** The resources whose changes the client wants to hear of; these, and no others any more. */
  onSubscriptionsChanged(uris: string[]): void;
  /** The session has ended, or somebody else listens now. */
  onEnd(): void;
}

export class ActiveSessionListener implements SessionListener {
  callbacks?: SessionListenerCallbacks;
  /** As often as it has seen the subscriptions change. */
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
