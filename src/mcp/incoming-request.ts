import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import { Problem } from '../platform/errors/problem.js';
import { StepUpRequired } from './step-up.error.js';
import { type RpcRequestId, RpcRefusal } from './rpc-refusal.js';

export class IncomingRequest {
  /** Replaces the handler's answer when the failure needs an HTTP status instead of a protocol error. */
  refusal?: Problem | RpcRefusal;
  /** Inserted into an answer whose own list of tools is empty. */
  tools?: readonly Tool[];
  private completion: Promise<unknown> = Promise.resolve();

  constructor(
    /** The message text as received. */
    readonly source: string,
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly id: RpcRequestId = null,
  ) {}

  /** Resolves when the handler has finished, which may be long after the client disconnected or cancelled the request. */
  async completed(): Promise<void> {
    await Promise.allSettled([this.completion]);
  }

  track<T>(work: Promise<T>): Promise<T> {
    this.completion = work;
    return work;
  }

  /** Maps an error of a handler to a protocol error. Null: the caller must not see it. */
  toProtocolError(error: unknown): ProtocolError | null {
    if (error instanceof ProtocolError) return error;
    if (error instanceof RpcRefusal) {
      this.refusal = error;
      return new ProtocolError(error.code, error.message);
    }
    if (error instanceof StepUpRequired) {
      // writing implies reading: request all required scopes at once
      this.refusal = insufficientScope(error.message, { extra: { scope: `api:read ${error.scope}` } });
      return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
    }
    if (error instanceof Problem && error.status < 500)
      return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    return null;
  }
}
