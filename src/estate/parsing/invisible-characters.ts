import type { Oddity } from '../configuration-file.js';

// characters without a glyph, or that change the text direction; tabs and line ends are allowed as layout
const invisiblePattern =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u3164\uffa0\ufe00-\ufe0f\u{e0000}-\u{e01ef}]/gu;
// allowed where emoji and joining scripts need them
const joiningCharacters =
  /(?<=[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\u20e3\ufe0f])[\u200c\u200d\ufe0e\ufe0f]/gu;
const names: Record<string, string> = {
  '00AD': 'SOFT HYPHEN',
  '061C': 'ARABIC LETTER MARK',
  '200B': 'ZERO WIDTH SPACE',
  '200C': 'ZERO WIDTH NON-JOINER',
  '200D': 'ZERO WIDTH JOINER',
  '200E': 'LEFT-TO-RIGHT MARK',
  '200F': 'RIGHT-TO-LEFT MARK',
  '202A': 'LEFT-TO-RIGHT EMBEDDING',
  '202B': 'RIGHT-TO-LEFT EMBEDDING',
  '202C': 'POP DIRECTIONAL FORMATTING',
  '202D': 'LEFT-TO-RIGHT OVERRIDE',
  '202E': 'RIGHT-TO-LEFT OVERRIDE',
  '2060': 'WORD JOINER',
  '2066': 'LEFT-TO-RIGHT ISOLATE',
  '2067': 'RIGHT-TO-LEFT ISOLATE',
  '2068': 'FIRST STRONG ISOLATE',
  '2069': 'POP DIRECTIONAL ISOLATE',
  FEFF: 'ZERO WIDTH NO-BREAK SPACE',
};
const maxNamedCharacters = 5;
/** Nearly all text in these files is plain ASCII and needs no further checks. */
const isPlain = /^[\t\n\r\x20-\x7e]*$/;

/** Invisible characters, each named once: `U+202E RIGHT-TO-LEFT OVERRIDE (2 times)`. Null: there are none. */
export function invisibleCharactersIn(text: string): string | null {
  if (isPlain.test(text)) return null;
  const counts = new Map<string, number>();
  for (const [character] of text.replaceAll(joiningCharacters, '').matchAll(invisiblePattern)) {
    const name = nameOf(character);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const described = [...counts]
    .slice(0, maxNamedCharacters)
    .map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  if (counts.size > maxNamedCharacters) described.push(`${counts.size - maxNamedCharacters} more`);
  return described.length ? described.join(', ') : null;
}

/** Describes a word that mixes Latin letters with letters of a lookalike script. Null: there is none. */
export function mixedScriptsIn(text: string): string | null {
  if (isPlain.test(text)) return null;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const foreign = lookalikeScripts.exec(word);
    if (foreign && /\p{Script=Latin}/u.test(word)) return `a word with Latin letters and ${codePoint(foreign[0])}`;
  }
  return null;
}

const lookalikeScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

export function characterOddities(text: string, place: string): Oddity[] {
  const hidden = invisibleCharactersIn(text);
  const mixed = mixedScriptsIn(text);
  return [
    ...(hidden ? [{ kind: 'hidden_unicode' as const, place, detail: hidden }] : []),
    ...(mixed ? [{ kind: 'mixed_script' as const, place, detail: mixed }] : []),
  ];
}

/** Replaces what PostgreSQL cannot store: NUL and lone surrogates. `invisibleCharactersIn` reports them. */
export const storableFileText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** The same with invisible characters escaped, for messages and pointers. */
export const escapeInvisible = (text: string): string =>
  isPlain.test(text)
    ? text
    : storableFileText(text).replaceAll(invisiblePattern, (character) => `⟨${codePoint(character)}⟩`);

function nameOf(character: string): string {
  const code = character.codePointAt(0)!;
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag characters, which spell hidden text';
  const point = codePoint(character);
  const name = names[point.slice(2)];
  return name ? `${point} ${name}` : point;
}

const codePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
