import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller } from '../mcp-caller.js';
import type { GateCall } from './call-answer.js';

/** Of what the SDK knows about a request: as much as is needed on its way. Open until the request is answered. */
export interface RequestContext {
  mcpReq: Pick<
    ServerContext['mcpReq'],
    '_meta' | 'inputResponses' | 'log' | 'notify' | 'requestState' | 'send' | 'signal'
  >;
}

/** A request on its way to the gate and back. */
export interface ClientRequest {
  caller: McpCaller;
  ctx: RequestContext;
  call: GateCall;
  /** When it arrived, by `performance.now()`: its client's time-out runs from then on. */
  arrivedAt: number;
}
