import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import { assignmentInText, headerInText, schemeAlone } from '../../platform/secrets/assignments.js';
import { isSecretFieldName } from '../../platform/secrets/field-names.js';
import { mayHoldSecret, replaceKnownSecrets } from '../../platform/secrets/known-secrets.js';
import { isSecretName } from '../../platform/secrets/names.js';
import { isPlaceholder, isPlainValue, isReference } from '../../platform/secrets/references.js';
import type { ToolContent, ToolResult } from '../connector-registry.service.js';
import { isCardNumber, replacePersonalData } from './personal-data.js';
import {
  describeNotice,
  type FindingKind,
  replacementOf,
  type ResultAction,
  type ResultNotice,
  type ResultRules,
} from '../result-rules.js';
import { SchemaMarks } from './schema-marks.js';

export interface ResultSearch {
  rules: ResultRules;
  outputSchema: JsonObject | null;
  result: ToolResult;
}

/** Applies the rules. Throws if the result has more than the search can handle. Pure: also runs in a worker process. */
export function redactResult({ rules, outputSchema, result }: ResultSearch): ToolResult {
  const search = new Search(rules, outputSchema);
  let redacted = search.result(result);
  // a secret found by its field may occur in another text, too
  if (search.named.size) redacted = search.result(result);
  redacted = limitSize(redacted, rules, search);
  const notice = search.notice();
  return notice ? withNotice(redacted, notice) : redacted;
}

/** The same result without its content, for a notice with the action `withheld`. */
export const withholdResult = ({ isError, outside }: ToolResult, notice: ResultNotice): ToolResult => ({
  content: [{ type: 'text', text: describeNotice(notice, isError) }],
  isError,
  outside,
  ...(isError ? { reason: describeNotice(notice, true) } : {}),
  notice,
});

function withNotice(result: ToolResult, notice: ResultNotice): ToolResult {
  if (notice.action === 'withheld') return withholdResult(result, notice);
  return { ...result, content: [...result.content, { type: 'text', text: describeNotice(notice) }], notice };
}

const maxNestedTexts = 3;
/** Each text is searched for each of these values. */
const maxNamedValues = 500;
/** Shorter values occur elsewhere by chance. */
const minNamedLength = 6;

class Search {
  /** Values that only their field marks, with the kind of their finding. */
  readonly named = new Map<string, FindingKind>();
  private readonly found = new Map<FindingKind, Set<string>>();
  private readonly actions = new Set<ResultAction>();
  private readonly rules: ResultRules;
  private readonly marks: SchemaMarks | null;

  constructor(rules: ResultRules, outputSchema: JsonObject | null) {
    this.rules = rules;
    this.marks = outputSchema && rules.protectedFields !== 'ignore' ? new SchemaMarks(outputSchema) : null;
  }

  notice(): ResultNotice | null {
    const found = Object.fromEntries([...this.found].map(([kind, values]) => [kind, values.size]));
    if (this.actions.has('block')) return { action: 'withheld', found };
    if (this.actions.has('redact')) return { action: 'redacted', found };
    return this.actions.has('mark') ? { action: 'marked', found } : null;
  }

  result(result: ToolResult): ToolResult {
    const { content, structured, url, reason } = result;
    const start = this.marks?.start() ?? [];
    const searched: ToolResult = { ...result, content: content.map((part) => this.part(part, start)) };
    if (structured !== undefined) searched.structured = this.value(structured, start, '', 0);
    if (reason !== undefined) searched.reason = this.plainText(reason);
    // a link with a gap leads nowhere
    if (url !== undefined && this.plainText(url) !== url) delete searched.url;
    return searched;
  }

  /** Counts a finding. Returns what takes its place. */
  report(kind: FindingKind, action: ResultAction, value: string): string {
    this.actions.add(action);
    const values = this.found.get(kind) ?? new Set<string>();
    this.found.set(kind, values.add(value));
    return action === 'redact' ? replacementOf(kind) : value;
  }

  private part(part: ToolContent, start: readonly JsonObject[]): ToolContent {
    switch (part.type) {
      case 'text':
        return { ...part, text: this.text(part.text, start, 0) };
      case 'resource': {
        const { uri, text, blob, mimeType } = part.resource;
        const searched = {
          ...(text === undefined ? {} : { text: this.text(text, [], 0) }),
          ...(blob === undefined ? {} : { blob: this.bytes(blob, mimeType) }),
        };
        return { ...part, resource: { ...part.resource, uri: this.plainText(uri), ...searched } };
      }
      case 'resource_link': {
        const { uri, name, title, description } = part;
        const texts = { uri, name, title, description };
        const searched = Object.entries(texts).flatMap(([key, text]) =>
          text === undefined ? [] : [[key, this.plainText(text)] as const],
        );
        return { ...part, ...Object.fromEntries(searched) };
      }
      default:
        return part;
    }
  }

  private text(text: string, subschemas: readonly JsonObject[], depth: number): string {
    if (isBase64(text)) return text;
    const parsed = depth < maxNestedTexts ? parseJsonText(text) : undefined;
    if (parsed === undefined) return this.plainText(text);
    const searched = this.value(parsed, subschemas, '', depth + 1);
    const isSame = JSON.stringify(searched) === JSON.stringify(parsed);
    return isSame ? text : JSON.stringify(searched, null, text.includes('\n') ? 2 : undefined);
  }

  private value(value: JsonValue, subschemas: readonly JsonObject[], name: string, depth: number): JsonValue {
    if (value === null || typeof value === 'boolean') return value;
    if (this.marks?.isProtected(subschemas)) return this.protectedValue(value);
    if (typeof value === 'string')
      return this.isNamedSecret(name, value)
        ? this.namedValue('secret', this.rules.secrets, value)
        : this.text(value, [], depth);
    if (typeof value === 'number' || json.isRawJSON(value)) return this.number(value);
    if (Array.isArray(value))
      return value.map((item, index) => this.value(item, this.marks?.item(subschemas, index) ?? [], name, depth));
    return this.object(value, subschemas, depth);
  }

  private object(value: JsonObject, subschemas: readonly JsonObject[], depth: number): JsonObject {
    const bytes = bytesKey(value);
    const members = new Map<string, JsonValue>();
    for (const [key, item] of Object.entries(value)) {
      const searched = this.plainText(key);
      // two redacted names must not become one
      const name = searched !== key && members.has(searched) ? `${searched} ${members.size + 1}` : searched;
      const isBytes = key === bytes && typeof item === 'string';
      members.set(
        name,
        isBytes
          ? this.bytes(item, value.mimeType)
          : this.value(item, this.marks?.property(subschemas, key) ?? [], key, depth),
      );
    }
    return Object.fromEntries(members);
  }

  /** In Base64. Only bytes that are declared as text are searched. */
  private bytes(base64: string, mimeType: unknown): string {
    if (typeof mimeType !== 'string' || !textType.test(mimeType)) return base64;
    const bytes = Buffer.from(base64, 'base64');
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'; // Latin-1 represents any bytes without loss
    const text = bytes.toString(encoding);
    const searched = this.text(text, [], 0);
    return searched === text ? base64 : Buffer.from(searched, encoding).toString('base64');
  }

  private protectedValue(value: JsonValue): JsonValue {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const { protectedFields } = this.rules;
    const replacement =
      typeof value === 'string'
        ? this.namedValue('protected_field', protectedFields, text)
        : this.report('protected_field', protectedFields, text);
    return protectedFields === 'redact' ? replacement : value;
  }

  private namedValue(kind: FindingKind, action: ResultAction, value: string): string {
    if (value.length >= minNamedLength) this.named.set(value, kind);
    if (this.named.size > maxNamedValues) throw new RangeError('The result has too many secrets.');
    return this.report(kind, action, value);
  }

  private isNamedSecret(name: string, value: string): boolean {
    return this.rules.secrets !== 'ignore' && namesSecret(name) && mayBeSecret(value);
  }

  private number(value: JsonValue): JsonValue {
    const { personalData } = this.rules;
    const digits = JSON.stringify(value);
    if (personalData === 'ignore' || !isCardNumber(digits)) return value;
    const replacement = this.report('card', personalData, digits);
    return personalData === 'redact' ? replacement : value;
  }

  private plainText(text: string): string {
    const { secrets, personalData } = this.rules;
    let redacted = text;
    for (const [value, kind] of this.named)
      redacted = redacted.replaceAll(value, () =>
        this.report(kind, kind === 'secret' ? secrets : this.rules.protectedFields, value),
      );
    if (secrets !== 'ignore') redacted = this.withoutSecrets(redacted, secrets);
    if (personalData !== 'ignore')
      redacted = replacePersonalData(redacted, (value, kind) => this.report(kind, personalData, value));
    return redacted;
  }

  private withoutSecrets(text: string, action: ResultAction): string {
    const secret = (value: string) => this.report('secret', action, value);
    let redacted = mayHoldSecret(text) ? replaceKnownSecrets(text, secret) : text;
    if (redacted.includes('…”'))
      redacted = redacted.replace(cutWord, (word) => (mayHoldSecret(word) ? secret(word) : word));
    if (redacted.includes('://'))
      redacted = redacted.replace(credentialsInUrl, (whole, before: string, value: string, after: string) =>
        mayBeSecret(value) ? before + secret(value) + after : whole,
      );
    if (!/[=:\s]/.test(redacted)) return redacted;
    return redacted
      .replace(headerInText, (whole, before: string, value: string) =>
        schemeAlone.test(value) || !mayBeSecret(value) || !looksRandom(value) ? whole : before + secret(value),
      )
      .replace(assignmentInText, (whole, before: string, name: string, quote: string, value: string) =>
        namesSecret(name) && mayBeSecret(value) && looksRandom(value) ? before + quote + secret(value) + quote : whole,
      );
  }
}

/** Both the estate's words and those of arguments must name a secret. The tokens of pages are none. */
const namesSecret = (name: string): boolean =>
  isSecretFieldName(name) && isSecretName(name) && !/page|next|prev|cursor|continu|sync|resume|count|usage/i.test(name);

/** The start of a reference, or of a replacement: assignments end at spaces and brackets. */
const isCutOff = /^(?:\$\{|\[redacted)/;
const mayBeSecret = (value: string): boolean =>
  !isPlainValue(value) && !isReference(value) && !isPlaceholder(value) && !isCutOff.test(value);

/** In prose, "password: required" names no secret. */
const looksRandom = (value: string): boolean => value.length >= minNamedLength && /[^A-Za-z.…]/.test(value);

const textType =
  /^\s*(?:text\/|(?:application|image)\/(?:[^;\s]*[+-])?(?:json|xml|yaml|toml|csv|javascript|sql|sh)\b)/i;

/** Where the shapes of MCP have bytes: images, audio and the contents of resources. */
const bytesKey = ({ type, uri }: JsonObject): string =>
  type === 'image' || type === 'audio' ? 'data' : typeof uri === 'string' ? 'blob' : '';

/** The last word of a quotation that was cut: what is left of a secret may be too short for its pattern. */
const cutWord = /[^\s"'“”]{1,300}(?=…”)/g;

const credentialsInUrl = /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/?#"'<>]{0,200}:)([^\s@/?#"'<>]{1,300})(@)/gi;

const minBase64Length = 128;
/** Bytes: nothing in them is text. */
const isBase64 = (text: string): boolean =>
  text.length >= minBase64Length &&
  /^[A-Za-z0-9+/\r\n]+={0,2}\s*$/.test(text) &&
  text.replace(/\s/g, '').length % 4 === 0;

interface JsonWithSource {
  rawJSON(text: string): JsonObject;
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): JsonValue;
}
const json = JSON as unknown as JsonWithSource;

/** Numbers that JavaScript cannot represent keep their text. */
function parseJsonText(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && String(value) !== source ? json.rawJSON(source) : value,
    );
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Cuts or withholds what is too large, after the search, so that no secret is cut in two. */
function limitSize(result: ToolResult, { size, maxKilobytes }: ResultRules, search: Search): ToolResult {
  const limit = maxKilobytes * 1024;
  if (size === 'ignore' || lengthOf(result) <= limit) return result;
  search.report('oversize', size, '');
  if (size !== 'redact') return result;
  let left = limit;
  const take = (text: string): string => {
    const taken = text.slice(0, left).toWellFormed();
    left -= taken.length;
    return taken.length < text.length ? `${taken}\n[… ${text.length - taken.length} characters left out]` : taken;
  };
  const content = result.content.flatMap((part): ToolContent[] => {
    if (part.type === 'text') return [{ ...part, text: take(part.text) }];
    const { length } = JSON.stringify(part);
    if (length > left) return [];
    left -= length;
    return [part];
  });
  const { structured, ...rest } = { ...result, content };
  const fits = structured !== undefined && JSON.stringify(structured).length <= left;
  return fits ? { ...rest, structured } : rest;
}

const lengthOf = ({ content, structured }: ToolResult): number =>
  JSON.stringify(content).length + (structured === undefined ? 0 : JSON.stringify(structured).length);
