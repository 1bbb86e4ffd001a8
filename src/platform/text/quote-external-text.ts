const maxQuoteLength = 300;

// nothing that is not seen or turns the direction of text; joiners shape letters of many scripts and stay
const invisibleRun = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Words of another system in a sentence of ours: on one line, of bounded length, and in quotation marks that they cannot close.
 */
export function quoteExternalText(text: string, maxLength = maxQuoteLength): string {
  // what is cut off anyway is not looked at
  const line = toSingleLine(text.slice(0, maxLength * 4)).replace(/[“”„‟]/g, '"');
  return `“${line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line}”`;
}

/** On one line, of characters that are seen, as PostgreSQL takes it. */
export const toSingleLine = (text: string): string => text.toWellFormed().replace(invisibleRun, ' ').trim();
