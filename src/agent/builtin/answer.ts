import { type RetrievedPassage, type Quote } from '../passages.js';
import { contradictionOf, type Contradiction } from './contradiction.js';
import { evidence } from './evidence.js';
import { isConfident } from './threshold.js';
import type { PassageUnit } from './units.js';

export interface QuotedAnswer {
  text: string;
  quotes: Quote[];
}

const maxQuotedPassages = 2;
/** A second passage is quoted only if it ranks almost as high as the first. */
const minRelativeRank = 0.97;

/** Quotes the best sentences of the passages with citation marks. Null if no passage is good enough. */
export function answerFromPassages(question: string, passages: readonly RetrievedPassage[]): QuotedAnswer | null {
  const confident = evidence(question, passages)
    .filter(({ features }) => isConfident(features))
    .sort((one, other) => other.rank - one.rank || other.features.coverage - one.features.coverage);
  if (!confident.length) return null;
  const contradiction = contradictionOf(question, confident);
  const chosen =
    contradiction?.sources ??
    confident.filter(({ rank }) => rank >= minRelativeRank * confident[0].rank).slice(0, maxQuotedPassages);
  const quotes = chosen.map(({ passage, quoted }) => ({ passage, snippet: quoted.map(unitText).join('\n') }));
  const lines = chosen.flatMap(({ quoted }, index) => quoted.map((unit) => `${unitText(unit)} [${index + 1}]`));
  return { text: [...noteOf(contradiction), ...lines].join('\n'), quotes };
}

const noteOf = (contradiction: Contradiction | null): string[] =>
  contradiction
    ? [contradiction.isByDate ? 'The sources differ. The one that changed last comes first.' : 'The sources differ.']
    : [];

const unitText = ({ text, head }: PassageUnit) => (head && head !== text ? `${head}\n${text}` : text);
