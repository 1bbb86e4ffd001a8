import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { documentName, documentKey, type OrganizationDocument, textReference } from '../documents.js';
import { parseDocument } from '../parse-documents.js';
import { type DocumentPath, type FileDocument, type FileFault, maxYamlBytes, parseYamlFile } from './yaml-documents.js';

/** The documents of a folder, in the order of files and documents. */
export interface FolderDocuments {
  documents: OrganizationDocument[];
  /** Where the field of a document is, by the index of the document. */
  placeOf(index: number, path: DocumentPath): FileFault;
}

/** Everything that is wrong with the files of a folder. */
export class FolderError extends Error {
  constructor(readonly faults: readonly FileFault[]) {
    super(faults.map(formatFault).join('\n'));
  }
}

export const formatFault = ({ file, line, column, path: field, message }: FileFault): string =>
  `${file}:${line}:${column} ${field ? `${field}: ` : ''}${message}`;

const maxFiles = 5000;
const maxTotalBytes = 8 * maxYamlBytes;
const maxDepth = 16;
const isYaml = /\.ya?ml$/i;

/** Reads all YAML files of a folder and of its folders. Links, hidden files and other files are not read. */
export async function readDocumentFolder(folder: string): Promise<FolderDocuments> {
  const faults: FileFault[] = [];
  const found: { document: OrganizationDocument; source: FileDocument }[] = [];
  const budget = { bytes: maxTotalBytes };
  for (const file of await listFiles(folder)) {
    const parsed = parseYamlFile(file, await readWithin(folder, file, maxYamlBytes, budget));
    faults.push(...parsed.faults);
    for (const source of parsed.documents) {
      const outcome = parseDocument(await withTextFile(folder, source, budget));
      if ('document' in outcome) found.push({ document: outcome.document, source });
      else faults.push(...outcome.issues.map(({ path: field, message }) => faultAt(source, field, message)));
    }
  }
  faults.push(...duplicates(found));
  if (faults.length) throw new FolderError(faults);
  return {
    documents: found.map(({ document }) => document),
    placeOf: (index, field) => faultAt(found[index].source, field, ''),
  };
}

const faultAt = (source: FileDocument, field: DocumentPath, message: string): FileFault => ({
  ...source.positionOf(field),
  path: field.join('.'),
  message,
});

const wholeFile = (file: string, message: string) => new FolderError([{ file, line: 1, column: 1, path: '', message }]);

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
  const entries = await readdir(path.join(folder, below), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) files.push(...(await listFiles(folder, name, depth + 1)));
    else if (entry.isFile() && isYaml.test(entry.name)) files.push(name);
    if (files.length > maxFiles) throw wholeFile(name, `there are more than ${maxFiles} files`);
  }
  return files;
}

/** A policy document whose text is in a file of its own, with the text. */
async function withTextFile(folder: string, source: FileDocument, budget: { bytes: number }): Promise<unknown> {
  const value = source.value as { kind?: unknown; text?: unknown } | null;
  if (value?.kind !== 'policy' || typeof value.text !== 'object' || value.text === null) return value;
  const reference = textReference.safeParse(value.text);
  if (!reference.success) {
    const [{ path: field, message }] = reference.error.issues;
    throw new FolderError([faultAt(source, ['text', ...field.map(String)], message)]);
  }
  const file = path.posix.join(path.posix.dirname(source.file), reference.data.fromFile);
  try {
    return { ...value, text: await readWithin(folder, file, maxYamlBytes, budget) };
  } catch (error) {
    if (error instanceof FolderError) throw error;
    throw new FolderError([faultAt(source, ['text', 'fromFile'], `${file} cannot be read (${codeOf(error)})`)]);
  }
}

/** Refuses links, files that are too large, and text that is not UTF-8. */
async function readWithin(folder: string, file: string, maxBytes: number, budget: { bytes: number }): Promise<string> {
  const full = path.join(folder, file);
  if (!(await lstat(full)).isFile()) throw wholeFile(file, 'is not a regular file');
  const handle = await open(full, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw wholeFile(file, `is larger than ${maxBytes} bytes`);
    if ((budget.bytes -= size) < 0) throw wholeFile(file, `the files are larger than ${maxTotalBytes} bytes together`);
    return decoded(file, await handle.readFile());
  } finally {
    await handle.close();
  }
}

function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wholeFile(file, 'is not UTF-8 text');
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message;
