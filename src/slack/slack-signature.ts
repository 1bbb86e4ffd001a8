import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../platform/crypto/digest.js';

const maxAgeSeconds = 5 * 60;

export interface SignedRequest {
  /** As received: the signature covers these bytes. */
  body: Buffer;
  timestamp: string | undefined;
  signature: string | undefined;
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function isSignedBySlack(
  { body, timestamp, signature }: SignedRequest,
  signingSecret: string,
  now = Date.now(),
): boolean {
  if (!timestamp || !/^\d{1,12}$/.test(timestamp) || !signature || !isRecent(timestamp, now)) return false;
  return constantTimeEqual(signature, slackSignatureOf(body, timestamp, signingSecret));
}

/** `timestamp` in seconds. The clocks may differ. */
export const isRecent = (timestamp: string | undefined, now = Date.now()): boolean =>
  timestamp !== undefined &&
  /^\d{1,12}(\.\d{1,6})?$/.test(timestamp) &&
  Math.abs(now / 1000 - Number(timestamp)) <= maxAgeSeconds;

export const slackSignatureOf = (body: Buffer, timestamp: string, signingSecret: string): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
