import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { canBeAsked } from './asking.js';
import type { Caller, Flight, Flights } from './flights.js';

const mostAtOnce = 20;

/** What the child asks in the middle of a call, and whom. */
export class Questions {
  private readonly asked = new Map<RequestId, Flight>();

  constructor(
    private readonly flights: Flights,
    private readonly tell: (message: JSONRPCMessage) => void,
  ) {}

  put(question: JSONRPCRequest): void {
    const { id, method } = question;
    if (method === 'ping') return this.tell({ jsonrpc: '2.0', id, result: {} });
    if (method !== 'elicitation/create' && method !== 'sampling/createMessage')
      return this.refuse(id, `${method} is not served here.`, ProtocolErrorCode.MethodNotFound);
    this.endOver();
    const call = this.flights.only();
    if (!call?.caller || !canBeAsked(call.caller.capabilities, question) || this.asked.size >= mostAtOnce)
      return this.refuse(
        id,
        'Nobody can be asked: this belongs to no call, to one of several, or its caller takes none.',
      );
    this.asked.set(id, call);
    call.caller.ear.heard(question, call.request.id);
  }

  answer(caller: Caller, answer: JSONRPCResponse): void {
    if (this.asked.get(answer.id!)?.caller !== caller) return;
    this.asked.delete(answer.id!);
    this.tell(answer);
  }

  /** The child does not want to know any more. */
  withdraw(note: JSONRPCNotification): void {
    const id = note.params?.requestId as RequestId;
    this.asked.get(id)?.caller?.ear.heard(note);
    this.asked.delete(id);
  }

  /** Of calls that were answered or given up in the meantime. */
  endOver(): void {
    this.endOf((call) => !this.flights.isWaitedFor(call), 'The call that this belongs to is over.');
  }

  leave(caller: Caller): void {
    this.endOf((call) => call.caller === caller, 'Whoever was asked is gone.');
  }

  private endOf(isOver: (call: Flight) => boolean, words: string): void {
    for (const [id, call] of this.asked) if (isOver(call)) this.refuse(id, words);
  }

  private refuse(id: RequestId, message: string, code: number = ProtocolErrorCode.InvalidRequest): void {
    this.asked.delete(id);
    this.tell({ jsonrpc: '2.0', id, error: { code, message } });
  }
}
