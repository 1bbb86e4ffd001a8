import { z } from 'zod';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { Part } from './agent-model.service.js';
import type { AnsweredCall } from './conversation.js';

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
  snippet: z.string(),
  text: z.string(),
  coverage: z.number(),
  retrievedAt: z.string(),
});
const searchResult = z.object({ passages: z.array(passage), sources: z.number() });

export type Passage = z.infer<typeof passage>;

/** A passage with what is to be shown of it as evidence. */
export interface Quote {
  passage: Passage;
  snippet: string;
}

/** What a search brought, best first; null where the call was none or did not succeed. */
export function searchResultOf(call: AnsweredCall): { passages: Passage[]; sources: number } | null {
  if (call.tool !== searchTool || call.outcome.state !== 'succeeded') return null;
  const read = searchResult.safeParse(call.outcome.result?.structured);
  return read.success ? read.data : null;
}

/** Every passage retrieved in the task, each once; its place in the list is the number a language model cites it by. */
export function retrievedPassages(calls: readonly AnsweredCall[]): Passage[] {
  const byChunk = new Map<string, Passage>();
  for (const call of calls)
    for (const found of searchResultOf(call)?.passages ?? [])
      if (!byChunk.has(found.chunkId)) byChunk.set(found.chunkId, found);
  return [...byChunk.values()];
}

export function citationsPart(quotes: readonly Quote[]): Part {
  const citations = quotes.map(
    ({ passage: { title, url, source, kind, position, heading, retrievedAt }, snippet }, index) => ({
      n: index + 1,
      title,
      url: url ?? null,
      source,
      kind,
      snippet,
      heading: heading ?? null,
      position: position ?? null,
      retrievedAt,
    }),
  );
  return { data: { kind: 'citations', citations } satisfies JsonValue };
}
