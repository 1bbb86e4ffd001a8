import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller } from '../mcp-caller.js';
import type { GateCall } from './call-answer.js';

/** The part of the SDK's request context that calls need. Usable until the request is answered. */
export interface RequestContext {
  mcpReq: Pick<
    ServerContext['mcpReq'],
    '_meta' | 'inputResponses' | 'log' | 'notify' | 'requestState' | 'send' | 'signal'
  >;
}

export interface ClientRequest {
  caller: McpCaller;
  ctx: RequestContext;
  call: GateCall;
  /** `performance.now()` at arrival, when the client's timeout starts. */
  arrivedAt: number;
}
