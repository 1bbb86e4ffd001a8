import { domainToASCII, domainToUnicode } from 'node:url';
import type { VendorIdentity } from './usage-row.js';

// something, one @, a domain, and nothing that is unseen: what members are held to as well
const mailboxPattern = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]+$/u;

/**
 * One spelling per mailbox, as far as that can be known: trimmed, NFC, lower case, as members' addresses are kept; a domain
 * written in Punycode is the one in letters. A plus-tag stays: whether it is the same person is for people to say. Null where
 * it is no address.
 */
export function emailKey(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase().normalize('NFC');
  if (email.length > 254 || !mailboxPattern.test(email)) return null;
  return isPlain.test(email) ? email : withDomainInLetters(email);
}

const isPlain = /^(?!.*xn--)[\x21-\x7e]+$/;

function withDomainInLetters(email: string): string {
  const [mailbox, domain] = email.split('@');
  const letters = domainToUnicode(domainToASCII(domain));
  return letters && mailboxPattern.test(`${mailbox}@${letters}`) ? `${mailbox}@${letters}` : email;
}

/** Whoever the vendor counts without naming. */
export const unattributedIdentity: VendorIdentity = Object.freeze({ kind: 'unattributed', key: 'unattributed' });

export const identityKey = ({ kind, key }: VendorIdentity): string => `${kind}:${key}`;
