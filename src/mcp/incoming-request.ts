import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import { Problem } from '../platform/errors/problem.js';
import { StepUpRequired } from './calls/step-up.error.js';
import { type RpcRequestId, RpcRefusal } from './rpc-refusal.js';

/** A request on its way to its handler. */
export class IncomingRequest {
  /** Takes the place of the handler's answer where HTTP has to say it, not the protocol. */
  refusal?: Problem | RpcRefusal;
  /** Put into the answer where it leaves them out. */
  tools?: readonly Tool[];
  private completion: Promise<unknown> = Promise.resolve();

  constructor(
    /** The message as it was written. */
    readonly source: string,
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly id: RpcRequestId = null,
  ) {}

  /** Once its handler has come to its end: perhaps long after the client has gone, or has taken the request back. */
  async completed(): Promise<void> {
    await Promise.allSettled([this.completion]);
  }

  /** What its handler does. */
  track<T>(work: Promise<T>): Promise<T> {
    this.completion = work;
    return work;
  }

  /** What a handler threw, as the protocol's own error; null: nothing that the caller is to be told. */
  toProtocolError(error: unknown): ProtocolError | null {
    if (error instanceof ProtocolError) return error;
    if (error instanceof RpcRefusal) {
      this.refusal = error;
      return new ProtocolError(error.code, error.message);
    }
    if (error instanceof StepUpRequired) {
      // whoever writes may read: all that is needed is asked for at once
      this.refusal = insufficientScope(error.message, { extra: { scope: `api:read ${error.scope}` } });
      return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
    }
    if (error instanceof Problem && error.status < 500)
      return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    return null;
  }
}
