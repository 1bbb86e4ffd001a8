import { sha256 } from '../crypto/digest.js';
import { conflict } from '../errors/general.error.js';

/** A content hash for optimistic concurrency: a client that changes an object sends the version that it has read. */
export const contentVersionOf = (values: object): string =>
  sha256(JSON.stringify(values)).subarray(0, 12).toString('base64url');

/** Throws `conflict` if the object has changed since the client read it. null or undefined skips the check. */
export function assertCurrentVersion(basedOn: string | null | undefined, values: object): void {
  if (basedOn == null || basedOn === contentVersionOf(values)) return;
  throw conflict('Somebody else changed this after you opened it. Reload it and make your change again.');
}

export const basedOnField = {
  nullable: true,
  description: 'The "version" that you have read. If the object has changed since, the mutation fails with "conflict".',
} as const;
