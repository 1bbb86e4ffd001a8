import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { escaped, htmlPage, LocalServer } from './local-server.ts';
import { waitFor } from './wait-for.ts';

interface Email {
  to: string;
  text: string;
}

/** The company's mail server: receives every message over SMTP, and shows all mailboxes on one page. */
export class Mailbox {
  private readonly emails: Email[] = [];
  private readonly smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, { envelope }, callback) => {
      text(stream).then((raw) => {
        for (const { address } of envelope.rcptTo) this.emails.push({ to: address, text: plainTextOf(raw) });
        callback();
      }, callback);
    },
  });
  private page: LocalServer;

  private constructor() {
    this.smtp.on('error', () => undefined); // a sender that disconnects repeats its message
  }

  static async start(port: number): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.page = await LocalServer.start(port, () => mailbox.show());
    const listening = once(mailbox.smtp.server, 'listening');
    mailbox.smtp.listen(0, '127.0.0.1');
    await listening;
    return mailbox;
  }

  get url(): string {
    return this.page.url;
  }

  get smtpUrl(): string {
    return `smtp://127.0.0.1:${(this.smtp.server.address() as AddressInfo).port}`;
  }

  /** The signed link to an approval, from the email to one person. */
  linkTo(approvalId: string, address: string): Promise<string> {
    const pattern = new RegExp(`\\S+/approvals/${approvalId}\\?n=[\\w.-]+`);
    return waitFor(`The email to ${address}`, () =>
      this.emails
        .filter(({ to }) => to === address)
        .map(({ text }) => pattern.exec(text)?.[0])
        .find(Boolean),
    );
  }

  async close(): Promise<void> {
    await this.page.close();
    await new Promise<void>((resolve) => this.smtp.close(() => resolve()));
  }

  private show(): Response {
    const articles = this.emails.toReversed().map(({ to, text }) => {
      const linked = escaped(text).replace(
        /https?:\/\/[^\s&]+/g,
        (url) => `<a href="${url}" target="_blank">${url}</a>`,
      );
      return `<article><h2>To ${escaped(to)}</h2><pre>${linked}</pre></article>`;
    });
    return htmlPage('Mail of Larkmoor Robotics', articles.join('') || '<p>No messages yet.</p>');
  }
}

/** The first part, which is plain text, of a message as the server sends it. */
function plainTextOf(raw: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  const part = boundary ? raw.split(`--${boundary}`)[1] : raw;
  const body = part.slice(part.search(/\r?\n\r?\n/)).trim();
  return body
    .replace(/=\r?\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
}
