/* Text of others (names, tool results, file paths) for a terminal and for JSON. */

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/**
 * Shows control characters, bidirectional marks and other invisible characters as escapes, so that no text can move the
 * cursor, hide itself or imitate another line.
 */
export const plainText = (text: string): string => text.replace(hidden, escape);

/** The same, except for line breaks and tabs: for texts of several lines. */
export const plainLines = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(hidden, (character) => (/[\n\t]/.test(character) ? character : escape(character)));

/** An ISO time of the server to the minute, without its time zone, which is UTC. */
export const timeText = (time: string): string => plainText(time.slice(0, 16).replace('T', ' '));

/** JSON of the same value, without invisible characters: a terminal shows it as it is. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(hidden, (character) =>
    character === '\n' ? character : [...Array(character.length).keys()].map((at) => unit(character, at)).join(''),
  );

function escape(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase();
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
}

const unit = (character: string, at: number) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
