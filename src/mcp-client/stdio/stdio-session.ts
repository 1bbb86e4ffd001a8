import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { Config } from '../../platform/config/config.js';
import type { UpstreamCall } from '../upstream-call.js';

export type StdioCommand = Config['stdioCommands'][number];
/** Where a session records whether the child may have received a request. */
export type RequestDelivery = Pick<UpstreamCall, 'isSent' | 'settling'>;

/** A session with a command's child, which sees all callers on all processes as one client. */
export interface StdioSession {
  /**
   * A request resolves when its answer was received and rejects with `NotSent` or `OutcomeUnknown` if there will be
   * none. Other messages resolve when they were forwarded. `delivery` is updated as soon as the child may have received
   * the message.
   */
  send(message: JSONRPCMessage, delivery?: RequestDelivery): Promise<void>;
  close(): Promise<void>;
}

export interface StdioListener {
  /** `about`: the request of this session that the message belongs to, if any. */
  receive(message: JSONRPCMessage, about?: RequestId): void;
  /** No further message will arrive. */
  sessionEnded(reason: string): void;
}
