import type { RetrievedPassage } from '../passages.js';
import { answerFormOf } from './answer-form.js';
import { terms } from './terms.js';
import { type PassageUnit, splitIntoUnits } from './units.js';

/** How well a passage answers a question, and with which sentences. */
export interface Evidence {
  passage: RetrievedPassage;
  /** In passage order. */
  quoted: PassageUnit[];
  /** Orders passages relative to each other. Does not tell whether a passage answers the question. */
  rank: number;
  features: Features;
}

export interface Features {
  /** Share of the question's informative terms found in the passage, weighted by rarity in the whole index (from the search). */
  coverage: number;
  /**
   * The share found in the quoted units, weighted by rarity among the retrieved passages. A term that is only in the title,
   * the heading or the table head counts half.
   */
  quoted: number;
  /** How well the sentence has the requested form, such as a number of days for "how many days". */
  form: number;
}

interface ScoredUnit {
  unit: PassageUnit;
  rank: number;
}

const contextWeight = 0.5;
const formWeight = 0.25;
const definitionWeight = 0.25;
/** A second unit is quoted if its rank is close to the best. For an adjacent unit, a lower share is enough. */
const minRankShare = 0.8;
const minNeighborRankShare = 0.4;

export function evidence(question: string, passages: readonly RetrievedPassage[]): Evidence[] {
  const asked = [...terms(question)];
  const weigh = rarityWeights(asked, passages);
  const form = answerFormOf(question);
  return passages.flatMap((passage) => {
    const above = `${passage.title} ${passage.heading ?? ''}`;
    const shareOf = (list: readonly PassageUnit[]) => {
      const own = terms(list.map(({ text }) => text).join('\n'));
      const context = terms([above, ...list.flatMap(({ head }) => head ?? [])].join('\n'));
      const near = asked.filter((term) => !own.has(term) && context.has(term));
      return weigh(asked.filter((term) => own.has(term))) + contextWeight * weigh(near);
    };
    const formOfAll = (list: readonly PassageUnit[]) => Math.max(...list.map(({ text }) => form.fits(text)));
    const scored = splitIntoUnits(passage.text).map((unit): ScoredUnit => {
      const meaning = form.isDefinition ? definitionWeight * definitionScore(unit.text, asked) : 0;
      return { unit, rank: shareOf([unit]) + formWeight * form.fits(unit.text) + meaning };
    });
    const best = scored.reduce<ScoredUnit | null>((top, entry) => (top && top.rank >= entry.rank ? top : entry), null);
    if (!best) return [];
    const chosen = selectQuotedUnits(scored, best);
    const features = { coverage: passage.coverage, quoted: shareOf(chosen), form: formOfAll(chosen) };
    return { passage, quoted: chosen, rank: best.rank, features };
  });
}

function selectQuotedUnits(scored: readonly ScoredUnit[], best: ScoredUnit): PassageUnit[] {
  const at = scored.indexOf(best);
  const [beside] = scored
    .map((entry, index) => ({ entry, isNext: Math.abs(index - at) === 1 }))
    .filter(
      ({ entry, isNext }) => entry !== best && entry.rank >= best.rank * (isNext ? minNeighborRankShare : minRankShare),
    )
    .sort((one, other) => other.entry.rank - one.entry.rank);
  return scored.filter((entry) => entry === best || entry === beside?.entry).map(({ unit }) => unit);
}

/** The best answer to `What is a Burrow?` is a sentence or table row that starts with the term and defines it. */
function definitionScore(text: string, asked: readonly string[]): number {
  const opening = text.split(/\s+/).slice(0, 5).join(' ');
  const [first] = terms(opening);
  if (first === undefined || first !== asked[0]) return 0;
  return /\S\s*(\||:|[—–=]|\b(is|are|means)\b)/.test(opening) ? 1 : 0.5;
}

/** The fewer passages contain a term, the higher its weight. */
function rarityWeights(asked: readonly string[], passages: readonly RetrievedPassage[]) {
  const texts = passages.map((passage) => terms(`${passage.title} ${passage.heading ?? ''} ${passage.text}`));
  const weightOf = (term: string) => Math.log(1 + texts.length / (0.5 + texts.filter((text) => text.has(term)).length));
  const weight = new Map(asked.map((term) => [term, weightOf(term)]));
  const sum = (list: readonly string[]) => list.reduce((total, term) => total + (weight.get(term) ?? 0), 0);
  const all = sum(asked);
  return (found: readonly string[]) => (all ? sum(found) / all : 0);
}
