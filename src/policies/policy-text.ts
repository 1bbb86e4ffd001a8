/* Locates parts of a policy text. Cedar's parser decides what they mean. */

/** Offsets in UTF-16 units, as in JavaScript; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface TextPosition {
  /** Counts from 1. */
  line: number;
  /** Counts from 1, in UTF-16 units, as in editors. */
  column: number;
  length: number;
}

/** One policy with its annotations, from its first token to its semicolon. */
export interface PolicyTextStatement extends Span {
  text: string;
  tokens: Token[];
}

interface Token extends Span {
  kind: 'string' | 'name' | 'sign';
  text: string;
}

const token = /\/\/[^\n\r]*|"(?:[^"\\]|\\[^])*"|[A-Za-z_][A-Za-z0-9_]*|\S/g;

/** The statements of a text that Cedar has parsed, in their order. */
export function splitStatements(text: string): PolicyTextStatement[] {
  const found: PolicyTextStatement[] = [];
  let tokens: Token[] = [];
  for (const { 0: piece, index: start } of text.matchAll(token)) {
    if (piece.startsWith('//')) continue;
    const end = start + piece.length;
    const kind = piece.length > 1 && piece.startsWith('"') ? 'string' : /^[A-Za-z_]/.test(piece) ? 'name' : 'sign';
    tokens.push({ kind, text: piece, start, end });
    // outside strings and comments, a semicolon always ends a policy
    if (piece !== ';') continue;
    found.push({ text: text.slice(tokens[0].start, end), start: tokens[0].start, end, tokens });
    tokens = [];
  }
  return found;
}

/** `@name` with its value, if it has one. */
export function annotationSpan({ tokens }: PolicyTextStatement, name: string): Span | undefined {
  const at = tokens.findIndex((sign, index) => sign.text === '@' && tokens[index + 1]?.text === name);
  if (at < 0) return undefined;
  const hasValue = tokens[at + 2]?.text === '(';
  return { start: tokens[at].start, end: tokens[at + (hasValue ? 4 : 1)].end };
}

/** The literal value of `@name("value")`, or null. */
export function annotationValue(statement: PolicyTextStatement, name: string): string | null {
  const span = annotationSpan(statement, name);
  const literal =
    span && statement.tokens.find(({ kind, start, end }) => kind === 'string' && start > span.start && end < span.end);
  return literal ? literal.text.slice(1, -1) : null;
}

/** The first `Type::"id"`. */
export function entitySpan({ tokens }: PolicyTextStatement, type: string, id: string): Span | undefined {
  const at = tokens.findIndex(
    (name, index) =>
      name.text === type &&
      tokens[index + 1]?.text === ':' &&
      tokens[index + 2]?.text === ':' &&
      isStringLiteral(tokens[index + 3], id),
  );
  return at < 0 ? undefined : { start: tokens[at].start, end: tokens[at + 3].end };
}

/** The first occurrence of the last attribute of a path such as `context.arguments.amount`. */
export function attributeSpan({ tokens }: PolicyTextStatement, path: readonly string[]): Span | undefined {
  const last = path.at(-1);
  const at = tokens.findIndex(
    (name, index) =>
      ['.', 'has', '['].includes(tokens[index - 1]?.text) &&
      (name.kind === 'name' ? name.text === last : isStringLiteral(name, last)),
  );
  return at < 0 ? undefined : { start: tokens[at].start, end: tokens[at].end };
}

/** The first string literal with this value. */
export function literalSpan({ tokens }: PolicyTextStatement, value: string): Span | undefined {
  return tokens.find((literal) => isStringLiteral(literal, value));
}

const isStringLiteral = (literal: Token | undefined, value: string | undefined): boolean =>
  literal?.kind === 'string' && value !== undefined && literalValue(literal) === value;

/** The value of a string literal. */
export function literalValue(literal: Pick<Token, 'text'>): string {
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '0': '\0' };
  return literal.text
    .slice(1, -1)
    .replace(
      /\\(?:u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|([^]))/g,
      (_, point?: string, byte?: string, sign: string = '') =>
        point || byte ? String.fromCodePoint(parseInt(point ?? byte!, 16)) : (escapes[sign] ?? sign),
    );
}

export function positionOf(text: string, { start, end }: Span): TextPosition {
  const before = text.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: start - lineStart + 1, length: Math.max(end - start, 1) };
}

/** Converts Cedar's offsets, which count UTF-8 bytes. */
export function spanOfBytes(text: string, { start, end }: Span): Span {
  const bytes = Buffer.from(text);
  const units = (upTo: number) => bytes.toString('utf8', 0, upTo).length;
  return { start: units(start), end: units(end) };
}
