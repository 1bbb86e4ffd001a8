import { readFileSync } from 'node:fs';

/*
 * Evaluates search on a mixed corpus of code, tickets, messages and documents with permissions. The expected documents
 * of each question were written down before the first run.
 */

export interface CorpusDocument {
  id: string;
  kind: 'code' | 'ticket' | 'message' | 'doc';
  container: string;
  author: string;
  /** Names of groups. Null: everyone. */
  groups: string[] | null;
  title?: string;
  updatedAt?: string;
  text: string;
}

export type QuestionKind = 'words' | 'identifier' | 'language' | 'paraphrase' | 'hidden';

export interface CorpusQuestion {
  /** `hidden`: the answer is in a document that the reader may not read. */
  kind: QuestionKind;
  /** The groups of the reader. */
  as: string[];
  question: string;
  /** Ids of the documents with the answer. */
  finds: string[];
}

/** Returns the ids of the documents found, best first. */
export type SearchDocuments = (question: string, groups: string[]) => Promise<string[]>;

export interface RetrievalFigures {
  kind: QuestionKind | 'all';
  questions: number;
  /** Normalized discounted cumulative gain of the first ten documents. */
  ndcg: number;
  /** Share of the questions whose first document has the answer. */
  first: number;
  /** The same for the first three. */
  firstThree: number;
}

export interface RetrievalResult {
  figures: RetrievalFigures[];
  /** The number of documents found by all questions. */
  found: number;
  /** Documents that a reader found without the right to read them. */
  leaks: string[];
  missed: { question: string; finds: string[]; found: string[] }[];
}

const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;
export const corpus = () => read<CorpusDocument[]>('mixed-corpus.json');
export const corpusQuestions = () => read<CorpusQuestion[]>('mixed-questions.json');

const depth = 10;

export async function evaluateRetrieval(search: SearchDocuments): Promise<RetrievalResult> {
  const groupsOf = new Map(corpus().map(({ id, groups }) => [id, groups]));
  const judged = [];
  for (const entry of corpusQuestions()) {
    const found = [...new Set(await search(entry.question, entry.as))].slice(0, depth);
    judged.push({ ...entry, found });
  }
  const mayRead = (id: string, as: readonly string[]) => groupsOf.get(id)?.some((group) => as.includes(group)) ?? true;
  const answerable = judged.filter(({ finds }) => finds.length);
  const kinds = [...new Set(answerable.map(({ kind }) => kind))];
  return {
    figures: [
      ...kinds.map((kind) =>
        figuresOf(
          kind,
          answerable.filter((entry) => entry.kind === kind),
        ),
      ),
      figuresOf('all', answerable),
    ],
    found: judged.reduce((sum, { found }) => sum + found.length, 0),
    leaks: judged.flatMap(({ question, as, found }) =>
      found.filter((id) => !mayRead(id, as)).map((id) => `${question}: ${id}`),
    ),
    missed: answerable.filter(({ finds, found }) => !found.slice(0, 3).some((id) => finds.includes(id))),
  };
}

interface Judged {
  finds: string[];
  found: string[];
}

function figuresOf(kind: RetrievalFigures['kind'], entries: readonly Judged[]): RetrievalFigures {
  const mean = (value: (entry: Judged) => number) =>
    entries.reduce((sum, entry) => sum + value(entry), 0) / entries.length;
  const isAmong = (most: number) => (entry: Judged) =>
    entry.found.slice(0, most).some((id) => entry.finds.includes(id)) ? 1 : 0;
  return { kind, questions: entries.length, ndcg: mean(ndcg), first: mean(isAmong(1)), firstThree: mean(isAmong(3)) };
}

function ndcg({ finds, found }: Judged): number {
  const gain = (position: number) => 1 / Math.log2(position + 2);
  const reached = found.reduce((sum, id, position) => sum + (finds.includes(id) ? gain(position) : 0), 0);
  const best = finds.slice(0, depth).reduce((sum, _, position) => sum + gain(position), 0);
  return reached / best;
}
