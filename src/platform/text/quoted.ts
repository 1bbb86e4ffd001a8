const longest = 300;

// nothing that is not seen or turns the direction of text; joiners shape letters of many scripts and stay
const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Words of another system in a sentence of ours: on one line, of bounded length, and in quotation marks that they cannot close.
 */
export function quoted(words: string, most = longest): string {
  // what is cut off anyway is not looked at
  const line = oneLine(words.slice(0, most * 4)).replace(/[“”„‟]/g, '"');
  return `“${line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line}”`;
}

/** On one line, of characters that are seen, as PostgreSQL takes it. */
export const oneLine = (text: string): string => text.toWellFormed().replace(unseen, ' ').trim();
