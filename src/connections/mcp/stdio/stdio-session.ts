import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { Config } from '../../../platform/config/config.js';
import type { UpstreamCall } from '../upstream-call.js';

export type StdioCommand = Config['stdioCommands'][number];
/** What a line tells of a request: whether the child may have got it. */
export type RequestDelivery = Pick<UpstreamCall, 'isSent' | 'settling'>;

/** One of the lines to a command's child: the child knows of one client only, whoever and wherever the callers are. */
export interface StdioSession {
  /**
   * A request: resolves when its answer was heard; rejects with NotSent or Uncertain when none will come. Anything else:
   * resolves when it was handed on. `departure` is told at once when the child may have got it.
   */
  send(message: JSONRPCMessage, departure?: RequestDelivery): Promise<void>;
  close(): Promise<void>;
}

export interface StdioListener {
  /** `about`: the request of this line that the message belongs to, where there is one. */
  receive(message: JSONRPCMessage, about?: RequestId): void;
  /** Nothing is heard any more. */
  sessionEnded(reason: string): void;
}
