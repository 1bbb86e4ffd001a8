import type { Passage } from '../passages.js';
import { terms } from './terms.js';
import { type Unit, units } from './units.js';

/** How well a passage answers a question, and by which of its sentences. */
export interface Evidence {
  passage: Passage;
  units: Unit[];
  features: Features;
}

export interface Features {
  /** Share of the question's informative terms found in the passage, weighted by rarity in the whole index (from the search). */
  coverage: number;
  /** The same share for the best sentence with the title and heading above it, weighted by rarity among the passages found. */
  sentence: number;
  /** Whether the sentence has what is asked for: a number for "how many", a time for "when". 1 where nothing special is asked. */
  form: number;
}

const quotedPerPassage = 2;

export function evidence(question: string, passages: readonly Passage[]): Evidence[] {
  const asked = [...terms(question)];
  const weigh = rarity(asked, passages);
  return passages.flatMap((passage) => {
    const context = terms(`${passage.title} ${passage.heading ?? ''}`);
    const scored = units(passage.text).map((unit) => {
      const own = terms(unit.text);
      const found = asked.filter((term) => own.has(term));
      const near = asked.filter((term) => !own.has(term) && context.has(term));
      return { unit, own: weigh(found), share: weigh([...found, ...near]), form: hasForm(question, unit.text) ? 1 : 0 };
    });
    const rank = (entry: (typeof scored)[number]) => entry.own + 0.5 * (entry.share - entry.own) + 0.25 * entry.form;
    const [best, ...others] = scored.toSorted((one, other) => rank(other) - rank(one));
    if (!best) return [];
    const beside = others.filter((entry) => rank(entry) >= 0.8 * rank(best)).slice(0, quotedPerPassage - 1);
    const quoted = new Set([best, ...beside]);
    return {
      passage,
      units: scored.filter((entry) => quoted.has(entry)).map(({ unit }) => unit),
      features: { coverage: passage.coverage, sentence: best.share, form: best.form },
    };
  });
}

/** A term in few of the passages says more than one in all of them; one in none says most. */
function rarity(asked: readonly string[], passages: readonly Passage[]) {
  const texts = passages.map((passage) => terms(`${passage.title} ${passage.heading ?? ''} ${passage.text}`));
  const weight = new Map(
    asked.map((term) => [term, Math.log(1 + texts.length / (0.5 + texts.filter((text) => text.has(term)).length))]),
  );
  const total = asked.reduce((sum, term) => sum + (weight.get(term) ?? 0), 0);
  return (found: readonly string[]) =>
    total ? found.reduce((sum, term) => sum + (weight.get(term) ?? 0), 0) / total : 0;
}

const number =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|hundred|once|twice|half|never|daily|weekly|monthly)\b/i;
const time =
  /\d|\b(mon|tues|wednes|thurs|fri|satur|sun)day|\b(january|february|march|april|may|june|july|august|september|october|november|december|morning|noon|midnight|daily|weekly|monthly|before|after|once|until|every)\b/i;
const forms: [RegExp, RegExp][] = [
  [
    /\bhow (many|much|long|often|far|old|big|large|heavy|high|fast|late|early)\b|\b(what|which) (size|number|percentage|amount|port|version|share|weight|speed)\b/i,
    number,
  ],
  [/\bwhen\b|\bwhat (time|day|date)\b|\bby when\b/i, time],
];

function hasForm(question: string, sentence: string): boolean {
  const asked = forms.find(([pattern]) => pattern.test(question));
  return !asked || asked[1].test(sentence);
}
