import type { Tx } from '../platform/database/tx.js';
import type { DocumentKind } from './document.entity.js';
import { referencesIn, type DocumentReference } from './document-references.js';
import type { ParsedQuery } from './parse-query.js';
import type { CorpusStatistics } from './rank.js';
import { matchOf, type RankedPassage } from './ranking.js';
import {
  findReferencedDocuments,
  readFirstPassages,
  type FilterParams,
  type ReaderParams,
  type TermMatchRow,
} from './search.sql.js';
import { authority, freshness } from './signals.js';

/** A passage of a document that another passage names. */
export interface LinkedRankedPassage extends RankedPassage {
  /** The passage that names the document. */
  namedBy: string;
}

interface NamedDocument {
  reference: DocumentReference;
  namedBy: string;
}

const maxLinkedDocuments = 3;
const maxReferences = 60;
/** A ticket key can exist in several systems. */
const maxReferencedDocuments = 60;
/** The passages of a linked document from which the best one is chosen. */
const comparedPassages = 20;

/** The documents that the passages name, in rank order. Empty for most searches, which then need no query. */
export function namedDocuments(passages: readonly RankedPassage[]): NamedDocument[] {
  const named = passages.flatMap(({ row }) =>
    referencesIn(row).map((reference) => ({ reference, namedBy: row.chunk_id })),
  );
  return named.slice(0, maxReferences);
}

/** The passage of each linked document that matches the query best, or the first one if none does. */
export async function readLinkedPassages(
  tx: Tx,
  scope: ReaderParams,
  filter: readonly [kind: DocumentKind | null, ...FilterParams],
  named: readonly NamedDocument[],
  passages: readonly RankedPassage[],
  parsed: ParsedQuery,
  corpus: CorpusStatistics,
): Promise<LinkedRankedPassage[]> {
  const keys = named.flatMap(({ reference }) => ('key' in reference ? reference.key : []));
  const urls = named.flatMap(({ reference }) => ('urls' in reference ? reference.urls : []));
  const found = await tx.run(findReferencedDocuments, [...scope, keys, urls, maxReferencedDocuments, ...filter]);
  const shown = new Set(passages.flatMap(({ row, duplicates }) => [row, ...duplicates].map((one) => one.document_id)));
  const linked = new Map<string, string>();
  for (const { reference, namedBy } of named)
    for (const { id, ticket_key: key, url } of found) {
      const isNamed = 'key' in reference ? reference.key === key : url !== null && reference.urls.includes(url);
      if (isNamed && !shown.has(id) && !linked.has(id) && linked.size < maxLinkedDocuments) linked.set(id, namedBy);
    }
  if (!linked.size) return [];
  const rows = await tx.run(readFirstPassages, [...scope, [...linked.keys()], parsed.terms, comparedPassages]);
  const byDocument = Map.groupBy(rows, ({ document_id: id }) => id);
  return [...linked].flatMap(([id, namedBy]) => {
    const best = bestOf(byDocument.get(id) ?? [], parsed, corpus);
    return best ? [{ ...best, namedBy }] : [];
  });
}

function bestOf(rows: readonly TermMatchRow[], parsed: ParsedQuery, corpus: CorpusStatistics): RankedPassage | null {
  const scored = rows.map(({ weights, length, ...row }) => {
    const matches = { weights: new Map(Object.entries(weights ?? {})), length: length ?? 0 };
    const found = { ...row, score: null, matches, similarity: null };
    return { row: found, ...matchOf(found, parsed, corpus) };
  });
  const [best] = scored.sort((one, other) => other.covered - one.covered || one.row.number - other.row.number);
  if (!best) return null;
  const signals = {
    freshness: freshness(best.row.updated_at, Date.now()),
    authority: authority({ ...best.row, externalId: best.row.external_id }),
  };
  return { ...best, ...signals, relevance: best.covered * signals.freshness * signals.authority, duplicates: [] };
}
