import { domainToASCII, domainToUnicode } from 'node:url';
import type { VendorIdentity } from './usage-row.js';

// local part, one @, domain, and no invisible characters: the same rule as for members
const mailboxPattern = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]+$/u;

/**
 * Normalizes an email address: trimmed, NFC, lower case like the addresses of members, and Punycode domains decoded. A
 * plus tag stays, because only people can decide whether it is the same person. Null if the text is not an email
 * address.
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

/** Usage that the vendor attributes to nobody. */
export const unattributedIdentity: VendorIdentity = Object.freeze({ kind: 'unattributed', key: 'unattributed' });

export const identityKey = ({ kind, key }: VendorIdentity): string => `${kind}:${key}`;
