/** The words, quoted strings and marks of an instruction. */
export type InstructionToken =
  { kind: 'quoted'; text: string } | { kind: 'word'; text: string; lower: string } | { kind: 'mark'; text: string };

const closingQuote: Record<string, string> = { '"': '"', '“': '”', '„': '“', '«': '»', '`': '`', "'": "'", '‘': '’' };
const piece = /\s+|["“„«`]|(?<![\p{L}\p{N}])['‘]|[^\s"“„«`]+/gsu;
const marks = new Set(',;:.!?');

/**
 * An unclosed quote becomes a mark, which no grammar accepts. Visits each character a bounded number of times, because the
 * text is untrusted and the process serves other callers.
 */
export function tokenizeInstruction(text: string): InstructionToken[] {
  const found: InstructionToken[] = [];
  const unclosed = new Set<string>();
  const ends = new Map<string, number>();
  let at = 0;
  while (at < text.length) {
    piece.lastIndex = at;
    const match = piece.exec(text)?.[0] ?? text[at];
    const quote = match.length === 1 ? closingQuote[match] : undefined;
    if (quote) {
      const end = unclosed.has(quote) ? -1 : quotedEnd(text, at + 1, quote, ends);
      if (end === -1) unclosed.add(quote);
      found.push(end < 0 ? { kind: 'mark', text: match } : { kind: 'quoted', text: text.slice(at + 1, end) });
      at = end < 0 ? at + 1 : end + 1;
      continue;
    }
    at += match.length;
    if (match.trim()) for (const token of wordAndMarks(match)) found.push(token);
  }
  return found;
}

/** Splits a run without spaces into a word and its trailing marks. */
function wordAndMarks(run: string): InstructionToken[] {
  let length = run.length;
  while (length > 0 && marks.has(run[length - 1])) length--;
  const trailing = [...run.slice(length)].map((text): InstructionToken => ({ kind: 'mark', text }));
  return length ? [word(run.slice(0, length)), ...trailing] : trailing;
}

/**
 * The position of the closing quote: before a space, a mark or the end. -1: none in the text; -2: ambiguous. `ends` caches
 * the next position of each quote, because many opening quotes may precede one closing quote.
 */
function quotedEnd(text: string, from: number, quote: string, ends: Map<string, number>): number {
  const cached = ends.get(quote) ?? -1;
  const end = cached >= from ? cached : text.indexOf(quote, from);
  ends.set(quote, end);
  if (end < 0) return -1;
  if (text[end - 1] === '\\') return -2;
  if (quote === "'" || quote === '’') {
    const after = new RegExp(`${quote}(?=[\\s,;:.!?)]|$)`, 'g');
    after.lastIndex = from;
    return after.exec(text)?.index ?? -1;
  }
  return end;
}

const word = (text: string): InstructionToken => ({ kind: 'word', text, lower: text.toLowerCase().replace('’', "'") });

export const isMark = (token: InstructionToken | undefined, marks: string) =>
  token?.kind === 'mark' && marks.includes(token.text);
export const isWord = (token: InstructionToken | undefined, words: ReadonlySet<string>) =>
  token?.kind === 'word' && words.has(token.lower);

/** Splits an instruction into sentences. Quoted text never ends a sentence. */
export function sentences(list: readonly InstructionToken[]): InstructionToken[][] {
  const found: InstructionToken[][] = [[]];
  for (const token of list) {
    found.at(-1)?.push(token);
    if (isMark(token, '.!?;')) found.push([]);
  }
  return found.filter((sentence) => sentence.some((token) => token.kind !== 'mark'));
}
