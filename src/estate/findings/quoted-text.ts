const maxQuotedLength = 160;
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e007f}\u{fe00}-\u{fe0f}]/gu;

/** Quotes text of a file inside our own sentence: shortened, in quotation marks, with invisible characters escaped. */
export const quotedText = (text: string, most = maxQuotedLength): string => `“${clippedText(text, most)}”`;

/** The same without quotation marks, for evidence. */
export function clippedText(text: string, most = maxQuotedLength): string {
  const visible = text.replace(
    invisibleCharacters,
    (sign) => `<U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`,
  );
  return visible.length > most ? `${visible.slice(0, most - 1).toWellFormed()}…` : visible;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
