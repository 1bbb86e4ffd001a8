import type { SecretType } from '../../platform/secrets/secret-types.js';
import type { SecretPlace } from '../configuration-file.js';
import { assignmentInText, headerInText, schemeAlone } from '../../platform/secrets/assignments.js';
import { redactedUrl, urlPattern } from './urls.js';
import { mayHoldSecret, replaceKnownSecrets, typeOf } from '../../platform/secrets/known-secrets.js';
import { isPlainHeader, isSecretName, isRuntimeVariable } from '../../platform/secrets/names.js';
import { droppedValue, isRedactionMark, markPattern, secretMark, secretMarks } from './marks.js';
import { replaceRandom } from './randomness.js';
import {
  betweenReferences,
  hasReference,
  isPath,
  isPlaceholder,
  isPlainValue,
  isReference,
} from '../../platform/secrets/references.js';

/** Shorter values may occur elsewhere by chance. */
const minRememberedLength = 6;
/** Each text of a file is searched for each secret value found in it, so their number is limited. */
const maxSecretValues = 500;
/** Depth of addresses nested in query values. */
const maxUrlDepth = 3;

/** A file with this many secrets is not a configuration and would take too long to process. */
export class TooManySecrets extends Error {
  override readonly name = 'TooManySecrets';
}

/**
 * Replaces secrets before any other code sees a text. A value that looks like a secret, or is in the place of one, is
 * reported with its type, place and fingerprint. A value that might be a secret is dropped without a report. A secret
 * found in one place of a file is replaced in all places: `values` collects them in the first of two passes.
 */
export class Redactor {
  readonly secrets: SecretPlace[] = [];
  private readonly fingerprint: (value: string) => string;
  private readonly values: Map<string, SecretType>;
  private readonly places = new Set<string>();
  private urlDepth = 0;

  constructor(fingerprint: (value: string) => string, values: Map<string, SecretType>) {
    this.fingerprint = fingerprint;
    this.values = values;
  }

  /** Prose, paths and arguments: kept except for recognized secrets. */
  text(text: string, place: string): string {
    let kept = this.withoutKnownSecrets(text, place);
    if (isWord.test(kept)) return kept;
    if (kept.includes('://')) kept = kept.replace(urlPattern, (url) => this.url(url, place));
    if (/[=:\s]/.test(kept)) kept = this.withoutAssignedSecrets(kept, place);
    if (!isLong.test(kept)) return kept;
    return kept
      .split(nonRandomParts)
      .map((part, index) => (index % 2 ? part : this.withoutRandom(part, place)))
      .join('');
  }

  /** Replaces secrets of known formats, and values found as secrets elsewhere in the file. */
  protected withoutKnownSecrets(text: string, place: string): string {
    let kept = text;
    for (const [value, type] of this.values) kept = kept.replaceAll(value, () => this.secret(value, type, place));
    if (!mayHoldSecret(kept)) return kept;
    return replaceKnownSecrets(kept, (value, type) => this.secret(value, type, place));
  }

  /** The value of a variable, a header or a field. Kept only if its name or its form shows that it is not a secret. */
  namedValue(name: string, value: string, place: string): string {
    const text = value.trim();
    if (!text || isReference(text.replace(scheme, ''))) return value;
    if (hasReference(text)) return betweenReferences(text, (literal) => this.literal(name, literal, place));
    return this.literal(name, text, place);
  }

  /** A value that is a secret because of its place. */
  secretValue(value: string, place: string, fallback: SecretType = 'generic'): string {
    const [prefix] = scheme.exec(value) ?? [''];
    const rest = value.slice(prefix.length).trim();
    if (!rest || isReference(rest) || isRedactionMark(rest)) return value;
    // a path can contain a token of a known format
    if (isPlainValue(rest)) return this.text(value, place);
    if (hasReference(rest)) return prefix + betweenReferences(rest, () => droppedValue);
    if (isPlaceholder(rest)) return prefix + droppedValue;
    return prefix + this.secret(rest, typeOf(rest) ?? typeByScheme(prefix) ?? fallback, place);
  }

  url(url: string, place: string): string {
    if (this.urlDepth === maxUrlDepth) return droppedValue;
    this.urlDepth++;
    try {
      return redactedUrl(url, {
        user: (value, type) => this.secretValue(value, place, type),
        value: (name, value) => this.queryValue(name, value, place),
        host: (value) => this.withoutKnownSecrets(value, place),
        segment: (value) => this.text(value, place),
      });
    } finally {
      this.urlDepth--;
    }
  }

  args(args: readonly string[], placeOf: (index: number) => string): string[] {
    return args.map((arg, index) => this.arg(arg, args[index - 1] ?? '', placeOf(index)));
  }

  protected arg(arg: string, before: string, place: string): string {
    const option = /^(--?[A-Za-z][\w.-]*)=(.*)$/s.exec(arg);
    if (option) {
      const [, name, value] = option;
      if (isVariable.test(name)) return `${name}=${this.assignment(value, place)}`;
      return `${name}=${isSecretName(name) ? this.secretValue(value, place) : this.text(value, place)}`;
    }
    if (isVariable.test(before)) return this.assignment(arg, place);
    if (isHeader.test(before)) return this.header(arg, place);
    if (isUser.test(before) && arg.includes(':')) return this.secretValue(arg, place, 'basic_auth');
    if (/^--?[A-Za-z]/.test(before) && !before.includes('=') && isSecretName(before) && !arg.startsWith('-'))
      return this.secretValue(arg, place);
    return this.text(arg, place);
  }

  /** "NAME=value" as for docker's -e; "NAME" alone is a reference. */
  private assignment(text: string, place: string): string {
    const at = text.indexOf('=');
    if (at < 0) return this.text(text, place);
    return `${this.text(text.slice(0, at), place)}=${this.namedValue(text.slice(0, at), text.slice(at + 1), place)}`;
  }

  /** "Name: value" */
  private header(text: string, place: string): string {
    const at = text.indexOf(':');
    if (at < 0) return this.secretValue(text, place);
    const value = text.slice(at + 1);
    const kept = this.namedValue(text.slice(0, at), value, place);
    return `${this.text(text.slice(0, at), place)}:${kept.startsWith(' ') ? '' : ' '}${kept}`;
  }

  private literal(name: string, text: string, place: string): string {
    const [prefix] = scheme.exec(text) ?? [''];
    if (prefix || isSecretName(name)) {
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return this.url(text, place);
      const redacted = this.secretValue(text, place, isDatabasePassword(name) ? 'database_password' : 'generic');
      return redacted === text ? this.text(text, place) : redacted;
    }
    const kept = this.text(text, place);
    if (isRuntimeVariable(name) || isPlainHeader(name) || isPlainValue(text) || isPath(text)) return kept;
    if (/^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text)) return kept;
    return kept.match(secretMarks)?.join(' ') ?? droppedValue;
  }

  private queryValue(name: string, value: string, place: string): string {
    if (!value || isReference(value) || isRedactionMark(value)) return value;
    const kept = isSecretName(name) ? this.secretValue(value, place) : this.text(value, place);
    if (kept !== value || isPlainValue(value)) return kept;
    return droppedValue;
  }

  /** Inside a text such as a shell command: "--token x", "TOKEN=x", "Authorization: Bearer x", "-u name:x". */
  private withoutAssignedSecrets(text: string, place: string): string {
    return text
      .replace(
        headerInText,
        (_, before: string, value: string) => before + this.secretValue(value, place, 'bearer_token'),
      )
      .replace(userInText, (_, before: string, value: string) => before + this.secretValue(value, place, 'basic_auth'))
      .replace(assignmentInText, (whole, before: string, name: string, quote: string, value: string) =>
        isSecretName(name) && !schemeAlone.test(value)
          ? before + quote + this.secretValue(value, place) + quote
          : whole,
      );
  }

  private withoutRandom(text: string, place: string): string {
    return replaceRandom(text, (piece) => this.secret(piece, 'generic', place));
  }

  private secret(value: string, type: SecretType, place: string): string {
    const fingerprint = this.fingerprint(value);
    const key = `${fingerprint} ${place}`;
    if (!this.places.has(key)) this.secrets.push({ type, place, fingerprint });
    this.places.add(key);
    if (value.length >= minRememberedLength) this.values.set(value, type);
    if (this.values.size > maxSecretValues || this.secrets.length > maxSecretValues) throw new TooManySecrets();
    return secretMark(type);
  }
}

/** Too short to be random, and cannot contain anything else. */
const isWord = /^[\w.@/-]{0,15}$/;
const isLong = /[A-Za-z0-9+/=_-]{16}/;
// marks, and digests and commits that identify code
const nonRandomParts = new RegExp(String.raw`(${markPattern}|\bsha256[:=][0-9a-f]{64}\b|[#@][0-9a-f]{40}(?!\w))`);
const scheme = /^(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Bot|Negotiate)\s+/i;
const typeByScheme = (prefix: string): SecretType | null =>
  /^basic/i.test(prefix) ? 'basic_auth' : prefix ? 'bearer_token' : null;

function isDatabasePassword(name: string): boolean {
  const folded = name.slice(0, 500).toLowerCase();
  const database = /db|sql|pg|postgres|maria|mongo|redis|database/.exec(folded);
  return database !== null && folded.includes('pass', database.index + 2);
}

const isVariable = /^(?:-e|--env|--build-arg|--set-env)$/;
const isHeader = /^(?:-H|--headers?|--add-header)$/;
const isUser = /^(?:-u|--user|--proxy-user|--auth)$/;
const userInText = /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]+(?![\s=])["']?)([^\s"':]+:[^\s"'@/][^\s"']*)/g;
