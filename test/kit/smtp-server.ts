import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedEmail {
  to: string[];
  from: string;
  /** Headers and body as sent. */
  raw: string;
  /** With the soft line breaks of quoted-printable removed. */
  text: string;
  messageId: string;
}

const smtpProblem = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/** An SMTP server that stores what it receives and fails on request. */
export class TestSmtpServer {
  readonly received: ReceivedEmail[] = [];
  /** The failures of the next messages, one each. */
  readonly faults: ('greylist' | 'refuse-recipient' | 'drop-in-data' | 'hang-in-data' | 'accept-then-drop')[] = [];
  attempts = 0;

  private constructor(private readonly server: SMTPServer) {}

  static async start(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: (_address, _session, callback) => {
        self.attempts++;
        if (self.faults[0] === 'greylist') return self.faults.shift(), callback(smtpProblem(450, 'Greylisted, try again'));
        if (self.faults[0] === 'refuse-recipient')
          return self.faults.shift(), callback(smtpProblem(550, 'No such user here'));
        callback();
      },
      onData: (stream, session, callback) => {
        const fault = self.faults.shift();
        const chunks: Buffer[] = [];
        const drop = () => (session as unknown as { server?: unknown }) && self.dropAll();
        if (fault === 'drop-in-data') return stream.resume(), drop();
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString();
          if (fault === 'hang-in-data') return;
          self.received.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            raw,
            text: raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`),
            messageId: /^message-id: (.*)$/im.exec(raw)?.[1].trim() ?? '',
          });
          if (fault === 'accept-then-drop') return drop();
          callback();
        });
      },
      ...options,
    });
    const self = new TestSmtpServer(server);
    server.on('error', () => undefined); // connections that break off are part of the tests
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.dropAll();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private dropAll(): void {
    const { connections } = this.server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
    for (const { _socket } of connections) _socket.destroy();
  }
}

/** The text of an email, decoded. */
export const decodedText = ({ text }: ReceivedEmail): string =>
  text.replace(/(%[0-9A-F]{2})+/g, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
