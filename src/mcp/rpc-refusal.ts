export type RpcRequestId = string | number | null;

/** Refuses a message with a JSON-RPC error (JSON-RPC 2.0, section 5.1) and an HTTP status. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';

  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly id: RpcRequestId = null,
    readonly data?: object,
  ) {
    super(message);
  }

  toJSON() {
    const { id, code, message, data } = this;
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
}

/** MCP 2026-07-28, transports: the error code for headers that do not match the body. */
export const headerMismatch = (fault: string, id: RpcRequestId): RpcRefusal =>
  new RpcRefusal(400, -32020, `The headers do not match the body: ${fault}.`, id);
