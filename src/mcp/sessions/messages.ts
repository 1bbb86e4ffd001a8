import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  parseJSONRPCMessage,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { rpcIdOf } from '../received-message.js';
import { RpcRefusal } from '../rpc-refusal.js';

export type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type { JSONRPCMessage as RpcMessage, JSONRPCNotification as RpcNotification, JSONRPCRequest as RpcRequest };

export function parseRpcMessage(value: JsonObject): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    throw new RpcRefusal(400, ProtocolErrorCode.InvalidRequest, 'The body is not a JSON-RPC message.', rpcIdOf(value));
  }
}

export const isRpcRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message;
export const isRpcNotification = (message: JSONRPCMessage): message is JSONRPCNotification =>
  'method' in message && !('id' in message);
