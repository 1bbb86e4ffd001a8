import type { Passage } from '../passages.js';
import { formOf } from './form.js';
import { terms } from './terms.js';
import { type Unit, units } from './units.js';

/** How well a passage answers a question, and by which of its sentences. */
export interface Evidence {
  passage: Passage;
  /** In the order of the passage. */
  quoted: Unit[];
  /** Which of several known passages to prefer; says nothing about whether any of them answers. */
  rank: number;
  features: Features;
}

export interface Features {
  /** Share of the question's informative terms found in the passage, weighted by rarity in the whole index (from the search). */
  coverage: number;
  /**
   * The share found in what would be quoted, weighted by rarity among the passages found; a term that only the title, the
   * heading or the head of the table has counts half.
   */
  quoted: number;
  /** How well the sentence has the form of what is asked for: a number of days for "how many days". */
  form: number;
}

interface Scored {
  unit: Unit;
  rank: number;
}

const contextWorth = 0.5;
const formWorth = 0.25;
const definitionWorth = 0.25;
/** Another sentence is quoted beside the best one when it says about as much, or when it is next to it and says half as much. */
const asGood = 0.8;
const asNeighbour = 0.4;

export function evidence(question: string, passages: readonly Passage[]): Evidence[] {
  const asked = [...terms(question)];
  const weigh = rarity(asked, passages);
  const form = formOf(question);
  return passages.flatMap((passage) => {
    const above = `${passage.title} ${passage.heading ?? ''}`;
    const shareOf = (list: readonly Unit[]) => {
      const own = terms(list.map(({ text }) => text).join('\n'));
      const context = terms([above, ...list.flatMap(({ head }) => head ?? [])].join('\n'));
      const near = asked.filter((term) => !own.has(term) && context.has(term));
      return weigh(asked.filter((term) => own.has(term))) + contextWorth * weigh(near);
    };
    const formOfAll = (list: readonly Unit[]) => Math.max(...list.map(({ text }) => form.fits(text)));
    const scored = units(passage.text).map((unit): Scored => {
      const meaning = form.isDefinition ? definitionWorth * defines(unit.text, asked) : 0;
      return { unit, rank: shareOf([unit]) + formWorth * form.fits(unit.text) + meaning };
    });
    const best = scored.reduce<Scored | null>((top, entry) => (top && top.rank >= entry.rank ? top : entry), null);
    if (!best) return [];
    const chosen = quoted(scored, best);
    const features = { coverage: passage.coverage, quoted: shareOf(chosen), form: formOfAll(chosen) };
    return { passage, quoted: chosen, rank: best.rank, features };
  });
}

function quoted(scored: readonly Scored[], best: Scored): Unit[] {
  const at = scored.indexOf(best);
  const [beside] = scored
    .map((entry, index) => ({ entry, isNext: Math.abs(index - at) === 1 }))
    .filter(({ entry, isNext }) => entry !== best && entry.rank >= best.rank * (isNext ? asNeighbour : asGood))
    .sort((one, other) => other.entry.rank - one.entry.rank);
  return scored.filter((entry) => entry === best || entry === beside?.entry).map(({ unit }) => unit);
}

/** `What is a Burrow?` is answered best where a sentence, or the row of a table, begins with it and says what it is. */
function defines(text: string, asked: readonly string[]): number {
  const opening = text.split(/\s+/).slice(0, 5).join(' ');
  const [first] = terms(opening);
  if (first === undefined || first !== asked[0]) return 0;
  return /\S\s*(\||:|[—–=]|\b(is|are|means)\b)/.test(opening) ? 1 : 0.5;
}

/** A term in few of the passages says more than one in all of them; one in none says most. */
function rarity(asked: readonly string[], passages: readonly Passage[]) {
  const texts = passages.map((passage) => terms(`${passage.title} ${passage.heading ?? ''} ${passage.text}`));
  const weightOf = (term: string) => Math.log(1 + texts.length / (0.5 + texts.filter((text) => text.has(term)).length));
  const weight = new Map(asked.map((term) => [term, weightOf(term)]));
  const sum = (list: readonly string[]) => list.reduce((total, term) => total + (weight.get(term) ?? 0), 0);
  const all = sum(asked);
  return (found: readonly string[]) => (all ? sum(found) / all : 0);
}
