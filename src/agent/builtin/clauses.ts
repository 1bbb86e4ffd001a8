import type { JsonValue } from '../../platform/json/strict-json.js';
import { linearPattern } from '../../platform/json-schema/linear-pattern.js';
import { type Field, valueOf } from './fields.js';
import { isMark, isWord, type Token } from './tokens.js';

const words = (text: string) => new Set(text.split(' '));
const prepositions = words('in on to for of as at by from under into onto');
const determiners = words('a an the new this my our another');
const connectors = words('and with having');
const copulas = words('is are of to = be');
/** Words that stand for something else and are therefore no value. */
const noValue = words(
  'in on to for of as at by from under into onto a an the this that these those my our your their its it him her them us me same ' +
    'any some one each every all whatever whichever what which who and or but with without not no if when unless then',
);
const courtesy = words('please thanks cheers');

export interface Clauses {
  values: Map<Field, JsonValue>;
  /** True when every word was accounted for. */
  isComplete: boolean;
  /** Why a value that was given is none for its field. */
  faults: string[];
}

/**
 * Reads what follows `create a ticket`: `titled "x" in project OPS with priority high`. Reading stops at the first word that
 * belongs to no field: an instruction that is not understood to its last word is not understood.
 */
export function readClauses(
  list: readonly Token[],
  fields: readonly Field[],
  objects: ReadonlySet<string> = new Set(),
): Clauses {
  const reader = new ClauseReader(list, fields, objects);
  reader.readOpening();
  while (reader.readNext());
  return reader.result();
}

class ClauseReader {
  private at = 0;
  private readonly values = new Map<Field, JsonValue>();
  private readonly faults: string[] = [];
  /** Values that stood without a label, at most one of a kind; whose they are shows at the end. */
  private readonly opening: Value[] = [];

  constructor(
    private readonly list: readonly Token[],
    private readonly fields: readonly Field[],
    /** What the sentence acts on: `close ticket OPS-1` gives the field `ticket`. */
    private readonly objects: ReadonlySet<string>,
  ) {}

  /** `ticket OPS-1`, `ticket "Printer"`, `ticket OPS-1: "on it"` */
  readOpening() {
    for (;;) {
      const at = this.at + (this.opening.length && isMark(this.list[this.at], ':') ? 1 : 0);
      const token = this.list[at];
      if (!isOpening(token) || this.opening.some(({ kind }) => kind === token.kind)) return;
      this.opening.push(token);
      this.at = at + 1;
    }
  }

  readNext(): boolean {
    if (this.finalText()) return true;
    const from = this.at;
    while (isMark(this.list[this.at], ',') || isWord(this.list[this.at], connectors)) this.at++;
    const isRead = this.at < this.list.length && (this.labelled() || this.prepositional());
    if (!isRead) this.at = from;
    return isRead;
  }

  result(): Clauses {
    this.placeOpening();
    const rest = this.list.slice(this.at).filter((token) => !isMark(token, ',.!?') && !isWord(token, courtesy));
    return { values: this.values, isComplete: rest.length === 0 && this.faults.length === 0, faults: this.faults };
  }

  /** `… in channel ops: "text"` */
  private finalText(): boolean {
    const value = this.list[this.at + 1];
    if (
      !isMark(this.list[this.at], ':') ||
      value?.kind !== 'quoted' ||
      this.opening.some(({ kind }) => kind === 'quoted')
    )
      return false;
    this.opening.push(value);
    this.at += 2;
    return true;
  }

  private labelled(): boolean {
    return this.labelAt(this.at) || (isWord(this.list[this.at], determiners) && this.labelAt(this.at + 1));
  }

  private prepositional(): boolean {
    if (!isWord(this.list[this.at], prepositions) && !isWord(this.list[this.at - 1], connectors))
      return this.hashed(this.at);
    let at = this.at + (isWord(this.list[this.at], prepositions) ? 1 : 0);
    if (isWord(this.list[at], determiners)) at++;
    return this.labelAt(at) || this.hashed(at) || this.valueBeforeLabel(at);
  }

  private labelAt(at: number): boolean {
    const match = this.findLabel(at);
    if (!match) return false;
    let valueAt = at + match.length;
    if (isMark(this.list[valueAt], ':') || isWord(this.list[valueAt], copulas)) valueAt++;
    return this.take(match.field, valueAt, valueAt + 1);
  }

  /** `in the OPS project`, `with high priority` */
  private valueBeforeLabel(at: number): boolean {
    const match = this.findLabel(at + 1);
    return match ? this.take(match.field, at, at + 1 + match.length) : false;
  }

  /** `#general` is a channel wherever it stands. */
  private hashed(at: number): boolean {
    const token = this.list[at];
    const channels = this.fields.filter((field) => field.topic === 'channel');
    if (token?.kind !== 'word' || !/^#[\p{L}\p{N}_-]+$/u.test(token.text) || channels.length !== 1) return false;
    const next = this.findLabel(at + 1);
    return this.take(
      channels[0],
      at,
      at + 1 + (next?.field === channels[0] ? next.length : 0),
      withoutHash(channels[0], token),
    );
  }

  private take(field: Field, valueAt: number, next: number, token = this.list[valueAt]): boolean {
    if (!token || token.kind === 'mark' || isWord(token, noValue)) return false;
    const value = valueOf(field, token);
    const before = this.values.get(field);
    if (value === undefined) this.faults.push(`${field.name} cannot be "${token.text}"${choices(field)}`);
    else if (before !== undefined && before !== value) this.faults.push(`${field.name} is given twice`);
    else this.values.set(field, value);
    this.at = next;
    return true;
  }

  private findLabel(at: number): { field: Field; length: number } | null {
    const matches = this.fields.flatMap((field) =>
      field.labels
        .filter((label) => label.every((word, offset) => this.isWordAt(at + offset, word)))
        .map((label) => ({ field, length: label.length })),
    );
    const longest = matches.filter((match) => match.length === Math.max(...matches.map(({ length }) => length)));
    return new Set(longest.map(({ field }) => field)).size === 1 ? longest[0] : null;
  }

  private isWordAt(at: number, word: string) {
    const token = this.list[at];
    return token?.kind === 'word' && token.lower === word;
  }

  /** A quoted string is the one required text still open, an identifier the one required identifier. */
  private placeOpening() {
    for (const value of this.opening) {
      const open = this.fields
        .filter(
          (field) =>
            field.isRequired && field.schema.type === 'string' && !field.schema.enum && !this.values.has(field),
        )
        .filter((field) => (value.kind === 'word') === this.identifies(field));
      if (open.length === 1) this.values.set(open[0], value.text);
      else this.faults.push(`it does not show which field "${value.text}" is`);
    }
  }

  private identifies(field: Field) {
    return field.isIdentifier || this.objects.has(field.name.toLowerCase());
  }
}

type Value = Exclude<Token, { kind: 'mark' }>;
const isOpening = (token: Token | undefined): token is Value =>
  token?.kind === 'quoted' || (token?.kind === 'word' && isIdentifier(token.text));
const isIdentifier = (text: string) => /^([A-Z][A-Z0-9]{0,9}-\d+|#\d+|\d+)$/.test(text);
const choices = ({ schema }: Field) =>
  Array.isArray(schema.enum) ? `, only ${schema.enum.map(String).join(', ')}` : '';

/** A system that names its channels without the # says so by a pattern. */
function withoutHash({ schema: { pattern } }: Field, token: Value): Value {
  if (typeof pattern !== 'string' || token.kind !== 'word') return token;
  const bare = token.text.slice(1);
  const form = linearPattern(pattern); // what the other system wrote may be no pattern; the gate checks the value as it stands
  return form?.test(bare) && !form.test(token.text) ? { kind: 'word', text: bare, lower: bare.toLowerCase() } : token;
}
