import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { testCertificate } from './tls-certificate.js';

export interface SyslogMessage {
  /** The parts of the header: priority and version, time, host, application, process, message id. */
  header: string[];
  structuredData: string;
  /** Without the byte order mark. */
  text: string;
}
/** `hang`: reads nothing. `cut`: resets the connection after the first bytes. */
type SyslogFault = 'hang' | 'cut';

/** A syslog server over TLS (RFC 5425). It stores the complete messages of each connection when it ends. */
export class TestSyslogServer {
  readonly received: SyslogMessage[] = [];
  /** For the next connections. */
  readonly faults: SyslogFault[] = [];
  private readonly sockets = new Set<TLSSocket>();
  /** The connections below TLS, by the port of the client: only these can be reset. */
  private readonly connections = new Map<number, Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestSyslogServer> {
    const server = createServer(testCertificate);
    const self = new TestSyslogServer(server);
    server.on('connection', (connection: Socket) => {
      connection.on('error', () => undefined);
      self.connections.set(connection.remotePort!, connection);
    });
    server.on('secureConnection', (socket) => self.serve(socket));
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get ca(): string {
    return testCertificate.cert;
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private serve(socket: TLSSocket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    const fault = this.faults.shift();
    if (fault === 'hang') return void socket.pause();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      if (fault === 'cut') this.connections.get(socket.remotePort!)?.resetAndDestroy();
      else chunks.push(chunk);
    });
    socket.on('end', () => this.received.push(...readFrames(Buffer.concat(chunks))));
  }
}

/** Octet counting: the length in bytes, a space, the message. The last frame of a lost connection can be incomplete. */
function readFrames(bytes: Buffer): SyslogMessage[] {
  const messages: SyslogMessage[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString());
    if (space < 0 || space + 1 + length > bytes.length) break;
    messages.push(readMessage(bytes.subarray(space + 1, space + 1 + length).toString()));
    at = space + 1 + length;
  }
  return messages;
}

function readMessage(text: string): SyslogMessage {
  const found = /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\]) \ufeff(.*)$/s.exec(text);
  if (!found) throw new Error(`not a message of RFC 5424: ${text.slice(0, 200)}`);
  const [, ...parts] = found;
  return { header: parts.slice(0, 6), structuredData: parts[6], text: parts[7] };
}
