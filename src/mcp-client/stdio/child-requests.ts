import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { supportsServerRequest } from './declared-capabilities.js';
import type { StdioCaller, PendingRequest, PendingRequests } from './pending-requests.js';

const maxOpenRequests = 20;

/** Requests that the child sends during a call, and the callers that they go to. */
export class ChildRequests {
  private readonly openRequests = new Map<RequestId, PendingRequest>();

  constructor(
    private readonly pendingRequests: PendingRequests,
    private readonly write: (message: JSONRPCMessage) => void,
  ) {}

  forward(request: JSONRPCRequest): void {
    const { id, method } = request;
    if (method === 'ping') return this.write({ jsonrpc: '2.0', id, result: {} });
    if (method !== 'elicitation/create' && method !== 'sampling/createMessage')
      return this.refuse(id, `${method} is not supported.`, ProtocolErrorCode.MethodNotFound);
    this.refuseFinished();
    const call = this.pendingRequests.onlyInteractive();
    if (
      !call?.caller ||
      !supportsServerRequest(call.caller.capabilities, request) ||
      this.openRequests.size >= maxOpenRequests
    )
      return this.refuse(
        id,
        'No caller can be asked: the request belongs to no call, could belong to several, or its caller does not support it.',
      );
    this.openRequests.set(id, call);
    call.caller.listener.receive(request, call.request.id);
  }

  answer(caller: StdioCaller, answer: JSONRPCResponse): void {
    if (this.openRequests.get(answer.id!)?.caller !== caller) return;
    this.openRequests.delete(answer.id!);
    this.write(answer);
  }

  /** The child canceled its request. */
  withdraw(note: JSONRPCNotification): void {
    const id = note.params?.requestId as RequestId;
    this.openRequests.get(id)?.caller?.listener.receive(note);
    this.openRequests.delete(id);
  }

  /** Rejects requests whose call was answered or abandoned in the meantime. */
  refuseFinished(): void {
    this.refuseWhere((call) => !this.pendingRequests.isAwaited(call), 'The call of this request has ended.');
  }

  refuseCaller(caller: StdioCaller): void {
    this.refuseWhere((call) => call.caller === caller, 'The caller has disconnected.');
  }

  private refuseWhere(isOver: (call: PendingRequest) => boolean, message: string): void {
    for (const [id, call] of this.openRequests) if (isOver(call)) this.refuse(id, message);
  }

  private refuse(id: RequestId, message: string, code: number = ProtocolErrorCode.InvalidRequest): void {
    this.openRequests.delete(id);
    this.write({ jsonrpc: '2.0', id, error: { code, message } });
  }
}
