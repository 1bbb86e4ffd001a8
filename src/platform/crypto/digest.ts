import { createHash, timingSafeEqual } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** Compares digests, so that neither length nor content shows in the time it takes. */
export const constantTimeEqual = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(sha256(a), sha256(b));
