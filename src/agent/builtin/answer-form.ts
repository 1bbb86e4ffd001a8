import { terms } from './terms.js';

/** The kind of answer that a question asks for, if it is recognizable in a sentence. */
export interface AnswerForm {
  /** 1: the text has this form; 0.5: a similar form; 0: another form. Always 1 if the question asks for no special form. */
  fits(text: string): number;
  isDefinition: boolean;
}

const numeral =
  '(?:\\d[\\d.,]*|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|half)';
const number = new RegExp(`\\d|\\b${numeral.replace('|a|an', '')}\\b`, 'i');
const duration = new RegExp(
  `\\b${numeral}[\\s-]+(?:\\w+\\s)?(?:second|minute|hour|day|week|month|quarter|year)s?\\b|\\bonce\\b`,
  'i',
);
const frequency =
  /\b(every|each|daily|weekly|monthly|yearly|twice|once|per|a (day|week|month|year))\b|\bat (most|least)\b/i;
const money = /\d\s?(EUR|USD|GBP|€|\$|£|%)|[€$£]\s?\d|\bfree\b|without charge/i;
const time =
  /\d{1,2}[:.]\d{2}|\b\d{4}\b|\b(mon|tues|wednes|thurs|fri|satur|sun)day|\b(january|february|march|april|may|june|july|august|september|october|november|december)\b|\b(morning|noon|midnight|night|before|after|until|when|once|above|below)\b/i;

const anyForm: AnswerForm = { fits: () => 1, isDefinition: false };
const orNumber = (pattern: RegExp): AnswerForm => ({
  fits: (text) => (pattern.test(text) ? 1 : number.test(text) ? 0.5 : 0),
  isDefinition: false,
});

export function answerFormOf(question: string): AnswerForm {
  const counted = /\bhow many (?:[\w-]+ )?([\w-]+)/i.exec(question);
  if (counted)
    return {
      fits: (text) => (mentionsCountOf(text, counted[0]) ? 1 : number.test(text) ? 0.5 : 0),
      isDefinition: false,
    };
  if (
    /\bhow (long|old|quick|quickly|soon|late|early)\b|\b(within|after|what) (which|what|how much)? ?time\b/i.test(
      question,
    )
  )
    return orNumber(duration);
  if (/\bhow often\b|\bhow many times\b/i.test(question)) return orNumber(frequency);
  if (/\bhow much\b|\bwhat does .* (cost|earn)\b/i.test(question)) return orNumber(money);
  if (
    /\bhow (far|big|large|heavy|high|fast|deep|wide|tall)\b|\b(what|which) (size|number|percentage|amount|port|version|share|weight|speed)\b/i.test(
      question,
    )
  )
    return orNumber(number);
  if (/\bwhen\b|\b(what|which) (day|date)\b/i.test(question)) return orNumber(time);
  return /^\W*what('s| is| are)\b/i.test(question) ? { ...anyForm, isDefinition: true } : anyForm;
}

/** `30 days of vacation` counts days; `on the third day` does not. */
function mentionsCountOf(text: string, question: string): boolean {
  const questionTerms = terms(question);
  const near = new RegExp(`\\b${numeral}\\b[\\s%-]*((?:[\\p{L}\\p{N}-]+\\W+){0,2}[\\p{L}\\p{N}-]+)`, 'giu');
  for (const [, words] of text.matchAll(near))
    if ([...terms(words)].some((term) => questionTerms.has(term))) return true;
  return false;
}
