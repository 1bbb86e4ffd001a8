import { type Passage, type Quote } from '../passages.js';
import { evidence } from './evidence.js';
import { isKnown } from './threshold.js';
import type { Unit } from './units.js';

export interface Answer {
  text: string;
  quotes: Quote[];
}

const quotedPassages = 2;
/** A second passage is quoted only where it says about as much as the first. */
const asGood = 0.97;

/** The best sentences of the passages found, quoted and marked; null where none of them is good enough. */
export function answer(question: string, passages: readonly Passage[]): Answer | null {
  const known = evidence(question, passages)
    .filter(({ features }) => isKnown(features))
    .sort((one, other) => other.rank - one.rank || other.features.coverage - one.features.coverage);
  if (!known.length) return null;
  const chosen = known.filter(({ rank }) => rank >= asGood * known[0].rank).slice(0, quotedPassages);
  const quotes = chosen.map(({ passage, quoted }) => ({ passage, snippet: quoted.map(shown).join('\n') }));
  const lines = chosen.flatMap(({ quoted }, index) => quoted.map((unit) => `${shown(unit)} [${index + 1}]`));
  return { text: lines.join('\n'), quotes };
}

const shown = ({ text, head }: Unit) => (head && head !== text ? `${head}\n${text}` : text);
