/** One part of an artifact or a message, in words. */
export interface TextFragment {
  /** What is not text stands by itself. */
  isText: boolean;
  text: string;
}

/**
 * An artifact in words. Its text parts are pieces of one text: an agent that streams appends a part for each piece, and the
 * protocol keeps these parts apart without saying that they are.
 */
export const joinFragments = (parts: readonly TextFragment[]): string =>
  parts.reduce((said, { isText, text }, nth) => {
    const isPiece = nth > 0 && isText && parts[nth - 1].isText;
    return said + (nth === 0 || isPiece ? '' : '\n\n') + text;
  }, '');

/** Several of them. */
export const joinParagraphs = (texts: readonly string[]): string => texts.filter(Boolean).join('\n\n');
