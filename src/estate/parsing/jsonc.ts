import { createScanner } from 'jsonc-parser';
import { placeOf } from './place.js';
import type { Oddity, ParseProblem } from '../parsed.js';
import type { Tree, TreeObject } from './tree.js';

/** Deeper than any configuration is; what lies deeper is passed over without a stack that grows with it. */
const deepest = 24;
const mostProblems = 50;

// in the order of the scanner's own numbers, from 1
const tokens = [
  'unknown',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  'true',
  'false',
  'string',
  'number',
  'blank',
  'blank',
  'blank',
  'blank',
  'unknown',
  'end',
] as const;
type Token = (typeof tokens)[number];

export interface Read {
  /** undefined: there is nothing but blanks and comments. */
  value: Tree | undefined;
  problems: ParseProblem[];
  oddities: Oddity[];
}

/**
 * JSON with comments and trailing commas, as far as it can be made out: a mistake costs the value that it is in, not what stands
 * beside it. Where a key stands twice the last one counts, as it does for those who run by it. Nothing told of a mistake quotes
 * the text.
 */
export function readJsonc(text: string): Read {
  return new Reader(text.replace(/^\ufeff/, '')).whole();
}

class Reader {
  private readonly scanner;
  private token: Token = 'unknown';
  private readonly path: (string | number)[] = [];
  /** The brackets that are still to come, innermost last. */
  private readonly awaited: Token[] = [];
  private readonly problems: ParseProblem[] = [];
  private readonly oddities: Oddity[] = [];

  constructor(text: string) {
    this.scanner = createScanner(text, true);
    this.next();
  }

  whole(): Read {
    const value = this.token === 'end' ? undefined : this.value();
    if (this.token !== 'end') this.tell('goes on after its end');
    return { value, problems: this.problems, oddities: this.oddities };
  }

  private value(): Tree | undefined {
    switch (this.token) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case 'string':
        return this.taken(this.string());
      case 'number':
        return this.taken(this.number());
      case 'true':
        return this.taken(true);
      case 'false':
        return this.taken(false);
      case 'null':
        return this.taken(null);
      default:
        this.tell('is no value');
        this.passOver();
        return undefined;
    }
  }

  private nested(read: () => Tree): Tree | undefined {
    // the path is as long as the containers around this one
    if (this.path.length < deepest) return read();
    this.tell('is nested too deeply');
    this.passOver();
    return undefined;
  }

  private object(): TreeObject {
    const object: TreeObject = new Map();
    this.between('}', 'a "}" is missing', () => {
      if (this.token === 'string') this.member(object);
      else this.skip('has something where a key should be');
    });
    return object;
  }

  private member(object: TreeObject): void {
    const key = this.taken(this.string());
    if (!this.is(':')) return this.skip('has a key without a value', key);
    this.next();
    this.path.push(key);
    const value = this.value();
    this.path.pop();
    if (object.has(key)) this.odd('duplicate_key', key);
    if (value !== undefined) object.set(key, value);
    if (this.is('string')) this.tell('lacks a comma', key);
  }

  private array(): Tree[] {
    const array: Tree[] = [];
    this.between(']', 'a "]" is missing', () => {
      this.path.push(array.length);
      const value = this.value();
      this.path.pop();
      if (value !== undefined) array.push(value);
    });
    return array;
  }

  /** A bracket that something around it waits for ends it as well; one that nothing waits for is passed over. */
  private between(close: Token, missing: string, read: () => void): void {
    this.awaited.push(close);
    this.next();
    while (this.token !== 'end' && !this.awaited.includes(this.token)) {
      if (this.token === ',') this.next();
      else if (isClosing(this.token)) this.stray();
      else read();
    }
    this.awaited.pop();
    if (this.token === close) this.next();
    else this.tell(`does not end: ${missing}`);
  }

  private stray(): void {
    this.tell('has a closing bracket too many');
    this.next();
  }

  private skip(reason: string, key?: string): void {
    this.tell(reason, key);
    this.passOver();
  }

  /** To the next comma or end at this level. */
  private passOver(): void {
    for (let depth = 0; this.token !== 'end'; this.next()) {
      if (depth === 0 && (this.token === ',' || isClosing(this.token))) return;
      depth += isOpening(this.token) ? 1 : isClosing(this.token) ? -1 : 0;
    }
  }

  private string(): string {
    const error = this.scanner.getTokenError();
    if (error) this.tell(reasons[error] ?? 'is no proper text');
    return this.scanner.getTokenValue();
  }

  private number(): number | null {
    const value = Number(this.scanner.getTokenValue());
    return Number.isFinite(value) ? value : null;
  }

  private is(token: Token): boolean {
    return this.token === token;
  }

  private taken<T>(value: T): T {
    this.next();
    return value;
  }

  private next(): void {
    do this.token = tokens[this.scanner.scan()];
    while (this.token === 'blank');
  }

  private tell(reason: string, key?: string): void {
    if (this.problems.length >= mostProblems) return;
    this.problems.push({ place: placeOf(key === undefined ? this.path : [...this.path, key]), reason });
  }

  private odd(kind: Oddity['kind'], key: string): void {
    if (this.oddities.length >= mostProblems) return;
    this.oddities.push({ kind, place: placeOf([...this.path, key]), detail: 'stands there twice' });
  }
}

const isOpening = (token: Token) => token === '{' || token === '[';
const isClosing = (token: Token) => token === '}' || token === ']';

/** By what the scanner says, whose enumerations cannot be imported: they are constant ones. */
const reasons: Record<number, string> = {
  2: 'is text that does not end',
  4: 'is text with a broken escape',
  5: 'is text with a broken escape',
  6: 'is text with a control character',
};
