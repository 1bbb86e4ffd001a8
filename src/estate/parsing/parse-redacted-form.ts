import { secretTypes } from '../../platform/secrets/secret-types.js';
import {
  oddityKinds,
  type Oddity,
  type ParsedEntry,
  type ParsedFile,
  type ParseProblem,
  type SecretPlace,
} from '../configuration-file.js';
import { FormRedactor } from '../redaction/form-redactor.js';
import type { Redactor } from '../redaction/redactor.js';
import { decode } from './decode.js';
import { readJsonc } from './jsonc.js';
import type { KnownFile } from './known-files.js';
import {
  entryOf,
  lastByName,
  maxFileEntries,
  parseTwice,
  shownWith,
  tooLargeFile,
  unreadableFile,
  maxFileBytes,
  type Fingerprint,
} from './parse.js';
import { isTreeObject, type Tree, type TreeObject } from './tree.js';

/** A form has one level more than a file. */
const maxFormDepth = 32;
const maxListed = 250;
const statuses = ['read', 'partly', 'unreadable'] as const;

/**
 * Reads a file whose secrets its device has replaced. The device is not trusted: each definition is redacted and parsed
 * again, so that it cannot claim another identity or hash. Only its secrets, its problems and its oddities, which the
 * definition no longer shows, are taken from the device.
 */
export function parseRedactedForm(bytes: Uint8Array, known: KnownFile, fingerprint: Fingerprint): ParsedFile {
  if (bytes.length > maxFileBytes) return tooLargeFile(known);
  const decoded = decode(bytes);
  const read = 'text' in decoded ? readJsonc(decoded.text, maxFormDepth) : null;
  const form = read?.value;
  if (!form || !isTreeObject(form) || read.problems.length || form.get('form') !== 1)
    return unreadableFile(known, 'was sent in an unknown form');
  const { text } = decoded as { text: string };
  const parse = (newRedactor: () => Redactor) => formOf(form, known, fingerprint, newRedactor);
  return parseTwice(text, known, fingerprint, parse, FormRedactor);
}

function formOf(form: TreeObject, known: KnownFile, fingerprint: Fingerprint, newRedactor: () => Redactor): ParsedFile {
  const shown = shownWith(newRedactor);
  const entries = objectsIn(form.get('entries'))
    .slice(0, maxFileEntries)
    .flatMap((item): ParsedEntry[] => {
      const [name, value] = [item.get('name'), item.get('definition')];
      if (typeof name !== 'string' || !isTreeObject(value)) return [];
      const entry = entryOf({ name, value, place: '' }, newRedactor(), shown);
      return [
        {
          ...entry,
          secrets: merged(secretsIn(item.get('secrets'), shown, fingerprint), entry.secrets, ({ place }) => place),
          oddities: merged(odditiesIn(item.get('oddities'), shown), entry.oddities, ({ kind }) => kind),
        },
      ];
    });
  return {
    kind: known.kind,
    status: statuses.find((status) => status === form.get('status')) ?? 'partly',
    problems: problemsIn(form.get('problems'), shown),
    oddities: [...known.oddities, ...odditiesIn(form.get('oddities'), shown)],
    entries: lastByName(entries),
  };
}

type Shown = (text: string) => string;

/** The fingerprint of a device is hashed again, because fingerprints of other devices have other keys. */
function secretsIn(value: Tree | undefined, shown: Shown, fingerprint: Fingerprint): SecretPlace[] {
  return objectsIn(value).flatMap((item) => {
    const type = secretTypes.find((one) => one === item.get('type'));
    const sent = textIn(item, 'fingerprint');
    if (!type || !/^[0-9a-f]{32}$/.test(sent)) return [];
    return [{ type, place: shown(textIn(item, 'place')), fingerprint: fingerprint(`device:${sent}`) }];
  });
}

const odditiesIn = (value: Tree | undefined, shown: Shown): Oddity[] =>
  objectsIn(value).flatMap((item) => {
    const kind = oddityKinds.find((one) => one === item.get('kind'));
    return kind ? [{ kind, place: shown(textIn(item, 'place')), detail: shown(textIn(item, 'detail')) }] : [];
  });

const problemsIn = (value: Tree | undefined, shown: Shown): ParseProblem[] =>
  objectsIn(value).map((item) => ({ place: shown(textIn(item, 'place')), reason: shown(textIn(item, 'reason')) }));

const objectsIn = (value: Tree | undefined): TreeObject[] =>
  Array.isArray(value) ? value.slice(0, maxListed).filter((item) => isTreeObject(item)) : [];

function textIn(item: TreeObject, name: string): string {
  const value = item.get(name);
  return typeof value === 'string' ? value : '';
}

/** The declared ones, then those that were found but not declared. */
function merged<T>(declared: readonly T[], found: readonly T[], keyOf: (one: T) => string): T[] {
  const keys = new Set(declared.map(keyOf));
  return [...declared, ...found.filter((one) => !keys.has(keyOf(one)))];
}
