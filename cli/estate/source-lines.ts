import { parseTree, type Node } from 'jsonc-parser';
import { findDeclaredServers } from '../../src/estate/parsing/declared-servers.js';
import { readJsonc } from '../../src/estate/parsing/jsonc.js';
import type { KnownFile } from '../../src/estate/parsing/known-files.js';

export interface SourcePosition {
  line: number;
  column: number;
}

/** Finds the lines of JSON files. Other formats have no positions. */
export class SourceLines {
  private readonly places: ReadonlyMap<string, string>;
  private readonly root: Node | undefined;

  constructor(
    private readonly text: string,
    known: KnownFile,
  ) {
    const servers = known.format === 'json' ? findDeclaredServers(readJsonc(text), known).servers : [];
    this.places = new Map(servers.map(({ name, place }) => [name, place]));
    this.root = servers.length ? treeOf(text) : undefined;
  }

  /** The position of a JSON pointer inside a server, or of the closest position before it that is known. */
  positionOf(server: string, pointer: string): SourcePosition | null {
    const place = this.places.get(server);
    if (place === undefined || !this.root) return null;
    const { offset } = closestNode(this.root, [...segmentsOf(place), ...segmentsOf(pointer)]);
    const before = this.text.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: offset - lineStart + 1 };
  }
}

function treeOf(text: string): Node | undefined {
  try {
    return parseTree(text, [], { allowTrailingComma: true });
  } catch {
    return undefined; // nested more deeply than the stack
  }
}

/** The last of several properties with the same name is the one that clients use. */
function closestNode(root: Node, segments: readonly string[]): Node {
  let [node, position] = [root, root];
  for (const segment of segments) {
    if (node.type === 'object') {
      const property = node.children?.findLast(({ children }) => children?.[0].value === segment);
      if (!property?.children?.[1]) return position;
      position = property;
      node = property.children[1];
    } else {
      const item = node.type === 'array' ? node.children?.[Number(segment)] : undefined;
      if (!item) return position;
      node = position = item;
    }
  }
  return position;
}

const segmentsOf = (pointer: string): string[] =>
  pointer.startsWith('/')
    ? pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [];
