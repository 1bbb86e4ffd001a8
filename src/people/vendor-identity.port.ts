import { domainToASCII, domainToUnicode } from 'node:url';

export const identityKinds = [
  'email',
  'login',
  'vendor_user_id',
  'service_account',
  'api_key',
  'unattributed',
] as const;
export type IdentityKind = (typeof identityKinds)[number];

/** A user as a vendor identifies them. `key` is normalized, so all rows of a user have the same key. */
export interface VendorIdentity {
  kind: IdentityKind;
  key: string;
  email?: string;
  vendorUserId?: string;
  name?: string;
}

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
