import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { documentName, documentKey, type OrganizationDocument, textReference } from '../documents.js';
import { type DocumentIssue, parseDocument } from '../parse-documents.js';
import {
  type DocumentPath,
  type FileDocument,
  type FileFault,
  maxFaults,
  maxYamlBytes,
  parseYamlFile,
} from './yaml-documents.js';

/** The documents of a folder, in the order of files and documents. */
export interface FolderDocuments {
  documents: OrganizationDocument[];
  /** Where the field of a document is, by the index of the document. */
  placeOf(index: number, path: DocumentPath): FileFault;
}

/** What is wrong with the files of a folder. */
export class FolderError extends Error {
  readonly faults: readonly FileFault[];

  constructor(faults: readonly FileFault[]) {
    const more = faults.length > maxFaults ? [`There are more than ${maxFaults} errors.`] : [];
    const shown = faults.slice(0, maxFaults);
    super([...shown.map(formatFault), ...more].join('\n'));
    this.faults = shown;
  }
}

/** On one line: names of files and fields can contain control characters. */
export const formatFault = ({ file, line, column, path: field, message }: FileFault): string =>
  `${file}:${line}:${column} ${field ? `${field}: ` : ''}${message}`.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const maxFiles = 5000;
const maxTotalBytes = 8 * maxYamlBytes;
const maxDepth = 16;
const isYaml = /\.ya?ml$/i;

/**
 * Reads all YAML files of a folder and of its folders. Hidden files and links to folders are not read; a link to a file is,
 * as long as the file is in the folder: Kubernetes mounts a ConfigMap as such links.
 */
export async function readDocumentFolder(folder: string): Promise<FolderDocuments> {
  const faults: FileFault[] = [];
  const found: { document: OrganizationDocument; source: FileDocument }[] = [];
  const reader = new FolderReader(await realpath(folder));
  for (const file of await listFiles(folder)) {
    const parsed = parseYamlFile(file, await reader.read(file));
    faults.push(...parsed.faults);
    for (const source of parsed.documents) {
      const outcome = parseDocument(await withTextFile(reader, source));
      if ('document' in outcome) found.push({ document: outcome.document, source });
      else faults.push(...faultsOf(source, outcome.issues));
      if (faults.length > maxFaults) throw new FolderError(faults);
    }
  }
  faults.push(...duplicates(found));
  if (faults.length) throw new FolderError(faults);
  return {
    documents: found.map(({ document }) => document),
    placeOf: (index, field) => faultAt(found[index].source, field, ''),
  };
}

/** Finding the place of a field takes a while, and a file can have as many wrong fields as fit into it. */
const faultsOf = (source: FileDocument, issues: readonly DocumentIssue[]): FileFault[] =>
  issues.slice(0, maxFaults + 1).map(({ path: field, message }) => faultAt(source, field, message));

const faultAt = (source: FileDocument, field: DocumentPath, message: string): FileFault => ({
  ...source.positionOf(field),
  path: field.join('.'),
  message,
});

const wholeFileFault = (file: string, message: string): FileFault => ({ file, line: 1, column: 1, path: '', message });
const wholeFile = (file: string, message: string) => new FolderError([wholeFileFault(file, message)]);

function duplicates(found: readonly { document: OrganizationDocument; source: FileDocument }[]): FileFault[] {
  const first = new Map<string, FileDocument>();
  return found.flatMap(({ document, source }) => {
    const [kind, name] = [document.kind, documentName(document)];
    const key = documentKey(kind, name);
    const other = first.get(key);
    if (!other) {
      first.set(key, source);
      return [];
    }
    const { file, line } = other.positionOf([]);
    return [faultAt(source, [], `the ${kind} "${name}" is already in ${file}:${line}`)];
  });
}

async function listFiles(folder: string, below = '', depth = 0): Promise<string[]> {
  if (depth > maxDepth) throw wholeFile(below, `the folders are nested more than ${maxDepth} levels deep`);
  const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch((error: unknown) => {
    throw wholeFile(below || '.', `cannot be read (${codeOf(error)})`);
  });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) files.push(...(await listFiles(folder, name, depth + 1)));
    else if ((entry.isFile() || entry.isSymbolicLink()) && isYaml.test(entry.name)) files.push(name);
    if (files.length > maxFiles) throw wholeFile(name, `there are more than ${maxFiles} files`);
  }
  return files;
}

/** A policy document whose text is in a file of its own, with the text. */
async function withTextFile(reader: FolderReader, source: FileDocument): Promise<unknown> {
  const value = source.value as { kind?: unknown; text?: unknown } | null;
  if (value?.kind !== 'policy' || typeof value.text !== 'object' || value.text === null) return value;
  const reference = textReference.safeParse(value.text);
  if (!reference.success) {
    const [{ path: field, message }] = reference.error.issues;
    throw new FolderError([faultAt(source, ['text', ...field.map(String)], message)]);
  }
  const file = path.posix.join(path.posix.dirname(source.file), reference.data.fromFile);
  return {
    ...value,
    text: await reader.read(file, (message) => faultAt(source, ['text', 'fromFile'], `${file} ${message}`)),
  };
}

class FolderReader {
  private bytesLeft = maxTotalBytes;

  constructor(private readonly folder: string) {}

  /** Refuses files outside of the folder, files that are too large, and text that is not UTF-8. */
  async read(file: string, faultOf = (message: string) => wholeFileFault(file, message)): Promise<string> {
    const refuse = (message: string) => new FolderError([faultOf(message)]);
    try {
      const real = await realpath(path.join(this.folder, file));
      if (!real.startsWith(path.join(this.folder, '/'))) throw refuse('is a link that leads out of the folder');
      const entry = await stat(real);
      if (!entry.isFile()) throw refuse('is not a regular file');
      if (entry.size > maxYamlBytes) throw refuse(`is larger than ${maxYamlBytes} bytes`);
      if ((this.bytesLeft -= entry.size) < 0)
        throw wholeFile(file, `the files are larger than ${maxTotalBytes} bytes together`);
      const bytes = await readFile(real);
      if (bytes.length > entry.size) throw refuse('has changed while it was read');
      const text = decoded(bytes);
      if (text === null) throw refuse('is not UTF-8 text');
      return text;
    } catch (error) {
      if (error instanceof FolderError) throw error;
      throw refuse(`cannot be read (${codeOf(error)})`);
    }
  }
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message;
