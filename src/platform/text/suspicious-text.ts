/** A piece of text. `why` is set if a reader would miss or misread it; `text` then shows the code points. */
export interface MarkedSegment {
  text: string;
  why?: string;
}

/**
 * Splits external text into pieces and makes everything visible that a reader would miss or misread: invisible
 * characters, bidirectional controls, and words that mix scripts (UTS 39, "highly restrictive"). Unmarked text is what
 * it looks like. Independent of HTML: pages and the console each render the pieces.
 */
export function markSuspiciousText(text: string): MarkedSegment[] {
  const isLookalikeScript = [...text].some(
    (character) => lookalikeScript.test(character) && !lookalikes.has(character),
  );
  const marked = [...text.matchAll(segmentPattern)].flatMap(([piece]) => markSegment(piece, isLookalikeScript));
  return marked.reduce<MarkedSegment[]>((joined, piece) => {
    const last = joined.at(-1);
    if (last && !last.why && !piece.why) last.text += piece.text;
    else joined.push({ ...piece });
    return joined;
  }, []);
}

const segmentPattern = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gsu;
// invisible or bidirectional: controls, formats, spaces other than U+0020, fillers, variation selectors, tags
const invisibleCharacter =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const harmlessWhitespace = /^[\n\t]$/;
/** Not misleading: it means the same as the three full stops that it resembles, and shortened texts end with it. */
const ellipsis = '…';

/**
 * `isLookalikeScript`: the text contains letters that only Cyrillic, Greek or Cherokee has, so it is written in that
 * script.
 */
function markSegment(piece: string, isLookalikeScript: boolean): MarkedSegment[] {
  const characters = [...piece];
  if (characters.some((character) => invisibleCharacter.test(character))) return characters.map(markCharacter);
  const scripts = scriptsOf(characters);
  if (!areWrittenTogether(scripts))
    return [{ text: characters.map(withCodePoint).join(''), why: `Letters of ${[...scripts].join(' and ')}` }];
  if (passesForLatin(characters, isLookalikeScript))
    return [
      { text: characters.map(withCodePoint).join(''), why: 'Letters of another script that look like Latin letters' },
    ];
  if (piece !== ellipsis && piece.normalize('NFKC') !== piece.normalize('NFC'))
    return [
      {
        text: characters.map(withCompatibilityCodePoint).join(''),
        why: `Compatibility characters that look like: ${piece.normalize('NFKC')}`,
      },
    ];
  return [{ text: piece }];
}

const markCharacter = (character: string): MarkedSegment =>
  invisibleCharacter.test(character) && !harmlessWhitespace.test(character)
    ? { text: `⟨${codePoint(character)}⟩`, why: 'Invisible character' }
    : { text: character };

const withCodePoint = (character: string): string =>
  /[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(character)
    ? character
    : `${character}⟨${codePoint(character)}⟩`;

const withCompatibilityCodePoint = (character: string): string =>
  character.normalize('NFKC') === character.normalize('NFC') ? character : `${character}⟨${codePoint(character)}⟩`;

const codePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

// the scripts in common use today; all others count as one script, "other"
const scripts = (
  'Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Khmer ' +
  'Mongolian Hiragana Katakana Bopomofo Han Common Inherited'
)
  .split(' ')
  .map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, 'u') }));

function scriptsOf(characters: string[]): Set<string> {
  const names = characters.map((character) => scripts.find(({ letters }) => letters.test(character))?.name ?? 'other');
  return new Set(names.filter((name) => name !== 'Common' && name !== 'Inherited'));
}

const scriptFamilies = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const areWrittenTogether = (used: Set<string>) =>
  used.size <= 1 || scriptFamilies.some((family) => [...used].every((script) => family.includes(script)));

/**
 * A word whose letters all look Latin, apart from digits and accents: "раурас", "АСНЕ2024". A single letter is common
 * in its own script, and therefore not marked there.
 */
function passesForLatin(characters: string[], isLookalikeScript: boolean): boolean {
  const letters = characters.filter((character) => !/[\p{Script=Common}\p{Script=Inherited}]/u.test(character));
  if (!letters.length || !letters.every((character) => lookalikes.has(character))) return false;
  return letters.length > 1 || characters.length > 1 || !isLookalikeScript;
}
const lookalikeScript = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}]/u;
const lookalikes = new Set('аеорсухіјѕԁԛԝһӏвАВЕКМНОРСТУХІЈЅοανρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ' + 'ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃᎥᏎᎩᎡᏔᎽ');
