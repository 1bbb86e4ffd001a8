import { type ServerWebSocket, TestWebSocketServer } from './web-socket-server.js';

export const slackAppToken = 'xapp-1-A1-1-abcdef';

interface Acknowledgement {
  envelope_id: string;
  payload?: { response_action?: string; errors?: Record<string, string> };
}
interface DeliveryOptions {
  /** The id of an envelope that was delivered before. */
  envelopeId?: string;
  type?: string;
  on?: ServerWebSocket;
}

/** Plays socket mode: gives out addresses, says hello, and delivers payloads to the newest connection. */
export class TestSlackSockets {
  /** By token. */
  readonly apps = new Map([[slackAppToken, 'A1']]);
  readonly acknowledgements: Acknowledgement[] = [];
  /** What `apps.connections.open` answers next. */
  readonly nextAnswers: object[] = [];
  /** The next connections do not get a hello. */
  missingHellos = 0;
  openedCount = 0;
  private envelopes = 0;
  private readonly appByTicket = new Map<string, string>();

  private constructor(readonly server: TestWebSocketServer) {
    server.onConnection = (socket) => this.greet(socket);
  }

  static async start(): Promise<TestSlackSockets> {
    return new TestSlackSockets(await TestWebSocketServer.start());
  }

  get open(): ServerWebSocket[] {
    return this.server.open;
  }

  /** The answer of `apps.connections.open`. */
  answerTo(authorization: string | undefined): object {
    this.openedCount++;
    const next = this.nextAnswers.shift();
    if (next) return next;
    const app = this.apps.get(authorization?.replace('Bearer ', '') ?? '');
    if (!app) return { ok: false, error: 'invalid_auth' };
    const ticket = `ticket${this.openedCount}`;
    this.appByTicket.set(ticket, app);
    return { ok: true, url: `${this.server.url}/link/?ticket=${ticket}` };
  }

  /** Sends an envelope and returns its id. */
  deliver(payload: object, { envelopeId, type = 'interactive', on }: DeliveryOptions = {}): string {
    const id = envelopeId ?? `envelope-${++this.envelopes}`;
    const envelope = { envelope_id: id, type, accepts_response_payload: true, payload };
    (on ?? this.open.at(-1)!).send(JSON.stringify(envelope));
    return id;
  }

  disconnect(reason: string, socket = this.open.at(-1)!): void {
    socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }));
  }

  acknowledgementsOf(envelopeId: string): Acknowledgement[] {
    return this.acknowledgements.filter(({ envelope_id }) => envelope_id === envelopeId);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private greet(socket: ServerWebSocket): void {
    socket.onText = (text) => this.acknowledgements.push(JSON.parse(text) as Acknowledgement);
    if (this.missingHellos > 0) return void this.missingHellos--;
    const app_id = this.appByTicket.get(new URL(socket.path, this.server.url).searchParams.get('ticket') ?? '');
    socket.send(JSON.stringify({ type: 'hello', connection_info: { app_id }, num_connections: this.open.length }));
  }
}
