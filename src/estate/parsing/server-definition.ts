import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import { pointerTo } from '../../platform/json/strict-json.js';
import type { Oddity } from '../configuration-file.js';
import { droppedValue } from '../redaction/marks.js';
import type { Redactor } from '../redaction/redactor.js';
import { pointerSegment } from './bounded-pointer.js';
import { isTreeObject, type Tree, type TreeObject } from './tree.js';

const maxDefinitionOddities = 50;

type Path = readonly (string | number)[];

/** Reads and redacts the value of a known field. */
type FieldReader = (value: Tree, path: Path, name: string) => JsonValue | undefined;

const synonyms: Record<string, string> = {
  transport: 'type',
  environment: 'env',
  serverUrl: 'url',
  httpUrl: 'url',
  oauth: 'auth',
  alwaysAllow: 'autoApprove',
  cmd: 'command',
  envs: 'env',
  uri: 'url',
  http_headers: 'headers',
  working_directory: 'cwd',
};

/** The definition of an entry with secrets replaced. Undocumented fields keep their structure, but not their texts. */
export class ServerDefinition {
  readonly oddities: Oddity[] = [];
  readonly fields: JsonObject;
  private readonly redactor: Redactor;

  constructor(server: TreeObject, redactor: Redactor) {
    this.redactor = redactor;
    this.fields = this.object(server, [], (value, path, name) => this.field(name, value, path));
  }

  get(name: string): JsonValue | undefined {
    const found = Object.keys(this.fields).find((key) => key === name || synonyms[key] === name);
    return found === undefined ? undefined : this.fields[found];
  }

  text(name: string): string | null {
    const value = this.get(name);
    return typeof value === 'string' ? value : null;
  }

  private field(name: string, value: Tree, path: Path): JsonValue | undefined {
    const canonicalName = Object.hasOwn(synonyms, name) ? synonyms[name] : name;
    const readField = Object.hasOwn(this.fieldReaders, canonicalName) ? this.fieldReaders[canonicalName] : undefined;
    if (readField) return value === null ? null : (readField(value, path, name) ?? this.wrongType(path));
    const usual = Object.keys(this.fieldReaders).find((key) => key.toLowerCase() === name.toLowerCase());
    this.addOddity(usual ? 'odd_case_key' : 'unknown_field', path, usual ? `instead of ${usual}` : 'is not documented');
    return this.structure(value, path, name);
  }

  private readonly fieldReaders: Record<string, FieldReader> = {
    type: (value, path) => this.words(value, path),
    command: (value, path) => (Array.isArray(value) ? this.args(value, path) : this.words(value, path)),
    args: (value, path) => this.args(value, path),
    env: (value, path) => this.named(value, path),
    envFile: (value, path) => this.words(value, path),
    cwd: (value, path) => this.words(value, path),
    url: (value, path) => (typeof value === 'string' ? this.redactor.url(value.trim(), pointerTo(path)) : undefined),
    headers: (value, path) => this.named(value, path),
    auth: (value, path) =>
      isTreeObject(value) ? this.object(value, path, (...field) => this.auth(...field)) : undefined,
    disabled: (value) => (typeof value === 'boolean' ? value : undefined),
    enabled: (value) => (typeof value === 'boolean' ? value : undefined),
    timeout: (value) => (typeof value === 'number' ? value : undefined),
    autoApprove: (value, path) => this.list(value, path),
    // Codex: names of variables, not values
    bearer_token_env_var: (value, path) => this.words(value, path),
    env_http_headers: (value, path) =>
      isTreeObject(value) ? this.object(value, path, (inner, at) => this.words(inner, at)) : undefined,
    env_vars: (value, path) => this.list(value, path),
    // a shell command of Claude Code
    headersHelper: (value, path) => this.words(value, path),
    trust: (value) => (typeof value === 'boolean' ? value : undefined),
  };

  private readonly auth: FieldReader = (value, path, name) => {
    if (/^client_?id$/i.test(name)) return this.words(value, path);
    if (/^scopes?$/i.test(name)) return typeof value === 'string' ? this.words(value, path) : this.list(value, path);
    return this.structure(value, path, name);
  };

  private words(value: Tree, path: Path): string | undefined {
    return typeof value === 'string' ? this.redactor.text(value, pointerTo(path)) : undefined;
  }

  private list(value: Tree, path: Path): JsonValue | undefined {
    if (!Array.isArray(value)) return undefined;
    return value.map((item, index) => this.words(item, [...path, index]) ?? this.wrongType([...path, index]) ?? null);
  }

  private args(value: Tree, path: Path): JsonValue | undefined {
    if (typeof value === 'string') this.addOddity('wrong_type', path, 'is a string instead of a list');
    const items = typeof value === 'string' ? [value] : value;
    if (!Array.isArray(items)) return undefined;
    const texts = items.map((item, index) => this.scalar(item, [...path, index]));
    return this.redactor.args(texts, (index) => pointerTo([...path, index]));
  }

  private scalar(item: Tree, path: Path): string {
    if (typeof item === 'string') return item;
    this.addOddity('wrong_type', path, 'is not a string');
    return typeof item === 'number' || typeof item === 'boolean' ? String(item) : '';
  }

  private named(value: Tree, path: Path): JsonValue | undefined {
    return isTreeObject(value)
      ? this.object(value, path, (inner, at, name) => this.variable(inner, at, name))
      : undefined;
  }

  private variable(value: Tree, path: Path, name: string): JsonValue | undefined {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number' || typeof value === 'string')
      return this.redactor.namedValue(name, String(value), pointerTo(path));
    return this.wrongType(path);
  }

  /** Values of undocumented fields, whose meaning is unknown. */
  private structure(value: Tree, path: Path, name: string): JsonValue {
    if (isTreeObject(value)) return this.object(value, path, (inner, at, key) => this.structure(inner, at, key));
    if (Array.isArray(value)) return value.map((item, index) => this.structure(item, [...path, index], name));
    if (value === null || typeof value === 'boolean') return value;
    const kept = this.redactor.namedValue(name, String(value), pointerTo(path));
    return kept === String(value) ? value : kept || droppedValue;
  }

  private object(object: TreeObject, path: Path, keep: FieldReader): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (const [key, value] of object) {
      const name = this.redactor.text(key, pointerTo(path));
      const kept = keep(value, [...path, pointerSegment(name)], name);
      if (kept !== undefined) entries.push([name, kept]);
    }
    return Object.fromEntries(entries);
  }

  private wrongType(path: Path): undefined {
    this.addOddity('wrong_type', path, 'has an undocumented type');
  }

  private addOddity(kind: Oddity['kind'], path: Path, detail: string): void {
    if (this.oddities.length < maxDefinitionOddities) this.oddities.push({ kind, place: pointerTo(path), detail });
  }
}
