import type { Principal } from '../principal/principal.js';
import type { SessionEvent } from './session-events.service.js';

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

export class Listener implements SessionListener {
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
