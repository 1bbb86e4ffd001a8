import type { JsonValue } from '../../platform/json/strict-json.js';
import { linearPattern } from '../../platform/json-schema/linear-pattern.js';
import { type Field, valueOf } from './fields.js';
import { isMark, isWord, type InstructionToken } from './tokens.js';

const wordSet = (text: string) => new Set(text.split(' '));
const prepositions = wordSet('in on to for of as at by from under into onto');
const determiners = wordSet('a an the new this my our another');
const connectors = wordSet('and with having');
const copulas = wordSet('is are of to = be');
/** Function words, which cannot be values. */
const noValue = wordSet(
  'in on to for of as at by from under into onto a an the this that these those my our your their its it him her them us me same ' +
    'any some one each every all whatever whichever what which who and or but with without not no if when unless then',
);
const courtesy = wordSet('please thanks cheers');
/** In words. Longer labels are ignored. */
const maxLabelWords = 12;
/** Reading stops here: a message may have tens of thousands of clauses. */
const maxFaults = 5;

export interface Clauses {
  values: Map<Field, JsonValue>;
  /** True if every word was understood. */
  isComplete: boolean;
  /** Reasons why given values are invalid. */
  faults: string[];
}

/**
 * Parses the text after `create a ticket`: `titled "x" in project OPS with priority high`. Stops at the first word that
 * belongs to no field, because a partly understood instruction must not run.
 */
export function readClauses(
  list: readonly InstructionToken[],
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
  /** Values without a label, at most one of each kind. Assigned to their fields at the end. */
  private readonly opening: Value[] = [];
  private readonly labels = new LabelNode();
  private readonly channels: readonly Field[];

  constructor(
    private readonly list: readonly InstructionToken[],
    private readonly fields: readonly Field[],
    /** The objects of the sentence: `close ticket OPS-1` sets the field `ticket`. */
    private readonly objects: ReadonlySet<string>,
  ) {
    for (const field of fields) for (const label of field.labels) this.labels.add(label, field);
    this.channels = fields.filter(({ topic }) => topic === 'channel');
  }

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
    if (this.faults.length >= maxFaults) return false;
    if (this.readFinalText()) return true;
    const from = this.at;
    while (isMark(this.list[this.at], ',') || isWord(this.list[this.at], connectors)) this.at++;
    const isRead = this.at < this.list.length && (this.readLabelled() || this.readPrepositional());
    if (!isRead) this.at = from;
    return isRead;
  }

  result(): Clauses {
    this.placeOpening();
    const rest = this.list.slice(this.at).filter((token) => !isMark(token, ',.!?') && !isWord(token, courtesy));
    return { values: this.values, isComplete: rest.length === 0 && this.faults.length === 0, faults: this.faults };
  }

  /** `… in channel ops: "text"` */
  private readFinalText(): boolean {
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

  private readLabelled(): boolean {
    return this.labelAt(this.at) || (isWord(this.list[this.at], determiners) && this.labelAt(this.at + 1));
  }

  private readPrepositional(): boolean {
    if (!isWord(this.list[this.at], prepositions) && !isWord(this.list[this.at - 1], connectors))
      return this.readHashedChannel(this.at);
    let at = this.at + (isWord(this.list[this.at], prepositions) ? 1 : 0);
    if (isWord(this.list[at], determiners)) at++;
    return this.labelAt(at) || this.readHashedChannel(at) || this.valueBeforeLabel(at);
  }

  private labelAt(at: number): boolean {
    const match = this.findLabel(at);
    if (!match) return false;
    let valueAt = at + match.length;
    if (isMark(this.list[valueAt], ':') || isWord(this.list[valueAt], copulas)) valueAt++;
    return this.assignValue(match.field, valueAt, valueAt + 1);
  }

  /** `in the OPS project`, `with high priority` */
  private valueBeforeLabel(at: number): boolean {
    const match = this.findLabel(at + 1);
    return match ? this.assignValue(match.field, at, at + 1 + match.length) : false;
  }

  /** `#general` is a channel in any position. */
  private readHashedChannel(at: number): boolean {
    const token = this.list[at];
    if (token?.kind !== 'word' || !/^#[\p{L}\p{N}_-]+$/u.test(token.text) || this.channels.length !== 1) return false;
    const [channel] = this.channels;
    const next = this.findLabel(at + 1);
    return this.assignValue(channel, at, at + 1 + (next?.field === channel ? next.length : 0), () =>
      withoutHash(channel, token),
    );
  }

  private assignValue(field: Field, valueAt: number, next: number, tokenOf = (token: Value) => token): boolean {
    const given = this.list[valueAt];
    if (!given || given.kind === 'mark' || isWord(given, noValue)) return false;
    this.at = next;
    if (this.values.has(field)) {
      this.faults.push(`${field.name} is given twice`);
      return true;
    }
    const token = tokenOf(given);
    const value = valueOf(field, token);
    if (value === undefined) this.faults.push(`${field.name} cannot be "${token.text}"${choices(field)}`);
    else this.values.set(field, value);
    return true;
  }

  /** The longest label that begins here, if it belongs to one field only. */
  private findLabel(at: number): { field: Field; length: number } | null {
    let longest = null;
    let node: LabelNode | undefined = this.labels;
    for (let length = 0; node; length++) {
      if (node.fields.size) longest = { fields: node.fields, length };
      const token: InstructionToken | undefined = this.list[at + length];
      node = token?.kind === 'word' ? node.next.get(token.lower) : undefined;
    }
    if (longest?.fields.size !== 1) return null;
    const [field] = longest.fields;
    return { field, length: longest.length };
  }

  /** Assigns a quoted string to the only open required text field, and an identifier to the only required identifier. */
  private placeOpening() {
    for (const value of this.opening) {
      const open = this.fields
        .filter(
          (field) =>
            field.isRequired && field.schema.type === 'string' && !field.schema.enum && !this.values.has(field),
        )
        .filter((field) => (value.kind === 'word') === this.identifies(field));
      if (open.length === 1) this.values.set(open[0], value.text);
      else this.faults.push(`"${value.text}" does not clearly belong to one field`);
    }
  }

  private identifies(field: Field) {
    return field.isIdentifier || this.objects.has(field.name.toLowerCase());
  }
}

/** A trie of labels by word. The lookup time does not depend on the number of fields. */
class LabelNode {
  readonly fields = new Set<Field>();
  readonly next = new Map<string, LabelNode>();

  add(label: readonly string[], field: Field): void {
    if (label.length <= maxLabelWords)
      label.reduce<LabelNode>((node, word) => node.childOf(word), this).fields.add(field);
  }

  private childOf(word: string): LabelNode {
    const node = this.next.get(word) ?? new LabelNode();
    this.next.set(word, node);
    return node;
  }
}

type Value = Exclude<InstructionToken, { kind: 'mark' }>;
const isOpening = (token: InstructionToken | undefined): token is Value =>
  token?.kind === 'quoted' || (token?.kind === 'word' && isIdentifier(token.text));
const isIdentifier = (text: string) => /^([A-Z][A-Z0-9]{0,9}-\d+|#\d+|\d+)$/.test(text);
const choices = ({ schema }: Field) =>
  Array.isArray(schema.enum) ? `, only ${schema.enum.map(String).join(', ')}` : '';

/** Removes the `#` if the pattern of the field accepts the channel name only without it. */
function withoutHash({ schema: { pattern } }: Field, token: Value): Value {
  if (typeof pattern !== 'string' || token.kind !== 'word') return token;
  const bare = token.text.slice(1);
  const form = linearPattern(pattern); // the upstream pattern may be invalid; the gate validates the final value
  return form?.test(bare) && !form.test(token.text) ? { kind: 'word', text: bare, lower: bare.toLowerCase() } : token;
}
