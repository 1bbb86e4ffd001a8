import { RpcRefusal } from '../rpc-refusal.js';

/** The client must start a new session (MCP 2025-11-25, transports, "Session Management"). */
export const sessionNotFound = (reason = 'The session does not exist or has ended. Send "initialize" again.') =>
  new RpcRefusal(404, -32001, reason);
