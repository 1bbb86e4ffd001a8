import { z } from 'zod';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { Part } from './agent-model.port.js';
import type { AnsweredCall } from './conversation.js';
import { truncate } from '../platform/text/truncate.js';

export const searchTool = 'knowledge__search';
export const readTool = 'knowledge__read';

const passage = z.object({
  documentId: z.string(),
  chunkId: z.string(),
  title: z.string(),
  url: z.string().nullish(),
  source: z.string(),
  kind: z.string(),
  position: z.union([z.string(), z.number()]).nullish(),
  heading: z.string().nullish(),
  author: z.string().nullish(),
  container: z.string().nullish(),
  updatedAt: z.string().nullish(),
  snippet: z.string(),
  text: z.string(),
  coverage: z.number(),
  retrievedAt: z.string(),
});
/** `linked`: documents that the passages name. Earlier transcripts have none. */
const searchResult = z.object({
  passages: z.array(passage),
  linked: z.array(passage).default([]),
  sources: z.number(),
});
const readResult = passage.pick({
  documentId: true,
  title: true,
  url: true,
  source: true,
  kind: true,
  position: true,
  author: true,
  container: true,
  updatedAt: true,
  text: true,
  retrievedAt: true,
});

export type RetrievedPassage = z.infer<typeof passage>;
/** A citable passage: from a search, or read from a document. */
export type Citable = Omit<RetrievedPassage, 'coverage'>;

/** A passage with the snippet to show as evidence. */
export interface Quote {
  passage: Citable;
  snippet: string;
}

/** The results of a search, best first, and then linked documents. Null: the call is not a search or did not succeed. */
export function searchResultOf(call: AnsweredCall): { passages: RetrievedPassage[]; sources: number } | null {
  const structured = structuredOf(call, searchTool);
  if (structured === undefined) return null;
  const { passages, linked, sources } = searchResult.parse(structured);
  return { passages: [...passages, ...linked], sources };
}

/** Null: the call does not read a document or did not succeed. */
function documentReadOf(call: AnsweredCall): Citable | null {
  const structured = structuredOf(call, readTool);
  if (structured === undefined) return null;
  const reading = readResult.parse(structured);
  const snippet = reading.text.length > snippetLength ? `${truncate(reading.text, snippetLength)} …` : reading.text;
  return { ...reading, chunkId: `${reading.documentId} ${reading.position ?? ''}`, snippet };
}

const snippetLength = 300;

const structuredOf = ({ tool, outcome }: AnsweredCall, name: string) =>
  tool === name && outcome.state === 'succeeded' ? outcome.result?.structured : undefined;

export function citablesOf(call: AnsweredCall): Citable[] {
  const reading = documentReadOf(call);
  return reading ? [reading] : (searchResultOf(call)?.passages ?? []);
}

/** All distinct citable passages of the task. A language model cites a passage by its position in this list, from 1. */
export function listCitables(calls: readonly AnsweredCall[]): Citable[] {
  const byChunk = new Map<string, Citable>();
  for (const found of calls.flatMap(citablesOf)) if (!byChunk.has(found.chunkId)) byChunk.set(found.chunkId, found);
  return [...byChunk.values()];
}

export function citationsPart(quotes: readonly Quote[]): Part {
  const citations = quotes.map(({ passage, snippet }, index) => {
    const { title, url, source, kind, author, container, position, heading, updatedAt, retrievedAt } = passage;
    return {
      n: index + 1,
      title,
      url: url ?? null,
      source,
      kind,
      snippet,
      author: author ?? null,
      container: container ?? null,
      heading: heading ?? null,
      position: position ?? null,
      updatedAt: updatedAt ?? null,
      retrievedAt,
    };
  });
  return { data: { kind: 'citations', citations } satisfies JsonValue };
}
