export type RpcRequestId = string | number | null;

/** A message that is not taken on: in JSON-RPC's own words (its section 5.1), with an HTTP status beside them. */
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

/** MCP 2026-07-28, transports: the code of headers and bodies that disagree. */
export const headerMismatch = (fault: string, id: RpcRequestId): RpcRefusal =>
  new RpcRefusal(400, -32020, `The headers and the body disagree: ${fault}.`, id);
