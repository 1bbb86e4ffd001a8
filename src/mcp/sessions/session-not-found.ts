import { RpcRefusal } from '../rpc-refusal.js';

/** The client is to begin a new one (MCP 2025-11-25, transports, "Session Management"). */
export const sessionNotFound = (reason = 'There is no such session of yours, or it has ended: initialize again.') =>
  new RpcRefusal(404, -32001, reason);
