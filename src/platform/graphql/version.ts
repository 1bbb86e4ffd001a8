import { sha256 } from '../crypto/digest.js';
import { conflict } from '../errors/general.error.js';

/** Another text as soon as anything of it is different: whoever changes it says which one they have seen. */
export const contentVersionOf = (values: object): string =>
  sha256(JSON.stringify(values)).subarray(0, 12).toString('base64url');

/** Throws `conflict` where somebody has changed it since it was read; null and undefined: whatever it is now. */
export function assertCurrentVersion(basedOn: string | null | undefined, values: object): void {
  if (basedOn == null || basedOn === contentVersionOf(values)) return;
  throw conflict('Somebody else has changed this since you opened it. Look at what it is now, then change it.');
}

export const basedOnField = {
  nullable: true,
  description: 'The "version" that was seen: refused with "conflict" if it is another one by now.',
} as const;
