const maxQuoteLength = 300;

// invisible characters and bidirectional controls; joiners are kept, because letters of many scripts need them
const invisibleRun = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Quotes text of another system inside our own sentence: on one line, with bounded length, and in quotation marks that
 * the text cannot close.
 */
export function quoteExternalText(text: string, maxLength = maxQuoteLength): string {
  // limits the work for long texts, which are truncated anyway
  const line = toSingleLine(text.slice(0, maxLength * 4)).replace(/[“”„‟]/g, '"');
  return `“${line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line}”`;
}

/** One line of visible characters that PostgreSQL can store. */
export const toSingleLine = (text: string): string => text.toWellFormed().replace(invisibleRun, ' ').trim();
