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

/** Returns null for questions that do not ask for a value, such as "how many days". `confident` is sorted, best first. */
export function contradictionOf(question: string, confident: readonly Evidence[]): Contradiction | null {
  const [best, ...others] = confident;
  if (!best || !asksForValue(question)) return null;
  const questionTerms = [...terms(question)];
  const other = others.find(
    (candidate) =>
      candidate.passage.documentId !== best.passage.documentId &&
      candidate.features.form === 1 &&
      candidate.features.quoted >= minQuotedShare * best.features.quoted &&
      haveSameSubject(questionTerms, best, candidate) &&
      differInNumbers(questionTerms, best, candidate),
  );
  if (!other || best.features.form !== 1) return null;
  const changed = [best, other].map(({ passage }) => Date.parse(passage.updatedAt ?? ''));
  const isByDate = changed.every(Number.isFinite) && changed[0] !== changed[1];
  return { sources: isByDate && changed[1] > changed[0] ? [other, best] : [best, other], isByDate };
}

const asksForValue = (question: string) => answerFormOf(question).fits('') < 1;

const textOf = ({ quoted }: Evidence) => quoted.map(({ text }) => text).join('\n');

/** Whether both quote the same words of the question. Hotels in London and hotels in Paris are different subjects. */
function haveSameSubject(questionTerms: readonly string[], one: Evidence, other: Evidence): boolean {
  const [own, others] = [terms(textOf(one)), terms(textOf(other))];
  return questionTerms.every((term) => own.has(term) === others.has(term));
}

function differInNumbers(questionTerms: readonly string[], one: Evidence, other: Evidence): boolean {
  const [own, others] = [numbersIn(textOf(one), questionTerms), numbersIn(textOf(other), questionTerms)];
  return own.size > 0 && others.size > 0 && ![...own].some((number) => others.has(number));
}

/** Without the numbers of the question. */
const numbersIn = (text: string, questionTerms: readonly string[]): Set<string> =>
  new Set((text.match(/\d+(?:[.,:]\d+)*/g) ?? []).filter((number) => !questionTerms.includes(number)));
