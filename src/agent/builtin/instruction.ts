import { isMark, isWord, sentences, type InstructionToken, tokenizeInstruction } from './tokens.js';
import { isActionVerb } from './verbs.js';

/** The request in a text message. Only a `deed` can become a call, and only if a tool matches all of it. */
export type Instruction =
  | { kind: 'question' }
  | { kind: 'deed'; sentence: InstructionToken[] }
  | { kind: 'unclear'; why: string; sentence: InstructionToken[] };

const openings = [
  'hi', 'hello', 'hey', 'thanks', 'please', 'kindly', 'now', 'also', 'then', 'go ahead and', 'could you', 'would you', 'can you please',
  'will you please', 'i want you to', 'i would like you to', "i'd like you to", 'i need you to', 'we need you to', 'you should', 'let us', "let's",
].map((opening) => opening.split(' ')); // prettier-ignore
const ambiguousOpenings = ['can you', 'will you', 'are you able to'].map((opening) => opening.split(' '));
const conditions = new Set(['if', 'when', 'whenever', 'once', 'after', 'before', 'unless', 'until', 'should']);
const negations = ['do not', "don't", 'dont', 'never', 'avoid', 'stop'].map((words) => words.split(' '));
const wishes = [
  'i need',
  'we need',
  'i want',
  'we want',
  'i require',
  'we require',
  "i'd like",
  'i would like',
  'we would like',
  'there should be',
].map((words) => words.split(' '));
const knowledgeWords = new Set([
  'know',
  'understand',
  'learn',
  'find',
  'see',
  'hear',
  'ask',
  'information',
  'info',
  'help',
]);

/** In characters. Longer texts are not parsed, so no part of them can run. */
export const longestText = 20_000;

export function readInstruction(text: string): Instruction {
  if (text.length > longestText)
    return { kind: 'unclear', why: `The text of the message is longer than ${longestText} characters.`, sentence: [] };
  const list = sentences(tokenizeInstruction(text)).map(readSentence);
  const [first] = list;
  if (!first) return { kind: 'unclear', why: 'The message has no words.', sentence: [] };
  const action = list.find((sentence) => sentence.kind !== 'question');
  if (!action) return { kind: 'question' };
  if (list.length > 1) return { ...action, kind: 'unclear', why: 'The message asks for more than one thing.' };
  return action;
}

function readSentence(sentence: InstructionToken[]): Instruction {
  const { rest, isPolite, isMaybe } = withoutOpening(sentence);
  const [first] = rest;
  if (startsWithOneOf(rest, negations) && rest.some(isActionVerbToken))
    return { kind: 'unclear', why: 'The message says what not to do.', sentence: rest };
  if (first?.kind === 'word' && isActionVerb(first.lower)) {
    if (isMaybe) return { kind: 'unclear', why: 'The message may be a question or an instruction.', sentence: rest };
    if (isMark(rest.at(-1), '?') && !isPolite)
      return { kind: 'unclear', why: 'The message may be a question or an instruction.', sentence: rest };
    return { kind: 'deed', sentence: rest };
  }
  if (isQuestion(sentence) && !isPolite) return { kind: 'question' };
  if (isWord(first, conditions) && hasOrder(rest))
    return {
      kind: 'unclear',
      why: 'The message makes an action depend on a condition, which this agent cannot monitor.',
      sentence: rest,
    };
  if (hasFurtherOrder(rest))
    return { kind: 'unclear', why: 'The message asks for more than one thing.', sentence: rest };
  if (startsWithOneOf(rest, wishes) && !rest.some((token) => isWord(token, knowledgeWords)))
    return { kind: 'unclear', why: 'The message describes what is wanted, but not what to do.', sentence: rest };
  return { kind: 'question' };
}

function withoutOpening(sentence: InstructionToken[]) {
  let at = 0;
  let isPolite = false;
  let isMaybe = false;
  for (;;) {
    while (sentence[at]?.kind === 'mark') at++;
    const fits = (words: readonly string[]) => startsWith(sentence, words, at);
    const opening = openings.find(fits) ?? ambiguousOpenings.find(fits);
    if (!opening || at + opening.length >= sentence.length) return { rest: sentence.slice(at), isPolite, isMaybe };
    isPolite ||= opening.length > 1 || opening[0] === 'please';
    isMaybe ||= ambiguousOpenings.includes(opening);
    at += opening.length;
  }
}

const isQuestion = (sentence: readonly InstructionToken[]) => isMark(sentence.at(-1), '?');
const isActionVerbToken = (token: InstructionToken | undefined) => token?.kind === 'word' && isActionVerb(token.lower);

/** `if it fails, post …` */
const hasOrder = (list: readonly InstructionToken[]) =>
  list.some(
    (token, index) =>
      isActionVerbToken(token) && (isMark(list[index - 1], ',:') || isWord(list[index - 1], conjunctions)),
  );

/** `look it up and post it`; but `explain how to stop and restart a dock` is a question. */
const hasFurtherOrder = (list: readonly InstructionToken[]) => {
  const asks = list.some((token) => isWord(token, questionWords));
  return list.some(
    (token, index) =>
      index > 0 &&
      isActionVerbToken(token) &&
      isWord(list[index - 1], conjunctions) &&
      (!asks || isWord(list[index + 1], pronouns)),
  );
};

const conjunctions = new Set(['and', 'then', 'please', 'also']);
const questionWords = new Set(
  'how what why where who which when explain describe summarise summarize tell define'.split(' '),
);
const pronouns = new Set('it this that them these those'.split(' '));

const startsWith = (list: readonly InstructionToken[], words: readonly string[], from = 0) =>
  words.every((word, index) => {
    const token = list[from + index];
    return token?.kind === 'word' && token.lower === word;
  });
const startsWithOneOf = (list: readonly InstructionToken[], options: readonly string[][]) =>
  options.some((words) => startsWith(list, words));
