import type { ModelToolCall, ListedTool, TurnEnd, TurnInput } from '../agent-model.port.js';
import type { MessageExchange } from '../conversation.js';
import { searchTool } from '../passages.js';
import { type ExactCalls, exactCalls, unfilled } from './exact-call.js';
import { longestText, readInstruction } from './instruction.js';
import { findCandidates, type ToolCandidate } from './match.js';
import { askWithCandidates, askWithTools, askUnmatched, explainNotRun } from './question.js';
import { isMark, sentences, type InstructionToken, tokenizeInstruction } from './tokens.js';
import { toolWords } from './tool-words.js';
import { meanings } from './verbs.js';

export type TurnPlan = { calls: Omit<ModelToolCall, 'ref'>[] } | TurnEnd;

/** Longer queries add only noise to a search. */
const maxQueryLength = 1000;
const passageLimit = 10;
const maxQuestions = 5;

/** Plans the reaction to one message: calls or a question back. */
export async function planTurn(exchange: MessageExchange, tools: TurnInput['tools']): Promise<TurnPlan> {
  const exact = exactCalls(exchange.parts);
  const objection = objectionTo(exact);
  if (objection) return askWithTools(objection.reason, await tools(), objection.missing);
  if (exact.calls.length) return { calls: exact.calls };
  return planWords(exact.beside, exchange, await tools());
}

/** Why a spelled-out call does not run. */
function objectionTo({ calls, beside, problem }: ExactCalls): { reason: string; missing?: string[] } | null {
  if (problem) return { reason: `${problem} Nothing has been done.` };
  const missing = calls.flatMap(unfilled);
  if (missing.length)
    return { reason: `Fill in ${missing.join(', ')} and send the call again. Nothing has been done.`, missing };
  if (!calls.length) return beside ? null : { reason: 'The message contains neither text nor a call.' };
  if (!beside || calls.every(({ tool }) => asksForTool(beside, tool))) return null;
  const alone = calls.map((call) => `${call.tool}: ${call.arguments}`).join('\n');
  return {
    reason: `An exact call runs only alone or with text that asks for it. Nothing has been done. To run it, send it alone:\n${alone}`,
  };
}

/** `Please file this ticket:` may accompany a call that creates a ticket; `what would this do?` may not. */
function asksForTool(beside: string, tool: string): boolean {
  const instruction = readInstruction(beside);
  if (instruction.kind !== 'deed') return false;
  const [verb] = instruction.sentence;
  const requested = verb?.kind === 'word' ? meanings(verb.lower) : [];
  return (
    requested.includes('start') || requested.some((meaning) => toolWords({ name: tool, title: '' }).verbs.has(meaning))
  );
}

function planWords(text: string, exchange: MessageExchange, tools: readonly ListedTool[]): TurnPlan {
  const instruction = readInstruction(text);
  const usable = tools.filter(({ connectionSlug }) => connectionSlug !== 'knowledge');
  if (instruction.kind === 'deed')
    return planAction(instruction.sentence, usable) ?? askUnmatched(instruction.sentence, usable);
  if (instruction.kind === 'unclear') return askUnmatched(instruction.sentence, usable, instruction.why);
  return planFollowUp(text, exchange, usable) ?? planRead(text, usable) ?? planSearch(text, tools);
}

function planAction(sentence: readonly InstructionToken[], tools: readonly ListedTool[]): TurnPlan | null {
  const found = findCandidates(sentence, tools);
  if (found.length === 1 && found[0].isReady) return toCallPlan(found[0]);
  if (!found.length) return null;
  return askWithCandidates(found.length > 1 ? 'More than one tool matches.' : explainNotRun(found[0]), found);
}

/** `list the tickets in project OPS`: a reading tool must match as completely as a writing one. */
function planRead(text: string, tools: readonly ListedTool[]): TurnPlan | null {
  const found = findCandidates(
    tokenizeInstruction(text),
    tools.filter(({ effect }) => effect === 'read'),
  );
  return found.length === 1 && found[0].isReady ? toCallPlan(found[0]) : null;
}

/** A message that answers the previous question: `project OPS` after `create a ticket titled "x"`. */
function planFollowUp(text: string, exchange: MessageExchange, tools: readonly ListedTool[]): TurnPlan | null {
  const before: string[] = [];
  let length = text.length;
  for (let earlier = exchange.follows; earlier; earlier = earlier.follows) {
    length += lengthOf(earlier.parts);
    if (length > longestText) return null;
    before.unshift(exactCalls(earlier.parts).beside);
  }
  const first = before.length ? readInstruction(before[0]) : null;
  if (first?.kind !== 'deed' || isMark(tokenizeInstruction(text).at(-1), '?')) return null;
  const added = [...before.slice(1), text].flatMap((addition) => [comma, ...withoutEnd(tokenizeInstruction(addition))]);
  return planAction([...withoutEnd(first.sentence), ...added], tools);
}

const lengthOf = (parts: MessageExchange['parts']) =>
  parts.reduce(
    (sum, part) => sum + ('text' in part ? part.text : 'data' in part ? (part.dataText ?? '') : '').length,
    0,
  );

const comma: InstructionToken = { kind: 'mark', text: ',' };
const withoutEnd = (list: readonly InstructionToken[]) => (isMark(list.at(-1), '.!') ? list.slice(0, -1) : list);

function planSearch(text: string, tools: readonly ListedTool[]): TurnPlan {
  if (!tools.some(({ name }) => name === searchTool))
    return askWithTools('This configuration has no knowledge search, so I can only run calls.', tools);
  return {
    calls: toSearchQueries(text).map((query) => ({
      tool: searchTool,
      arguments: JSON.stringify({ query, limit: passageLimit }),
    })),
  };
}

/** Splits a message that contains only questions. Other text is context, so the whole message becomes one query. */
function toSearchQueries(text: string): string[] {
  const pieces = text.trim().split(/(?<=\?)\s+/);
  const isList =
    pieces.length > 1 &&
    pieces.length <= maxQuestions &&
    pieces.every((piece) => sentences(tokenizeInstruction(piece)).length === 1 && piece.endsWith('?'));
  return (isList ? pieces : [text.trim()]).map((query) => query.slice(0, maxQueryLength).toWellFormed());
}

const toCallPlan = ({ tool, args }: ToolCandidate): TurnPlan => ({
  calls: [{ tool: tool.name, arguments: JSON.stringify(args) }],
});
