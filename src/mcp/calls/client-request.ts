import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../caller.js';
import type { GateCall } from './answered.js';

/** A request on its way to the gate and back. */
export interface ClientRequest {
  caller: Caller;
  /** Of the SDK: open until the request is answered. */
  ctx: ServerContext;
  call: GateCall;
}
