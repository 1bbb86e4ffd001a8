export const minPasswordLength = 12;
export const maxPasswordLength = 256;

/**
 * The fault of a new password, as a predicate for the page; null: none. Checks length, not composition rules (NIST SP
 * 800-63B).
 */
export function passwordFault(password: string, personal: readonly string[]): string | null {
  const characters = [...password.normalize('NFKC')];
  if (characters.length < minPasswordLength) return `needs at least ${minPasswordLength} characters`;
  if (characters.length > maxPasswordLength) return `has more than ${maxPasswordLength} characters`;
  if (!password.isWellFormed() || password.includes('\0')) return 'contains a character that cannot be typed';
  if (new Set(characters).size < 5) return 'needs at least 5 different characters';
  const plain = simplify(password);
  const known = [...commonPasswords, ...personal.flatMap(significantWords)].filter((word) => plain.includes(word));
  return known.some((word) => withoutKnownWord(plain, word).length < 4)
    ? 'is easy to guess: it is a name, an address or a common password with little added'
    : null;
}

/** The rest after removing the known word and the digits that people append to it. */
const withoutKnownWord = (plain: string, word: string) => plain.replaceAll(word, '').replace(/\p{N}/gu, '');
const simplify = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
const significantWords = (text: string) =>
  [text, ...text.split(/[^\p{L}\p{N}]+/u)].map(simplify).filter((word) => word.length >= 4);
const commonPasswords = [
  'password',
  'passwort',
  'countersign',
  'administrator',
  'qwertyuiop',
  'qwertzuiop',
  'qwerty',
  '1234567890',
  '123456789',
  '0123456789',
  '12345678',
  'letmein',
  'welcome',
  'changeme',
  'iloveyou',
  'abcdefghijkl',
  'trustno1',
];
