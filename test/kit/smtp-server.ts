import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedEmail {
  to: string[];
  /** Headers and body as sent. */
  raw: string;
  /** Decoded. */
  text: string;
  messageId: string;
  /** The connection was encrypted. */
  isEncrypted: boolean;
}

export type SmtpFault =
  | 'greylist'
  | 'refuse-recipient'
  | 'refuse-message'
  | 'refuse-connection'
  | 'drop-in-data'
  | 'store-and-hang'
  | 'store-and-drop'
  | 'hang-in-greeting'
  | 'hang-in-envelope';

const refusals: Partial<Record<SmtpFault, [responseCode: number, message: string]>> = {
  greylist: [450, 'Greylisted, try again'],
  'refuse-recipient': [550, 'No such user here'],
};

/** An SMTP server that stores the messages it receives, and fails on request. */
export class TestSmtpServer {
  readonly received: ReceivedEmail[] = [];
  /** The failures of the next messages, one each. */
  readonly faults: SmtpFault[] = [];
  private readonly server: SMTPServer;

  /** `certificate`: offers STARTTLS. */
  private constructor(certificate?: { key: string; cert: string }) {
    this.server = new SMTPServer({
      authOptional: true,
      ...certificate,
      disabledCommands: certificate ? [] : ['STARTTLS'],
      logger: false,
      onConnect: (_session, callback) => {
        const [fault] = this.faults;
        if (fault !== 'hang-in-greeting' && fault !== 'refuse-connection') return callback();
        this.faults.shift();
        if (fault === 'refuse-connection') callback(Object.assign(new Error('Busy'), { responseCode: 421 }));
      },
      onRcptTo: (_address, _session, callback) => {
        if (this.faults[0] === 'hang-in-envelope') return void this.faults.shift();
        const refusal = this.faults.length ? refusals[this.faults[0]] : undefined;
        if (!refusal) return callback();
        this.faults.shift();
        const [responseCode, message] = refusal;
        callback(Object.assign(new Error(message), { responseCode }));
      },
      onData: (stream, session, callback) => {
        const fault = this.faults.shift();
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        if (fault === 'drop-in-data') return this.dropAll();
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString();
          const to = session.envelope.rcptTo.map(({ address }) => address);
          const messageId = /^message-id: (.*)$/im.exec(raw)?.[1].trim() ?? '';
          if (fault === 'refuse-message')
            return callback(Object.assign(new Error('Looks like spam'), { responseCode: 554 }));
          const text = decodeQuotedPrintable(raw);
          this.received.push({ to, raw, text, messageId, isEncrypted: session.secure });
          if (fault === 'store-and-hang') return;
          if (fault === 'store-and-drop') return this.dropAll();
          callback();
        });
      },
    });
    this.server.on('error', () => undefined); // connections that break off are part of the tests
  }

  static async start(certificate?: { key: string; cert: string }): Promise<TestSmtpServer> {
    const smtp = new TestSmtpServer(certificate);
    await new Promise<void>((resolve) => void smtp.server.listen(0, '127.0.0.1', resolve));
    return smtp;
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

const decodeQuotedPrintable = (raw: string): string =>
  raw
    .replace(/=\r?\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
