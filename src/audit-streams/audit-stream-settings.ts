import { randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { AuditStreamKind } from './audit-stream.entity.js';

/** What a sender needs. Stored sealed, because addresses and headers contain credentials. */
export interface AuditStreamSettings {
  address: string;
  headers: { name: string; value: string }[];
  /** PEM. Null: the certificate authorities of Node.js. */
  caCertificate: string | null;
  /** Signs the requests of a webhook. */
  signingSecret: string | null;
}

export interface GivenAuditStreamSettings {
  kind: AuditStreamKind;
  address: string;
  headers?: { name: string; value: string }[];
  caCertificate?: string | null;
}

/** Headers that the client or the format determines. */
const ownHeaders =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|webhook-.*)$/i;

/** Throws a problem that names the field. */
export function readSettings(given: GivenAuditStreamSettings): { settings: AuditStreamSettings; target: string } {
  const { kind, address, headers = [], caCertificate = null } = given;
  if (headers.length && kind === 'syslog') throw refuseSetting('headers', 'are for HTTP only');
  if (caCertificate && kind !== 'syslog') throw refuseSetting('caCertificate', 'is for syslog only');
  for (const { name } of headers)
    if (ownHeaders.test(name)) throw refuseSetting('headers', `cannot contain ${name.toLowerCase()}`);
  if (caCertificate && !isCertificate(caCertificate))
    throw refuseSetting('caCertificate', 'must be certificates in PEM');
  const signingSecret = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
  const settings = { address, headers, caCertificate, signingSecret };
  if (kind === 'syslog') {
    const { host, port } = parseSyslogAddress(address) ?? {};
    if (!host) throw refuseSetting('address', 'must be host:port, such as logs.example.com:6514');
    return { settings, target: `${host}:${port}` };
  }
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw refuseSetting('address', 'must be a URL that starts with https:// or http://');
  const url = new URL(address);
  if (url.username || url.password) throw refuseSetting('address', 'must not contain a user name or password');
  return { settings, target: url.host };
}

/** The default port is that of syslog over TLS. */
export function parseSyslogAddress(address: string): { host: string; port: number } | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::(\d{1,5}))?$/i.exec(address);
  if (!found) return null;
  const [, ipv6, name, digits = '6514'] = found;
  const port = Number(digits);
  if (port < 1 || port > 65_535 || (ipv6 && isIP(ipv6) !== 6)) return null;
  return { host: ipv6 ?? name, port };
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

export const refuseSetting = (field: string, detail: string) =>
  invalidRequest('The stream settings are invalid.', { errors: [{ pointer: `/${field}`, detail }] });

export const isPlainHttp = (address: string) => /^http:/i.test(address);
