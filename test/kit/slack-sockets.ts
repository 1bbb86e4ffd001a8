import { type ServerWebSocket, TestWebSocketServer } from './web-socket-server.js';

export const slackAppToken = 'xapp-1-A1-1-abcdef';

interface Acknowledgement {
  envelope_id: string;
  payload?: { response_action?: string; errors?: Record<string, string> };
}
interface DeliveryOptions {
  token?: string;
  /** The id of an envelope that was delivered before. */
  envelopeId?: string;
  type?: string;
  on?: ServerWebSocket;
}

/** Plays socket mode: gives out addresses, says hello, and delivers payloads to the newest connection. */
export class TestSlackSockets {
  /** The apps of the tokens. */
  readonly apps = new Map([[slackAppToken, 'A1']]);
  readonly acknowledgements: Acknowledgement[] = [];
  /** What `apps.connections.open` answers next. */
  readonly nextAnswers: object[] = [];
  /** The next connections do not get a hello. */
  missingHellos = 0;
  openedCount = 0;
  private envelopes = 0;
  private readonly tokens = new Map<string, string>();

  private constructor(readonly server: TestWebSocketServer) {
    server.onConnection = (socket) => this.greet(socket);
  }

  static async start(): Promise<TestSlackSockets> {
    return new TestSlackSockets(await TestWebSocketServer.start());
  }

  /** The connections that were opened with the token, oldest first. */
  openOf(token = slackAppToken): ServerWebSocket[] {
    return this.server.open.filter((socket) => this.tokenOf(socket) === token);
  }

  /** The answer of `apps.connections.open`. */
  answerTo(authorization: string | undefined): object {
    this.openedCount++;
    const next = this.nextAnswers.shift();
    if (next) return next;
    const token = authorization?.replace('Bearer ', '') ?? '';
    if (!this.apps.has(token)) return { ok: false, error: 'invalid_auth' };
    const path = `/link/?ticket=${this.openedCount}`;
    this.tokens.set(path, token);
    return { ok: true, url: this.server.url + path };
  }

  /** Sends an envelope and returns its id. */
  deliver(payload: object, { envelopeId, type = 'interactive', token, on }: DeliveryOptions = {}): string {
    const id = envelopeId ?? `envelope-${++this.envelopes}`;
    const envelope = { envelope_id: id, type, accepts_response_payload: true, payload };
    (on ?? this.openOf(token).at(-1)!).send(JSON.stringify(envelope));
    return id;
  }

  disconnect(reason: string, socket = this.openOf().at(-1)!): void {
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
    const connection_info = { app_id: this.apps.get(this.tokenOf(socket)) };
    socket.send(JSON.stringify({ type: 'hello', connection_info, num_connections: 1 }));
  }

  private tokenOf({ path }: ServerWebSocket): string {
    return this.tokens.get(path) ?? '';
  }
}
