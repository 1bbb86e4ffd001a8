import { hash, timingSafeEqual } from 'node:crypto';

/** The detour over a string of bytes is twice as fast as a `Buffer` from Node. */
export const sha256 = (data: string | Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary');

/** Compares digests, so that the time reveals neither length nor content. */
export const constantTimeEqual = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(sha256(a), sha256(b));
