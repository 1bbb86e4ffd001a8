/** A piece of text; `why` where an eye would miss or misread it, and `text` then says so. */
export interface MarkedSegment {
  text: string;
  why?: string;
}

/**
 * Text from elsewhere in pieces, with everything in it that an eye would miss or misread made visible: characters without
 * a shape, characters that turn the direction of what follows, and words whose letters come from scripts that are not
 * written together (UTS 39, "highly restrictive"). What is left unmarked is what it looks like. Knows of no HTML: pages and
 * the console write it each in their way.
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
// what looks like nothing, or turns the direction: controls, formats, blanks other than the space, fillers, selectors, tags
const invisibleCharacter =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const harmlessWhitespace = /^[\n\t]$/;

/** `isForeign`: the text around it has letters of scripts with lookalikes that are none, so it is written in one of them. */
function markSegment(piece: string, isLookalikeScript: boolean): MarkedSegment[] {
  const characters = [...piece];
  if (characters.some((character) => invisibleCharacter.test(character))) return characters.map(markCharacter);
  const scripts = scriptsOf(characters);
  if (!areWrittenTogether(scripts))
    return [{ text: characters.map(withCodePoint).join(''), why: `Letters of ${[...scripts].join(' and ')}` }];
  if (passesForLatin(characters, isLookalikeScript))
    return [{ text: characters.map(withCodePoint).join(''), why: 'Not Latin letters, though they look like them' }];
  if (piece.normalize('NFKC') !== piece.normalize('NFC'))
    return [
      {
        text: characters.map(withCompatibilityCodePoint).join(''),
        why: `Letters in disguise: ${piece.normalize('NFKC')}`,
      },
    ];
  return [{ text: piece }];
}

const markCharacter = (character: string): MarkedSegment =>
  invisibleCharacter.test(character) && !harmlessWhitespace.test(character)
    ? { text: `⟨${codePoint(character)}⟩`, why: 'A character without a shape of its own' }
    : { text: character };

const withCodePoint = (character: string): string =>
  /[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(character)
    ? character
    : `${character}⟨${codePoint(character)}⟩`;

const withCompatibilityCodePoint = (character: string): string =>
  character.normalize('NFKC') === character.normalize('NFC') ? character : `${character}⟨${codePoint(character)}⟩`;

const codePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

// every script that a letter in use today is likely to be of; the rest counts as one more, "other"
const scripts = (
  'Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Khmer ' +
  'Mongolian Hiragana Katakana Bopomofo Han Common Inherited'
)
  .split(' ')
  .map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, 'u') }));

function scriptsOf(characters: string[]): Set<string> {
  const found = characters.map((character) => scripts.find(({ letters }) => letters.test(character))?.name ?? 'other');
  return new Set(found.filter((name) => name !== 'Common' && name !== 'Inherited'));
}

const scriptFamilies = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const areWrittenTogether = (found: Set<string>) =>
  found.size <= 1 || scriptFamilies.some((family) => [...found].every((script) => family.includes(script)));

/** A whole word of letters that each pass for a Latin one, digits and accents aside: "раурас", "АСНЕ2024". One alone is usual in its own script. */
function passesForLatin(characters: string[], isLookalikeScript: boolean): boolean {
  const letters = characters.filter((character) => !/[\p{Script=Common}\p{Script=Inherited}]/u.test(character));
  if (!letters.length || !letters.every((character) => lookalikes.has(character))) return false;
  return letters.length > 1 || characters.length > 1 || !isLookalikeScript;
}
const lookalikeScript = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}]/u;
const lookalikes = new Set('аеорсухіјѕԁԛԝһӏвАВЕКМНОРСТУХІЈЅοανρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ' + 'ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃᎥᏎᎩᎡᏔᎽ');
