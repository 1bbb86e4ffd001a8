import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../platform/crypto/digest.js';

export interface SignedDelivery {
  /** The signed parts in order, usually only the body. */
  signed: readonly (string | Buffer)[];
  secret: string | undefined;
  /** The header with the signature. */
  signature: string | undefined;
  /** Precedes the hexadecimal digits, for example "sha256=". */
  prefix?: string;
}

/** Verifies an HMAC-SHA256 in hexadecimal digits in constant time. False without a secret. */
export function isSignedDelivery({ signed, secret, signature, prefix = '' }: SignedDelivery): boolean {
  if (!secret || !signature) return false;
  const hmac = createHmac('sha256', secret);
  for (const part of signed) hmac.update(part);
  return constantTimeEqual(signature, prefix + hmac.digest('hex'));
}

/** Whether a timestamp, in seconds, differs from now by at most this many seconds. */
export function isRecentTimestamp(seconds: string | undefined, maxSeconds: number, now = Date.now()): boolean {
  if (!seconds || !/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(now / 1000 - Number(seconds)) <= maxSeconds;
}
