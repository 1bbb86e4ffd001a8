/**
 * JSON with exactly one meaning. The policy decision, the approver and the upstream must see the same value, so that
 * anything that two parsers could interpret differently is rejected instead of repaired.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export class StrictJsonError extends Error {
  /** JSON pointer (RFC 6901) to the error; '' is the whole text. */
  readonly pointer: string;
  readonly reason: string;

  constructor(pointer: string, reason: string) {
    super(pointer ? `${pointer}: ${reason}` : reason);
    this.name = 'StrictJsonError';
    this.pointer = pointer;
    this.reason = reason;
  }
}

interface StrictOptions {
  /** Maximum nesting of arrays and objects; `[[1]]` has two levels. */
  maxDepth?: number;
}

/**
 * Parses RFC 8259 text. Apart from invalid syntax, it rejects duplicate keys, integers beyond ±(2^53−1), numbers that
 * are not finite doubles, lone surrogates, U+0000, and keys that Cedar or JavaScript would not treat as data. `-0`
 * becomes `0`, because it has no separate canonical form.
 */
export function parseStrict(text: string, { maxDepth = 32 }: StrictOptions = {}): JsonValue {
  return new StrictJsonParser(text, maxDepth).parse();
}

/** RFC 8785 (JCS), for any JSON value, including a schema with `"maximum": 1e30`. Otherwise throws StrictJsonError. */
export function canonicalJson(value: unknown): string {
  const ordered = inCanonicalOrder(value);
  return ordered === undefined ? writeCanonical(value, []) : JSON.stringify(ordered);
}

const loneSurrogateReason = 'the text contains half of a surrogate pair';
const refusedKeys = new Set(['__entity', '__extn', '__proto__']);
const whitespaceCodes = new Set([0x20, 0x09, 0x0a, 0x0d]);
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literalPattern = /true|false|null/y;
const literals: Record<string, JsonValue> = { true: true, false: false, null: null };

class StrictJsonParser {
  private at = 0;
  private readonly path: (string | number)[] = [];
  private readonly text: string;
  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  parse(): JsonValue {
    const value = this.value();
    this.skipWhitespace();
    if (this.at < this.text.length) this.fail(`unexpected ${this.describePosition()} after the value`);
    return value;
  }

  private value(): JsonValue {
    this.skipWhitespace();
    switch (this.text[this.at]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      case 't':
      case 'f':
      case 'n':
        return literals[this.match(literalPattern) ?? this.fail(`unexpected ${this.describePosition()}`)];
      default:
        return this.number();
    }
  }

  private nested<T>(read: () => T): T {
    // the length of the path is the number of enclosing containers
    if (this.path.length >= this.maxDepth) this.fail(`nested deeper than ${this.maxDepth} levels`);
    this.at++;
    return read();
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    if (this.consume('}')) return object;
    do {
      this.skipWhitespace();
      if (this.text[this.at] !== '"') this.fail(`expected a key in double quotes, found ${this.describePosition()}`);
      const key = this.string();
      this.path.push(key);
      if (refusedKeys.has(key)) this.fail(`the key "${key}" is not allowed`);
      if (Object.hasOwn(object, key)) this.fail('the key occurs twice');
      if (!this.consume(':')) this.fail(`expected ":", found ${this.describePosition()}`);
      object[key] = this.value();
      this.path.pop();
    } while (this.consume(','));
    if (!this.consume('}')) this.fail(`expected "," or "}", found ${this.describePosition()}`);
    return object;
  }

  private array(): JsonValue[] {
    const array: JsonValue[] = [];
    if (this.consume(']')) return array;
    do {
      this.path.push(array.length);
      array.push(this.value());
      this.path.pop();
    } while (this.consume(','));
    if (!this.consume(']')) this.fail(`expected "," or "]", found ${this.describePosition()}`);
    return array;
  }

  private string(): string {
    const start = this.at;
    let escaped = false;
    for (let index = start + 1; index < this.text.length; index++) {
      const code = this.text.charCodeAt(index);
      if (code === 0x5c) {
        escaped = true;
        index++;
      } else if (code === 0x22) {
        this.at = index + 1;
        return this.decode(this.text.slice(start, this.at), escaped);
      } else if (code < 0x20) {
        this.fail('a control character in a string must be escaped');
      }
    }
    return this.fail('a string does not end');
  }

  private decode(quoted: string, escaped: boolean): string {
    const value = escaped ? this.unescaped(quoted) : quoted.slice(1, -1);
    if (!value.isWellFormed()) this.fail(loneSurrogateReason);
    if (value.includes('\0')) this.fail('the text contains U+0000');
    return value;
  }

  private unescaped(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return this.fail('a string contains an unknown escape');
    }
  }

  private number(): number {
    const digits = this.match(numberPattern);
    if (digits === null)
      return this.fail(
        this.at < this.text.length ? `unexpected ${this.describePosition()}` : 'the text ends too early',
      );
    const value = Number(digits);
    if (!Number.isFinite(value)) this.fail('the number is too large');
    // beyond 2^53−1, adjacent integers share a double; checked by value, because 1e300 is an integer too
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      this.fail('an integer must lie within ±9007199254740991');
    return value || 0;
  }

  private consume(sign: string): boolean {
    this.skipWhitespace();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private skipWhitespace(): void {
    while (whitespaceCodes.has(this.text.charCodeAt(this.at))) this.at++;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const matched = pattern.exec(this.text)?.[0] ?? null;
    this.at += matched?.length ?? 0;
    return matched;
  }

  private describePosition(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code));
  }

  private fail(reason: string): never {
    throw new StrictJsonError(pointerTo(this.path), reason);
  }
}

/**
 * A copy with its keys in the order of RFC 8785. `JSON.stringify` preserves the order and writes numbers and strings as
 * that standard requires, in half the time of `writeCanonical`. Undefined: the value is not JSON, or it has a key that
 * a JavaScript object does not keep in its place.
 */
function inCanonicalOrder(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return undefined;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    for (const element of value) {
      const ordered = inCanonicalOrder(element);
      if (ordered === undefined) return undefined;
      copy.push(ordered);
    }
    return copy;
  }
  const copy: Record<string, unknown> = {};
  for (const key of sortKeys(Object.keys(value))) {
    const ordered =
      misplacedKey.test(key) || !key.isWellFormed() ? undefined : inCanonicalOrder((value as JsonObject)[key]);
    if (ordered === undefined) return undefined;
    copy[key] = ordered;
  }
  return copy;
}

/** Numeric keys come first in every object, and `__proto__` sets the prototype. */
const misplacedKey = /^(?:[0-9]|__proto__$)/;
const fewKeys = 16;

/** By UTF-16 code units, as RFC 8785, section 3.2.3, requires. Few keys are sorted faster than `sort` does it. */
function sortKeys(keys: string[]): string[] {
  if (keys.length > fewKeys) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index];
    let at = index;
    for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
    keys[at] = key;
  }
  return keys;
}

/** The exact form of every JSON value, and the place of an error in all others. */
function writeCanonical(value: unknown, path: (string | number)[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : fail(path, `${value} is not JSON`);
  if (typeof value === 'string') return quote(value, path);
  if (typeof value !== 'object') return fail(path, `${typeof value} is not JSON`);
  if (Array.isArray(value)) {
    let text = '[';
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      text += `${index ? ',' : ''}${writeCanonical(value[index], path)}`; // a hole is undefined, which is rejected
      path.pop();
    }
    return `${text}]`;
  }
  let text = '{';
  for (const key of sortKeys(Object.keys(value))) {
    path.push(key);
    text += `${text === '{' ? '' : ','}${quote(key, path)}:${writeCanonical((value as JsonObject)[key], path)}`;
    path.pop();
  }
  return `${text}}`;
}

function quote(text: string, path: (string | number)[]): string {
  return text.isWellFormed() ? JSON.stringify(text) : fail(path, loneSurrogateReason);
}

function fail(path: readonly (string | number)[], reason: string): never {
  throw new StrictJsonError(pointerTo(path), reason);
}

/** RFC 6901 */
export const pointerTo = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
