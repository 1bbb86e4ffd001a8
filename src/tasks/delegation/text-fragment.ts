/** One part of an artifact or a message, as text. */
export interface TextFragment {
  /** False: the part is not text, and becomes a paragraph. */
  isText: boolean;
  text: string;
}

/**
 * Joins the parts of an artifact. Adjacent text parts are pieces of one text: a streaming agent appends one part per
 * piece, and the protocol does not mark these parts as pieces.
 */
export const joinFragments = (parts: readonly TextFragment[]): string =>
  parts.reduce((joined, { isText, text }, nth) => {
    const isPiece = nth > 0 && isText && parts[nth - 1].isText;
    return joined + (nth === 0 || isPiece ? '' : '\n\n') + text;
  }, '');

export const joinParagraphs = (texts: readonly string[]): string => texts.filter(Boolean).join('\n\n');
