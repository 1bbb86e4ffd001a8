import { createScanner } from 'jsonc-parser';
import { boundedPointer } from './bounded-pointer.js';
import type { Oddity, ParseProblem } from '../configuration-file.js';
import type { Tree, TreeObject } from './tree.js';

/** Deeper than any real configuration. Deeper values are skipped without recursion. */
const maxJsoncDepth = 24;
const maxJsoncProblems = 50;

// in the order of the scanner's token numbers
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

export interface JsoncDocument {
  /** Undefined: the file contains only whitespace and comments. */
  value: Tree | undefined;
  problems: ParseProblem[];
  oddities: Oddity[];
}

/**
 * Reads JSON with comments and trailing commas, tolerant of errors: an error loses the value that contains it, but not
 * its neighbors. The last value of a duplicate key is used, as clients do. Problems never quote the text.
 */
export function readJsonc(text: string, maxDepth = maxJsoncDepth): JsoncDocument {
  return new JsoncReader(text.replace(/^\ufeff/, ''), maxDepth).document();
}

class JsoncReader {
  private readonly scanner;
  private token: Token = 'unknown';
  private readonly path: (string | number)[] = [];
  /** The closing brackets that are still expected, innermost last. */
  private readonly openBrackets: Token[] = [];
  private readonly problems: ParseProblem[] = [];
  private readonly oddities: Oddity[] = [];

  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.maxDepth = maxDepth;
    this.scanner = createScanner(text, true);
    this.next();
  }

  document(): JsoncDocument {
    const value = this.token === 'end' ? undefined : this.value();
    if (this.token !== 'end') this.addProblem('has content after its end');
    return { value, problems: this.problems, oddities: this.oddities };
  }

  private value(): Tree | undefined {
    switch (this.token) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case 'string':
        return this.advance(this.string());
      case 'number':
        return this.advance(this.number());
      case 'true':
        return this.advance(true);
      case 'false':
        return this.advance(false);
      case 'null':
        return this.advance(null);
      default:
        this.addProblem('is not a valid value');
        this.skipValue();
        return undefined;
    }
  }

  private nested(read: () => Tree): Tree | undefined {
    // the length of the path is the nesting depth
    if (this.path.length < this.maxDepth) return read();
    this.addProblem('is nested too deeply');
    this.skipValue();
    return undefined;
  }

  private object(): TreeObject {
    const object: TreeObject = new Map();
    this.between('}', 'a "}" is missing', () => {
      if (this.token === 'string') this.member(object);
      else this.skip('has an invalid key');
    });
    return object;
  }

  private member(object: TreeObject): void {
    const key = this.advance(this.string());
    if (!this.is(':')) return this.skip('has a key without a value', key);
    this.next();
    this.path.push(key);
    const value = this.value();
    this.path.pop();
    if (object.has(key)) this.addOddity('duplicate_key', key);
    if (value !== undefined) object.set(key, value);
    if (this.is('string')) this.addProblem('is missing a comma', key);
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

  /**
   * A closing bracket that an enclosing container expects also ends this one. A bracket that none expects is skipped.
   */
  private between(close: Token, missing: string, read: () => void): void {
    this.openBrackets.push(close);
    this.next();
    while (this.token !== 'end' && !this.openBrackets.includes(this.token)) {
      if (this.token === ',') this.next();
      else if (isClosing(this.token)) this.skipStrayBracket();
      else read();
    }
    this.openBrackets.pop();
    if (this.token === close) this.next();
    else this.addProblem(`is not closed: ${missing}`);
  }

  private skipStrayBracket(): void {
    this.addProblem('has an extra closing bracket');
    this.next();
  }

  private skip(reason: string, key?: string): void {
    this.addProblem(reason, key);
    this.skipValue();
  }

  /** Skips to the next comma or closing bracket at this level. */
  private skipValue(): void {
    for (let depth = 0; this.token !== 'end'; this.next()) {
      if (depth === 0 && (this.token === ',' || isClosing(this.token))) return;
      depth += isOpening(this.token) ? 1 : isClosing(this.token) ? -1 : 0;
    }
  }

  private string(): string {
    const error = this.scanner.getTokenError();
    if (error) this.addProblem(reasons[error] ?? 'is not a valid string');
    return this.scanner.getTokenValue();
  }

  private number(): number | null {
    const value = Number(this.scanner.getTokenValue());
    return Number.isFinite(value) ? value : null;
  }

  private is(token: Token): boolean {
    return this.token === token;
  }

  private advance<T>(value: T): T {
    this.next();
    return value;
  }

  private next(): void {
    do this.token = tokens[this.scanner.scan()];
    while (this.token === 'blank');
  }

  private addProblem(reason: string, key?: string): void {
    if (this.problems.length >= maxJsoncProblems) return;
    this.problems.push({ place: boundedPointer(key === undefined ? this.path : [...this.path, key]), reason });
  }

  private addOddity(kind: Oddity['kind'], key: string): void {
    if (this.oddities.length >= maxJsoncProblems) return;
    this.oddities.push({ kind, place: boundedPointer([...this.path, key]), detail: 'appears twice' });
  }
}

const isOpening = (token: Token) => token === '{' || token === '[';
const isClosing = (token: Token) => token === '}' || token === ']';

/** By error number of the scanner. Its const enums cannot be imported. */
const reasons: Record<number, string> = {
  2: 'is a string without an end',
  4: 'is a string with an invalid escape sequence',
  5: 'is a string with an invalid escape sequence',
  6: 'is a string with a control character',
};
