import type { VendorIdentity } from './usage-row.js';

// something, one @, a domain, and nothing that is unseen: what members are held to as well
const address = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]+$/u;

/**
 * One spelling per mailbox, as far as that can be known: trimmed, NFC, lower case, as members' addresses are kept. A plus-tag
 * stays: whether it is the same person is for people to say. Null where it is no address.
 */
export function emailKey(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && address.test(email) ? email : null;
}

/** Whoever the vendor counts without naming. */
export const nobody: VendorIdentity = Object.freeze({ kind: 'unattributed', key: 'unattributed' });

export const sameIdentity = ({ kind, key }: VendorIdentity): string => `${kind}:${key}`;
