import type { TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { OutboundTlsClient } from '../../platform/http/outbound-tls-client.service.js';
import { type AuditStreamSettings, parseSyslogAddress } from '../audit-stream-settings.js';
import type { StreamBatch } from './stream-batch.js';
import { StreamFailure } from './stream-failure.js';
import { syslogFrames } from './syslog-message.js';

/**
 * How long the connection stays open after the last byte. A receiver that closes it now has not read everything: at the
 * time of our own close, the two could not be told apart.
 */
const settleMs = 250;

/**
 * Sends syslog messages over TLS, with one connection for each batch. Syslog has no acknowledgements: a batch counts as
 * received when the receiver has read up to the end of the connection and closes it.
 */
@Injectable()
export class SyslogSenderService {
  constructor(
    private readonly config: Config,
    private readonly tls: OutboundTlsClient,
  ) {}

  async send(batch: StreamBatch, settings: AuditStreamSettings, signal: AbortSignal): Promise<void> {
    const { host, port } = parseSyslogAddress(settings.address)!;
    const frames = syslogFrames(batch, new URL(this.config.baseUrl).hostname);
    try {
      const socket = await this.tls.connect({ host, port, ca: settings.caCertificate ?? undefined, signal });
      await sendAndClose(socket, frames, signal);
    } catch (error) {
      if (error instanceof OutboundHttpError) throw new StreamFailure(error.message);
      throw error;
    }
  }
}

function sendAndClose(socket: TLSSocket, frames: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    const lost = new StreamFailure('The connection was lost before the receiver had read everything.');
    const onAbort = () => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', () => reject(lost));
    socket.on('end', () => {
      if (!isSent) reject(lost);
    });
    socket.on('close', (hadError) => {
      signal.removeEventListener('abort', onAbort);
      if (hadError || !isSent) reject(lost);
      else resolve();
    });
    socket.resume(); // the end of the connection is noticed only while it is read
    socket.write(frames, (error) => {
      if (error) return reject(lost);
      // a reset that has arrived is read before the immediate runs; writing first would hide it
      setTimeout(() => {
        setImmediate(() => {
          if (socket.destroyed || socket.readableEnded) return reject(lost);
          isSent = true;
          socket.end();
        });
      }, settleMs);
    });
  });
}
