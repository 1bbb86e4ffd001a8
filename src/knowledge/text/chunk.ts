import type { Block, SourceLocation } from './block.js';

/**
 * The unit of search and citation: long enough to answer a question, short enough for a model to read ten at a time.
 */
export interface Chunk {
  heading: readonly string[];
  text: string;
  place: SourceLocation;
}

/**
 * In characters. A chunk ends after `enough`. Text never exceeds `text`; code and tables are not split up to `whole`.
 */
export interface ChunkSizes {
  enough: number;
  text: number;
  whole: number;
}

const defaultChunkSizes: ChunkSizes = { enough: 1100, text: 1800, whole: 6000 };

/** Joins adjacent blocks under the same headings and splits only blocks that are too large. */
export function chunkBlocks(blocks: readonly Block[], sizes: ChunkSizes = defaultChunkSizes): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Chunk | null = null;
  let last = '';
  for (const block of blocks.flatMap((whole) => splitBlock(whole, sizes))) {
    if (open && belongsToChunk(open, last, block, sizes)) {
      open.text += `\n\n${block.text}`;
      open.place = { ...open.place, to: block.place.to };
    } else {
      open = { heading: block.headings, text: block.text, place: { ...block.place } };
      chunks.push(open);
    }
    last = block.text;
  }
  return chunks;
}

function belongsToChunk(open: Chunk, last: string, block: Block, sizes: ChunkSizes): boolean {
  if (open.heading.join('\n') !== block.headings.join('\n') || open.place.unit !== block.place.unit) return false;
  if (open.place.unit === 'page' && open.place.to !== block.place.from) return false;
  const together = open.text.length + 2 + block.text.length;
  // "do this:" belongs to the code below it
  if (last.trimEnd().endsWith(':')) return together <= sizes.whole;
  return open.text.length < sizes.enough && together <= sizes.text;
}

function splitBlock(block: Block, sizes: ChunkSizes): Block[] {
  const limit = block.kind === 'text' ? sizes.text : sizes.whole;
  if (block.text.length <= limit) return [block];
  const lines = block.text.split('\n');
  const knowsLines = block.place.unit === 'line' && block.place.to - block.place.from + 1 === lines.length;
  const pieces: Block[] = [];
  let from = 0;
  let size = 0;
  const close = (to: number) => {
    const text = lines.slice(from, to).join('\n');
    const place = knowsLines
      ? { ...block.place, from: block.place.from + from, to: block.place.from + to - 1 }
      : block.place;
    pieces.push(...splitLine(text, limit).map((piece) => ({ ...block, text: piece, place })));
    from = to;
    size = 0;
  };
  lines.forEach((line, index) => {
    // code is split at a blank line after half the limit, other blocks where the next line would exceed it
    const atGap = block.kind === 'code' && !line.trim() && size > limit / 2;
    if (index > from && (atGap || size + 1 + line.length > limit)) close(index);
    size += (size ? 1 : 0) + line.length;
  });
  close(lines.length);
  return pieces.filter((piece) => piece.text.trim());
}

/** Splits a long line after a sentence, else after a word, else between two characters. */
function splitLine(line: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > limit) {
    const head = rest.slice(0, limit);
    const at =
      [head.search(/[.!?。][^.!?。]*$/) + 1, head.search(/\s\S*$/) + 1].find((end) => end > limit / 2) ?? limit;
    const end = isHighSurrogate(rest.charCodeAt(at - 1)) ? at - 1 : at;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
