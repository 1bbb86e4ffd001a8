import { hash, timingSafeEqual } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

/** Compares digests, so that the time reveals neither length nor content. */
export const constantTimeEqual = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(sha256(a), sha256(b));
