import { parseTree, type Node } from 'jsonc-parser';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { findDeclaredServers } from '../../src/estate/parsing/declared-servers.js';
import type { FileFormat, KnownFile } from '../../src/estate/parsing/known-files.js';
import { readDocument } from '../../src/estate/parsing/parse.js';
import { yamlOptions } from '../../src/estate/parsing/read-yaml.js';

export interface SourcePosition {
  line: number;
  column: number;
}

/** The offset of a path in a text, or of the closest part of it that exists. */
type OffsetFinder = (path: readonly string[]) => number;

/** Finds the lines of the values in a configuration file. */
export class SourceLines {
  private readonly places: ReadonlyMap<string, string>;
  private readonly offsetOf: OffsetFinder | null;
  /** Offsets of the beginnings of lines. */
  private readonly lineStarts: number[];

  constructor(text: string, known: KnownFile) {
    const { servers } = findDeclaredServers(readDocument(text, known), known);
    this.places = new Map(servers.map(({ name, place }) => [name, place]));
    this.offsetOf = servers.length ? finderFor(text, known.format) : null;
    this.lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  /** The position of a JSON pointer inside a server, or of the closest position before it that is known. */
  positionOf(server: string, pointer: string): SourcePosition | null {
    const place = this.places.get(server);
    if (place === undefined || !this.offsetOf) return null;
    const offset = this.offsetOf([...segmentsOf(place), ...segmentsOf(pointer)]);
    const index = this.lineStarts.findLastIndex((start) => start <= offset);
    return { line: index + 1, column: offset - this.lineStarts[index] + 1 };
  }
}

function finderFor(text: string, format: FileFormat): OffsetFinder | null {
  try {
    return finders[format](text);
  } catch {
    return null; // nested more deeply than the stack
  }
}

/** The last of several properties with the same name is the one that clients use. */
const finders: Record<FileFormat, (text: string) => OffsetFinder | null> = {
  json(text) {
    const root = parseTree(text, [], { allowTrailingComma: true });
    return root ? (path) => offsetInJson(root, path) : null;
  },
  yaml(text) {
    const root: unknown = parseDocument(text, yamlOptions).contents;
    return (path) => offsetInYaml(root, path);
  },
  toml(text) {
    const offsets = new Map(keysOfToml(text).map(({ path, offset }) => [JSON.stringify(path), offset]));
    return (path) => {
      for (let length = path.length; length > 0; length--) {
        const offset = offsets.get(JSON.stringify(path.slice(0, length)));
        if (offset !== undefined) return offset;
      }
      return 0;
    };
  },
};

function offsetInJson(root: Node, path: readonly string[]): number {
  let [node, offset] = [root, root.offset];
  for (const name of path) {
    if (node.type === 'object') {
      const property = node.children?.findLast(({ children }) => children?.[0].value === name);
      if (!property?.children?.[1]) return offset;
      offset = property.offset;
      node = property.children[1];
    } else {
      const item = node.type === 'array' ? node.children?.[Number(name)] : undefined;
      if (!item) return offset;
      node = item;
      offset = item.offset;
    }
  }
  return offset;
}

function offsetInYaml(root: unknown, path: readonly string[]): number {
  let [node, offset] = [root, 0];
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === name);
      if (!pair) return offset;
      offset = (isScalar(pair.key) && pair.key.range?.[0]) || offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      if (isMap(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

const tomlName = /"([^"\\]*)"|'([^']*)'|([\w-]+)/g;
/** A table, or a key of several names. No text can be divided in two ways, or a long line would take forever. */
const tomlKey =
  /^([ \t]*)(?:\[\[?([^\]\n]+)\]|((?:"[^"\n]*"|'[^'\n]*'|[\w-]+)(?:[ \t]*\.[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[\w-]+))*)[ \t]*=)/gm;

/** The tables and keys of a TOML file that stand at the beginning of a line. */
function keysOfToml(text: string): { path: string[]; offset: number }[] {
  let table: string[] = [];
  return [...text.matchAll(tomlKey)].map(({ index, 1: indent, 2: header, 3: key }) => {
    const names = [...(header ?? key).matchAll(tomlName)].map(([, quoted, literal, bare]) => quoted ?? literal ?? bare);
    if (header) table = names;
    return { path: header ? names : [...table, ...names], offset: index + indent.length };
  });
}

const segmentsOf = (pointer: string): string[] =>
  pointer.startsWith('/')
    ? pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [];
