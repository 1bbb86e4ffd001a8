import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';

/** A place in a file. Lines and columns count from 1. */
export interface FilePosition {
  file: string;
  line: number;
  column: number;
}

export interface FileFault extends FilePosition {
  /** "settings.url", or empty for the whole document. */
  path: string;
  message: string;
}

export type DocumentPath = readonly (string | number)[];

/** One document of a file, as its author wrote it. */
export interface FileDocument {
  file: string;
  value: unknown;
  positionOf(path: DocumentPath): FilePosition;
}

/** Further ones are not reported. */
export const maxFaults = 100;

export const maxYamlBytes = 1024 * 1024;
/** How many aliases a document may have, and how many nodes they may add: an anchor of anchors grows exponentially. */
const maxAliasCount = 100;

const tooManyAliases = 'The document has too many aliases, or an unknown one.';

/** Documents need about five levels; the parser takes its time for thousands of them. */
const maxDepth = 100;

interface Problem {
  /** Where it starts. */
  pos: readonly number[];
  message: string;
}

/** The documents of one file. Empty documents are left out. */
export function parseYamlFile(file: string, text: string): { documents: FileDocument[]; faults: FileFault[] } {
  const lines = new LineCounter();
  const at = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (isTooDeep(text))
    return { documents: [], faults: [{ ...at(0), path: '', message: 'The document is nested too deeply.' }] };
  const parsed = tryTo(() =>
    parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, strict: true, prettyErrors: false }),
  );
  if (!('result' in parsed)) return { documents: [], faults: [{ ...at(0), path: '', message: parsed.message }] };
  const documents: FileDocument[] = [];
  const faults: FileFault[] = [];
  for (const document of Array.isArray(parsed.result) ? parsed.result : []) {
    const problems = problemsOf(document);
    faults.push(...problems.map(({ pos: [offset], message }) => ({ ...at(offset), path: '', message })));
    if (faults.length > maxFaults) break;
    if (problems.length || isEmpty(document)) continue;
    const value = tryTo(() => document.toJS({ maxAliasCount }) as unknown);
    const positionOf = (path: DocumentPath) => at(offsetOf(document, path));
    if ('result' in value) documents.push({ file, value: value.result, positionOf });
    else faults.push({ ...positionOf([]), path: '', message: value.message });
  }
  return { documents, faults };
}

function problemsOf(document: Document): Problem[] {
  const problems: Problem[] = [...document.errors, ...document.warnings]; // warnings: unknown tags, for example
  return (problems.length ? problems : structureProblems(document)).slice(0, maxFaults + 1);
}

/** The parser compares each key with all others of its map, and searches the document for each alias: minutes for some files. */
function structureProblems(document: Document): Problem[] {
  const problems: Problem[] = [];
  let aliases = 0;
  visit(document, {
    Alias(_, { range }) {
      if (++aliases <= maxAliasCount) return undefined;
      problems.push({ pos: [range?.[0] ?? 0], message: tooManyAliases });
      return visit.BREAK;
    },
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        const pos = [(isNode(key) && key.range?.[0]) || 0];
        if (!isScalar(key)) problems.push({ pos, message: 'Map keys must be text' });
        else if (names.has(String(key.value))) problems.push({ pos, message: 'Map keys must be unique' });
        else if (String(key.value) === '__proto__')
          problems.push({ pos, message: 'The key "__proto__" is not allowed' });
        else names.add(String(key.value));
      }
    },
  });
  return problems;
}

/** Brackets in texts count, too: no text needs so many that are open at once. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [sign] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (sign === '[' || sign === '{' ? 1 : -1));
    if (depth > maxDepth) return true;
  }
  return new RegExp(`^[ \\t]*(?:[-?] +){${maxDepth}}`, 'm').test(text);
}

function tryTo<T>(run: () => T): { result: T } | { message: string } {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof RangeError) return { message: 'The document is nested too deeply.' };
    if (error instanceof ReferenceError) return { message: tooManyAliases };
    throw error;
  }
}

const isEmpty = ({ contents }: Document) => contents === null || (isScalar(contents) && contents.value === null);

/** Of the field, or of the closest one above it that exists. */
function offsetOf(document: Document, path: DocumentPath): number {
  for (let length = path.length; length > 0; length--) {
    const key = keyNode(document, path.slice(0, length));
    if (key?.range) return key.range[0];
  }
  const contents = document.contents as Node | null;
  return contents?.range?.[0] ?? 0;
}

function keyNode(document: Document, path: DocumentPath): Node | undefined {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const last = path.at(-1)!;
  if (isMap(parent)) {
    const key = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last))?.key;
    return isNode(key) ? key : undefined;
  }
  const node = document.getIn(path, true);
  return isNode(node) ? node : undefined;
}
