/**
 * Text of others (names, tool results, file paths) for a terminal: control characters, bidirectional marks and other
 * invisible characters are shown as escapes, so that no text can move the cursor, hide itself or imitate another line.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase();
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
  });
}
