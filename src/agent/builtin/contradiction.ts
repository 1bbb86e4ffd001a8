import { answerFormOf } from './answer-form.js';
import type { Evidence } from './evidence.js';
import { terms } from './terms.js';

/** Two documents that answer a question with different numbers. */
export interface Contradiction {
  sources: [Evidence, Evidence];
  /** The source that changed last comes first. Otherwise a date is unknown, and the better passage comes first. */
  isByDate: boolean;
}

/** The other source quotes nearly as many words of the question. */
const minQuotedShare = 0.9;

/** `confident`: best first. Only for questions that ask for a value, such as "how many days". */
export function contradictionOf(question: string, confident: readonly Evidence[]): Contradiction | null {
  const [best, ...others] = confident;
  if (!best || !asksForValue(question)) return null;
  const asked = [...terms(question)];
  const other = others.find(
    (candidate) =>
      candidate.passage.documentId !== best.passage.documentId &&
      candidate.features.form === 1 &&
      candidate.features.quoted >= minQuotedShare * best.features.quoted &&
      haveSameSubject(asked, best, candidate) &&
      differInNumbers(asked, best, candidate),
  );
  if (!other || best.features.form !== 1) return null;
  const changed = [best, other].map(({ passage }) => Date.parse(passage.updatedAt ?? ''));
  const isByDate = changed.every(Number.isFinite) && changed[0] !== changed[1];
  return { sources: isByDate && changed[1] > changed[0] ? [other, best] : [best, other], isByDate };
}

const asksForValue = (question: string) => answerFormOf(question).fits('') < 1;

const textOf = ({ quoted }: Evidence) => quoted.map(({ text }) => text).join('\n');

/** Both quote the same words of the question: the hotels of London are not those of Paris. */
function haveSameSubject(asked: readonly string[], one: Evidence, other: Evidence): boolean {
  const [own, others] = [terms(textOf(one)), terms(textOf(other))];
  return asked.every((term) => own.has(term) === others.has(term));
}

function differInNumbers(asked: readonly string[], one: Evidence, other: Evidence): boolean {
  const [own, others] = [numbersIn(textOf(one), asked), numbersIn(textOf(other), asked)];
  return own.size > 0 && others.size > 0 && ![...own].some((number) => others.has(number));
}

/** Without the numbers of the question. */
const numbersIn = (text: string, asked: readonly string[]): Set<string> =>
  new Set((text.match(/\d+(?:[.,:]\d+)*/g) ?? []).filter((number) => !asked.includes(number)));
