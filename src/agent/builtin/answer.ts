import { type RetrievedPassage, type Quote } from '../passages.js';
import { evidence } from './evidence.js';
import { isConfident } from './threshold.js';
import type { PassageUnit } from './units.js';

export interface QuotedAnswer {
  text: string;
  quotes: Quote[];
}

const maxQuotedPassages = 2;
/** A second passage is quoted only where it says about as much as the first. */
const minRelativeRank = 0.97;

/** The best sentences of the passages found, quoted and marked; null where none of them is good enough. */
export function answerFromPassages(question: string, passages: readonly RetrievedPassage[]): QuotedAnswer | null {
  const known = evidence(question, passages)
    .filter(({ features }) => isConfident(features))
    .sort((one, other) => other.rank - one.rank || other.features.coverage - one.features.coverage);
  if (!known.length) return null;
  const chosen = known.filter(({ rank }) => rank >= minRelativeRank * known[0].rank).slice(0, maxQuotedPassages);
  const quotes = chosen.map(({ passage, quoted }) => ({ passage, snippet: quoted.map(unitText).join('\n') }));
  const lines = chosen.flatMap(({ quoted }, index) => quoted.map((unit) => `${unitText(unit)} [${index + 1}]`));
  return { text: lines.join('\n'), quotes };
}

const unitText = ({ text, head }: PassageUnit) => (head && head !== text ? `${head}\n${text}` : text);
