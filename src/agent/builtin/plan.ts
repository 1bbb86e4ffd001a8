import type { CallRequest, ListedTool, TurnEnd, TurnInput } from '../agent-model.service.js';
import type { Exchange } from '../conversation.js';
import { searchTool } from '../passages.js';
import { type ExactCalls, exactCalls, unfilled } from './exact-call.js';
import { longestText, readInstruction } from './instruction.js';
import { candidates, type Candidate } from './match.js';
import { ask, asking, unmatched, why } from './question.js';
import { isMark, sentences, type Token, tokens } from './tokens.js';
import { toolWords } from './tool-words.js';
import { meanings } from './verbs.js';

export type Plan = { calls: Omit<CallRequest, 'ref'>[] } | TurnEnd;

/** More would be noise in a search. */
const longestQuery = 1000;
const passagesWanted = 10;
const mostQuestions = 5;

/** What to do about one message: calls, or a question back. */
export async function plan(exchange: Exchange, tools: TurnInput['tools']): Promise<Plan> {
  const exact = exactCalls(exchange.parts);
  const objection = objectionTo(exact);
  if (objection) return asking(objection.reason, await tools(), objection.missing);
  if (exact.calls.length) return { calls: exact.calls };
  return planWords(exact.beside, exchange, await tools());
}

/** Why what was spelled out, or was meant to be, is not run. */
function objectionTo({ calls, beside, problem }: ExactCalls): { reason: string; missing?: string[] } | null {
  if (problem) return { reason: `${problem} Nothing was done.` };
  const missing = calls.flatMap(unfilled);
  if (missing.length) return { reason: `Fill in ${missing.join(', ')} first; nothing was done.`, missing };
  if (!calls.length) return beside ? null : { reason: 'The message holds no text and no call.' };
  if (!beside || calls.every(({ tool }) => says(beside, tool))) return null;
  const alone = calls.map((call) => `${call.tool}: ${call.arguments}`).join('\n');
  return {
    reason: `An exact call runs only by itself or beside words that ask for it; nothing was done. To run it, send it alone:\n${alone}`,
  };
}

/** `Please file this ticket:` may stand beside a call that creates one; `what would this do?` may not. */
function says(beside: string, tool: string): boolean {
  const instruction = readInstruction(beside);
  if (instruction.kind !== 'deed') return false;
  const [verb] = instruction.sentence;
  const asked = verb?.kind === 'word' ? meanings(verb.lower) : [];
  return asked.includes('start') || asked.some((meaning) => toolWords({ name: tool, title: '' }).verbs.has(meaning));
}

function planWords(text: string, exchange: Exchange, tools: readonly ListedTool[]): Plan {
  const instruction = readInstruction(text);
  const usable = tools.filter(({ connectionSlug }) => connectionSlug !== 'knowledge');
  if (instruction.kind === 'deed')
    return planDeed(instruction.sentence, usable) ?? unmatched(instruction.sentence, usable);
  if (instruction.kind === 'unclear') return unmatched(instruction.sentence, usable, instruction.why);
  return completed(text, exchange, usable) ?? read(text, usable) ?? search(text, tools);
}

function planDeed(sentence: readonly Token[], tools: readonly ListedTool[]): Plan | null {
  const found = candidates(sentence, tools);
  if (found.length === 1 && found[0].isReady) return callOf(found[0]);
  if (!found.length) return null;
  return ask(found.length > 1 ? 'More than one tool fits.' : why(found[0]), found);
}

/** `list the tickets in project OPS`: a reading tool that is matched as wholly as a writing one has to be. */
function read(text: string, tools: readonly ListedTool[]): Plan | null {
  const found = candidates(
    tokens(text),
    tools.filter(({ effect }) => effect === 'read'),
  );
  return found.length === 1 && found[0].isReady ? callOf(found[0]) : null;
}

/** A message that gives what the question before asked for: `project OPS` after `create a ticket titled "x"`. */
function completed(text: string, exchange: Exchange, tools: readonly ListedTool[]): Plan | null {
  const before: string[] = [];
  let length = text.length;
  for (let asked = exchange.follows; asked; asked = asked.follows) {
    length += lengthOf(asked.parts);
    if (length > longestText) return null;
    before.unshift(exactCalls(asked.parts).beside);
  }
  const first = before.length ? readInstruction(before[0]) : null;
  if (first?.kind !== 'deed' || isMark(tokens(text).at(-1), '?')) return null;
  const added = [...before.slice(1), text].flatMap((addition) => [comma, ...withoutEnd(tokens(addition))]);
  return planDeed([...withoutEnd(first.sentence), ...added], tools);
}

const lengthOf = (parts: Exchange['parts']) =>
  parts.reduce(
    (sum, part) => sum + ('text' in part ? part.text : 'data' in part ? (part.dataText ?? '') : '').length,
    0,
  );

const comma: Token = { kind: 'mark', text: ',' };
const withoutEnd = (list: readonly Token[]) => (isMark(list.at(-1), '.!') ? list.slice(0, -1) : list);

function search(text: string, tools: readonly ListedTool[]): Plan {
  if (!tools.some(({ name }) => name === searchTool))
    return asking('This configuration gives me nothing to search, so I can only run calls.', tools);
  return {
    calls: queries(text).map((query) => ({
      tool: searchTool,
      arguments: JSON.stringify({ query, limit: passagesWanted }),
    })),
  };
}

/** Questions that stand by themselves are searched by themselves; with anything beside them, they need each other's words. */
function queries(text: string): string[] {
  const pieces = text.trim().split(/(?<=\?)\s+/);
  const isList =
    pieces.length > 1 &&
    pieces.length <= mostQuestions &&
    pieces.every((piece) => sentences(tokens(piece)).length === 1 && piece.endsWith('?'));
  return (isList ? pieces : [text.trim()]).map((query) => query.slice(0, longestQuery).toWellFormed());
}

const callOf = ({ tool, args }: Candidate): Plan => ({ calls: [{ tool: tool.name, arguments: JSON.stringify(args) }] });
