import { type Passage, type Quote } from '../passages.js';
import { evidence } from './evidence.js';
import { confidence, isKnown } from './threshold.js';

export interface Answer {
  text: string;
  quotes: Quote[];
}

const quotedPassages = 2;
/** A second passage is quoted only where it is about as good as the first. */
const asGood = 0.85;

/** The best sentences of the passages found, quoted and marked; null where none of them is good enough. */
export function answer(question: string, passages: readonly Passage[]): Answer | null {
  const known = evidence(question, passages)
    .filter(({ features }) => isKnown(features))
    .map((entry) => ({ ...entry, confidence: confidence(entry.features) }))
    .sort((one, other) => other.confidence - one.confidence);
  if (!known.length) return null;
  const chosen = known.filter((entry) => entry.confidence >= asGood * known[0].confidence).slice(0, quotedPassages);
  const quotes = chosen.map(({ passage, units }) => ({ passage, snippet: units.map(({ text }) => text).join(' … ') }));
  const text = chosen
    .map(({ units }, index) => units.map((unit) => `${unit.text} [${index + 1}]`).join('\n'))
    .join('\n');
  return { text, quotes };
}
