import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 };

/** The server's end of a connection. Only what tests need of RFC 6455. */
export class ServerWebSocket {
  readonly received: string[] = [];
  pingCount = 0;
  /** The code in the client's close frame. */
  closeCode: number | null = null;
  isOpen = true;
  /** Answers nothing, not even pings and the end of the connection. */
  isSilent = false;
  onText: (text: string) => void = () => undefined;
  private pending = Buffer.alloc(0);

  constructor(
    readonly path: string,
    private readonly stream: Duplex,
  ) {
    stream.on('error', () => undefined);
    stream.on('close', () => (this.isOpen = false));
    stream.on('data', (chunk: Buffer) => this.read(chunk));
  }

  send(text: string): void {
    this.write(opcodes.text, Buffer.from(text));
  }

  close(code = 1000): void {
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    this.write(opcodes.close, body);
    this.stream.end();
  }

  /** Ends the connection without a close frame. */
  cut(): void {
    this.stream.destroy();
  }

  private write(opcode: number, body: Buffer): void {
    if (!this.isOpen || this.isSilent) return;
    const { length } = body;
    const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    head[0] = 0x80 | opcode;
    head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    this.stream.write(Buffer.concat([head, body]));
  }

  private read(chunk: Buffer): void {
    this.pending = Buffer.concat([this.pending, chunk]);
    for (let frame = this.nextFrame(); frame; frame = this.nextFrame()) {
      const { opcode, body } = frame;
      if (opcode === opcodes.text) {
        this.received.push(body.toString());
        this.onText(body.toString());
      } else if (opcode === opcodes.ping) {
        this.pingCount++;
        this.write(opcodes.pong, body);
      } else if (opcode === opcodes.close) {
        this.closeCode = body.length >= 2 ? body.readUInt16BE() : 1005;
        this.write(opcodes.close, body);
        if (!this.isSilent) this.stream.end();
      }
    }
  }

  /** Frames of clients are masked. */
  private nextFrame(): { opcode: number; body: Buffer } | null {
    const { pending } = this;
    if (pending.length < 2) return null;
    const short = pending[1] & 0x7f;
    const maskAt = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (pending.length < maskAt) return null;
    const length = short === 127 ? Number(pending.readBigUInt64BE(2)) : short === 126 ? pending.readUInt16BE(2) : short;
    const bodyAt = maskAt + 4;
    if (pending.length < bodyAt + length) return null;
    const mask = pending.subarray(maskAt, bodyAt);
    const body = Buffer.from(pending.subarray(bodyAt, bodyAt + length)).map((byte, nth) => byte ^ mask[nth % 4]);
    this.pending = pending.subarray(bodyAt + length);
    return { opcode: pending[0] & 0x0f, body: Buffer.from(body) };
  }
}

/** Accepts WebSockets. Everything else gets `answer`. */
export class TestWebSocketServer {
  readonly sockets: ServerWebSocket[] = [];
  onConnection: (socket: ServerWebSocket) => void = () => undefined;
  /** Refuses the next handshakes with these answers. */
  readonly refusals: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestWebSocketServer> {
    const server = createServer((_request, response) => void response.writeHead(404).end());
    const self = new TestWebSocketServer(server);
    server.on('upgrade', (request, stream) => {
      const refusal = self.refusals.shift();
      if (refusal !== undefined) return void stream.end(refusal);
      const accepted = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      stream.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`,
      );
      const socket = new ServerWebSocket(request.url!, stream);
      self.sockets.push(socket);
      self.onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get open(): ServerWebSocket[] {
    return this.sockets.filter(({ isOpen }) => isOpen);
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.cut();
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
