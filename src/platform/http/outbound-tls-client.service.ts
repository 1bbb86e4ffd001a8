import net from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { addressRefused, guardedLookup } from './guarded-lookup.js';
import { checkAddress } from './network-address.js';
import { OutboundHttpError } from './outbound-http.error.js';

interface TlsTarget {
  host: string;
  port: number;
  /** Certificates in PEM, in place of the public certificate authorities. */
  ca?: string;
  signal: AbortSignal;
}

const connectMs = 10_000;

/** Outbound TLS connections for protocols other than HTTP, with the same guard of addresses as `OutboundHttpClient`. */
@Injectable()
export class OutboundTlsClient {
  constructor(private readonly config: Config) {}

  /** Rejects with `OutboundHttpError`, or with the signal's reason. */
  async connect({ host, port, ca, signal }: TlsTarget): Promise<TLSSocket> {
    signal.throwIfAborted();
    const allowed = this.config.allowPrivateNetworks;
    const literal = net.isIP(host) ? checkAddress(host, allowed) : null;
    if (literal) throw addressRefused(host, host, literal);
    const name = `${host}:${port}`;
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port,
        ca,
        servername: net.isIP(host) ? undefined : host,
        minVersion: 'TLSv1.2',
        lookup: guardedLookup(allowed),
      });
      const fail = (error: unknown) => {
        settle();
        socket.on('error', () => undefined);
        socket.destroy();
        reject(error as Error);
      };
      const onError = (error: NodeJS.ErrnoException) => fail(toOutboundError(error, name));
      const onClose = () => fail(new OutboundHttpError('connect-failed', `${name} closed the connection`, false));
      const onAbort = () => fail(signal.reason);
      const timer = setTimeout(
        () => fail(new OutboundHttpError('timed-out', `${name} did not accept a connection in time`, false)),
        connectMs,
      );
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        socket.off('error', onError);
        socket.off('close', onClose);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      socket.on('error', onError);
      socket.on('close', onClose);
      socket.once('secureConnect', () => {
        const { remoteAddress } = socket;
        const verdict = remoteAddress === undefined ? 'malformed' : checkAddress(remoteAddress, allowed);
        if (verdict) return fail(addressRefused(host, remoteAddress ?? 'an unknown address', verdict));
        settle();
        resolve(socket);
      });
    });
  }
}

function toOutboundError(error: NodeJS.ErrnoException, name: string): OutboundHttpError {
  if (error instanceof OutboundHttpError) return error;
  const { code = '', message } = error;
  const fail = (kind: OutboundHttpError['code'], text: string) => new OutboundHttpError(kind, text, false, error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return fail('name-unknown', `the name of ${name} is unknown`);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code))
    return fail('tls-failed', `no secure connection to ${name}: ${message}`);
  return fail('connect-failed', `no connection to ${name}${code ? ` (${code})` : `: ${message}`}`);
}
