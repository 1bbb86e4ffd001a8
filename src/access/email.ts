/** One spelling per mailbox, as far as that can be known: trimmed, NFC, lower case. Null where it is no address. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && emailPattern.test(email) ? email : null;
}

// no attempt at RFC 5321: something, one @, a domain; nothing that is unseen or splits a header
const emailPattern = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]+$/u;
