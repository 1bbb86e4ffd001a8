/** One spelling per mailbox: trimmed, NFC, lower case. Null if the text is not an address. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && emailPattern.test(email) ? email : null;
}

// not RFC 5321: a local part, one @, a domain; no invisible characters and none that could split a header
const emailPattern = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]+$/u;
