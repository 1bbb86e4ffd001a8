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

/** What the child asks in the middle of a call, and whom. */
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
      return this.refuse(id, `${method} is not served here.`, ProtocolErrorCode.MethodNotFound);
    this.refuseFinished();
    const call = this.pendingRequests.onlyInteractive();
    if (
      !call?.caller ||
      !supportsServerRequest(call.caller.capabilities, request) ||
      this.openRequests.size >= maxOpenRequests
    )
      return this.refuse(
        id,
        'Nobody can be asked: this belongs to no call, to one of several, or its caller takes none.',
      );
    this.openRequests.set(id, call);
    call.caller.listener.receive(request, call.request.id);
  }

  answer(caller: StdioCaller, answer: JSONRPCResponse): void {
    if (this.openRequests.get(answer.id!)?.caller !== caller) return;
    this.openRequests.delete(answer.id!);
    this.write(answer);
  }

  /** The child does not want to know any more. */
  withdraw(note: JSONRPCNotification): void {
    const id = note.params?.requestId as RequestId;
    this.openRequests.get(id)?.caller?.listener.receive(note);
    this.openRequests.delete(id);
  }

  /** Of calls that were answered or given up in the meantime. */
  refuseFinished(): void {
    this.refuseWhere((call) => !this.pendingRequests.isAwaited(call), 'The call that this belongs to is over.');
  }

  refuseCaller(caller: StdioCaller): void {
    this.refuseWhere((call) => call.caller === caller, 'Whoever was asked is gone.');
  }

  private refuseWhere(isOver: (call: PendingRequest) => boolean, words: string): void {
    for (const [id, call] of this.openRequests) if (isOver(call)) this.refuse(id, words);
  }

  private refuse(id: RequestId, message: string, code: number = ProtocolErrorCode.InvalidRequest): void {
    this.openRequests.delete(id);
    this.write({ jsonrpc: '2.0', id, error: { code, message } });
  }
}
