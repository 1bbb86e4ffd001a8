/** Words of letters and digits, without case and accents: "Zoë Ørsted-Łuk" → "zoe", "ørsted", "łuk". */
const foldedWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** The part before the @, without a plus tag. */
export const localPart = (email: string): string => email.slice(0, email.lastIndexOf('@')).split('+')[0];

/** The words of a name, independent of their order: "Lovelace, Ada" equals "Ada Lovelace". */
export const nameWords = (name: string): string[] => [...new Set(foldedWords(name))].sort();

/**
 * The local part without separators: "ada.lovelace2" → "adalovelace". A trailing number only separates people of one
 * name.
 */
export const mailboxHandle = (email: string): string => foldedWords(localPart(email)).join('').replace(/\d+$/, '');

/** Common mailbox names for a person's name: "adalovelace", "lovelaceada", "alovelace", "adal", "lovelacea". */
export function possibleHandles(name: string): string[] {
  const words = foldedWords(name);
  if (words.length < 2) return words;
  const [first, last] = [words[0], words[words.length - 1]];
  return [first + last, last + first, first[0] + last, first + last[0], last + first[0]];
}

const minSearchWordLength = 3;

/** Words to find a person by: parts of the name, the mailbox and its parts, and mailbox names derived from the name. */
export function searchWordsOf({ name, email }: { name?: string | null; email?: string | null }): string[] {
  const ofMailbox = email ? [mailboxHandle(email), ...foldedWords(localPart(email))] : [];
  const ofName = name ? [...nameWords(name), ...possibleHandles(name)] : [];
  return [...new Set([...ofMailbox, ...ofName])].filter(
    (word) => word.length >= minSearchWordLength && !/^\d+$/.test(word),
  );
}
