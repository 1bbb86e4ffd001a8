import type { SecretType } from '../../platform/secrets/secret-types.js';
import type { Oddity, ParsedEntry, ParsedFile, ParseProblem } from '../configuration-file.js';
import { Redactor, TooManySecrets } from '../redaction/redactor.js';
import { findDeclaredServers, type DeclaredEntry } from './declared-servers.js';
import { decode } from './decode.js';
import { readEntry } from './entry.js';
import { readJsonc, type JsoncDocument } from './jsonc.js';
import type { FileFormat, KnownFile } from './known-files.js';
import { boundedPointer } from './bounded-pointer.js';
import { readToml } from './read-toml.js';
import { readYaml } from './read-yaml.js';
import { isTreeObject, type Tree } from './tree.js';
import { escapeInvisible, storableFileText, characterOddities } from './invisible-characters.js';
import { truncate } from '../../platform/text/truncate.js';

/** Larger files are reported but not read. */
export const maxFileBytes = 256 * 1024;
export const maxFileEntries = 200;
const maxEntryNameLength = 300;
const maxEntryOddities = 50;

/**
 * Increment when the same file produces different rows. Files that an older parser read are then read again at the next
 * upload or scan, without counting as changed.
 */
export const parserVersion = 4;

export type Fingerprint = (value: string) => string;

/** Parses a file. The result contains no recognized secret, and nothing in the file is started, opened or fetched. */
export function parseFile(bytes: Uint8Array, known: KnownFile, fingerprint: Fingerprint): ParsedFile {
  if (bytes.length > maxFileBytes) return tooLargeFile(known);
  const decoded = decode(bytes);
  if ('reason' in decoded) return unreadableFile(known, decoded.reason);
  if (known.kind === 'instructions') return instructions(decoded.text, known);
  return parseTwice(decoded.text, known, fingerprint, (newRedactor) => parseServers(decoded.text, known, newRedactor));
}

/** Parses a second time if needed: a secret recognized late in the file may also occur earlier, unrecognized. */
export function parseTwice(
  text: string,
  known: KnownFile,
  fingerprint: Fingerprint,
  parse: (newRedactor: () => Redactor) => ParsedFile,
  RedactorType = Redactor,
): ParsedFile {
  const values = new Map<string, SecretType>();
  const read = () => parse(() => new RedactorType(fingerprint, values));
  try {
    const parsed = read();
    return [...values.keys()].every((value) => occursOnce(value, text)) ? parsed : read();
  } catch (error) {
    if (error instanceof TooManySecrets) return unreadableFile(known, 'has too many secrets');
    throw error;
  }
}

function occursOnce(value: string, text: string): boolean {
  const at = text.indexOf(value);
  return at >= 0 && text.indexOf(value, at + 1) < 0;
}

/** The result for a file whose content is not available. */
export const unreadableFile = ({ kind, oddities }: KnownFile, reason: string): ParsedFile => ({
  kind,
  status: 'unreadable',
  problems: [{ place: '', reason }],
  oddities,
  entries: [],
});

export const tooLargeFile = (known: KnownFile): ParsedFile =>
  unreadableFile(known, `is larger than ${maxFileBytes / 1024} KiB`);

/** The result for a file that must not be read again automatically. None of its content is stored. */
export const quarantinedFile = ({ kind, oddities }: KnownFile, problems: ParseProblem[]): ParsedFile => ({
  kind,
  status: 'quarantined',
  problems,
  oddities,
  entries: [],
});

function instructions(text: string, { kind, oddities }: KnownFile): ParsedFile {
  const hidden = characterOddities(text, '').filter((oddity) => oddity.kind === 'hidden_unicode');
  return { kind, status: 'read', problems: [], oddities: [...oddities, ...hidden], entries: [] };
}

const readers: Record<FileFormat, (text: string) => JsoncDocument> = {
  json: readJsonc,
  toml: readToml,
  yaml: readYaml,
};

export const readDocument = (text: string, { format }: KnownFile): JsoncDocument => readers[format](text);

function parseServers(text: string, known: KnownFile, newRedactor: () => Redactor): ParsedFile {
  const read = readDocument(text, known);
  if (read.value === undefined && !read.problems.length)
    return { ...unreadableFile(known, 'is empty'), status: 'read' };
  const found = findDeclaredServers(read, known);
  const shown = shownWith(newRedactor);
  const problems: ParseProblem[] = [...read.problems, ...found.problems];
  const entries: ParsedEntry[] = [];
  for (const one of found.servers.slice(0, maxFileEntries)) {
    if (isTreeObject(one.value)) entries.push(entryOf(one, newRedactor(), shown));
    else problems.push({ place: one.place, reason: 'is not an object' });
  }
  if (found.servers.length > maxFileEntries)
    problems.push({ place: '', reason: `declares more than ${maxFileEntries} servers; the others are ignored` });
  return {
    kind: known.kind,
    status: !problems.length ? 'read' : entries.length ? 'partly' : 'unreadable',
    problems: problems.map(({ place, reason }) => ({ place: shown(place), reason })),
    oddities: [...known.oddities, ...[...read.oddities, ...found.oddities].map((oddity) => placed(oddity, shown))],
    entries: lastByName(entries),
  };
}

/** For places and messages: without secrets and invisible characters, and not too long. */
export const shownWith =
  (newRedactor: () => Redactor) =>
  (text: string): string =>
    truncate(escapeInvisible(newRedactor().text(text, '')), maxEntryNameLength);

export function entryOf(
  { name, value }: DeclaredEntry,
  redactor: Redactor,
  shown: (place: string) => string,
): ParsedEntry {
  const unseen = [...characterOddities(name, '')];
  findInvisible(value, [], unseen);
  const entry = readEntry(
    shortened(redactor.text(storableFileText(name), '')),
    clean(value) as Map<string, Tree>,
    redactor,
  );
  const oddities = [...unseen, ...entry.oddities].slice(0, maxEntryOddities).map((oddity) => placed(oddity, shown));
  return { ...entry, oddities, secrets: entry.secrets.map((secret) => ({ ...secret, place: shown(secret.place) })) };
}

const placed = (oddity: Oddity, shown: (place: string) => string): Oddity => ({
  ...oddity,
  place: shown(oddity.place),
});
const shortened = (name: string) =>
  name.length > maxEntryNameLength ? `${truncate(name, maxEntryNameLength - 1)}…` : name;

/** If a name is declared twice, the client uses the last declaration. */
export function lastByName(entries: readonly ParsedEntry[]): ParsedEntry[] {
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

function findInvisible(value: Tree, path: readonly (string | number)[], found: Oddity[]): void {
  if (found.length >= maxEntryOddities) return;
  if (typeof value === 'string') found.push(...invisibleAt(value, path));
  else if (Array.isArray(value)) value.forEach((item, index) => findInvisible(item, [...path, index], found));
  else if (isTreeObject(value))
    for (const [key, inner] of value) {
      found.push(...invisibleAt(key, [...path, key]));
      findInvisible(inner, [...path, key], found);
    }
}

/** Computes the place only if there is an oddity, because most texts have none. */
function invisibleAt(text: string, path: readonly (string | number)[]): Oddity[] {
  const oddities = characterOddities(text, '');
  return oddities.length ? oddities.map((oddity) => ({ ...oddity, place: boundedPointer(path) })) : oddities;
}

function clean(value: Tree): Tree {
  if (typeof value === 'string') return storableFileText(value);
  if (Array.isArray(value)) return value.map(clean);
  return isTreeObject(value) ? new Map([...value].map(([key, inner]) => [storableFileText(key), clean(inner)])) : value;
}
