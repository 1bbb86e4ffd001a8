import { Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { Config } from '../../platform/config/config.js';
import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { truncate } from '../../platform/text/truncate.js';
import { DeliveryFailure } from '../delivery-failure.js';
import { emailHtmlOf, emailTextOf, type NotificationMessage, subjectOf } from '../notification-message.js';

const connectMs = 10_000;
const silenceMs = 20_000;
const totalMs = 60_000;

/** Sends email through the operator's SMTP server. */
@Injectable()
export class EmailSenderService {
  constructor(private readonly config: Config) {}

  get isConfigured(): boolean {
    return this.config.smtp !== undefined;
  }

  async send(to: string, message: NotificationMessage): Promise<void> {
    const { smtp } = this.config;
    if (!smtp) throw new DeliveryFailure('No SMTP server is configured (SMTP_URL).', true);
    const transport = createTransport({
      ...connectionOf(smtp),
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), totalMs);
    try {
      await transport.sendMail({
        // closes the connection, so that the message cannot arrive after its repetition
        signal: deadline.signal,
        from: smtp.from,
        to: { name: '', address: to },
        subject: subjectOf(message),
        text: emailTextOf(message),
        html: emailHtmlOf(message),
        messageId: `<${message.id}@countersign>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
    } catch (error) {
      if (deadline.signal.aborted) throw new DeliveryFailure('The SMTP server did not answer in time.', false);
      throw toDeliveryFailure(error as SmtpError);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  }
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}

function connectionOf({ url: text, requiresTls }: { url: string; requiresTls: boolean }) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && requiresTls,
    auth: user ? { user, pass: decodeURIComponent(url.password) } : undefined,
  };
}

/**
 * A final refusal of the recipient or of the message (5xx) is permanent. Everything else may pass: greylisting (450), a
 * server that is down, and a sign-in or TLS problem that the operator repairs.
 */
function toDeliveryFailure({ code, responseCode = 0, message }: SmtpError): DeliveryFailure {
  const isPermanent = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return new DeliveryFailure(`SMTP: ${truncate(toSingleLine(message), 300)}`, isPermanent);
}
