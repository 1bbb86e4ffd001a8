import type { JsonValue } from '../../platform/json/strict-json.js';
import type { ListedTool } from '../agent-model.port.js';
import { readClauses } from './clauses.js';
import { placeholder } from './exact-call.js';
import { fieldsOf } from './fields.js';
import { isWord, type InstructionToken } from './tokens.js';
import { toolWords } from './tool-words.js';
import { meanings, singular } from './verbs.js';

export interface ToolCandidate {
  tool: ListedTool;
  args: Record<string, JsonValue>;
  /** Required fields without a value in the instruction. */
  missing: string[];
  faults: string[];
  /** Every word was understood and no field is missing. */
  isReady: boolean;
}

/** Reduces `add a comment to …` to `comment on …`. */
function withPlainVerb(sentence: readonly InstructionToken[]): readonly InstructionToken[] {
  const at = isWord(sentence[1], determiners) ? 2 : 1;
  const isLight =
    isWord(sentence[0], lightVerbs) && isWord(sentence[at], lightObjects) && isWord(sentence[at + 1], targets);
  return isLight ? sentence.slice(at) : sentence;
}

const lightVerbs = new Set(['add', 'post', 'write', 'make']);
const lightObjects = new Set(['comment', 'reply', 'note']);
const targets = new Set(['on', 'to', 'in', 'under']);
const determiners = new Set(['a', 'an', 'the', 'new', 'this', 'my', 'our', 'another', 'one']);

/** The tools that a sentence names by verb and object. The sentence must start with the verb. */
export function findCandidates(sentence: readonly InstructionToken[], tools: readonly ListedTool[]): ToolCandidate[] {
  const found = matchByName(sentence, tools);
  return found.length ? found : matchByName(withPlainVerb(sentence), tools);
}

/** Limits the output and the work: the sentence is parsed once for each candidate. */
const mostCandidates = 5;

function matchByName(sentence: readonly InstructionToken[], tools: readonly ListedTool[]): ToolCandidate[] {
  return tools
    .map((tool) => ({ tool, from: objectEnd(sentence, tool) }))
    .filter(({ from }) => from > 0)
    .slice(0, mostCandidates)
    .map(({ tool, from }) => toCandidate(tool, sentence.slice(from)));
}

/** Matches the rest of the sentence with the fields of a tool. */
export function toCandidate(tool: ListedTool, rest: readonly InstructionToken[] = []): ToolCandidate {
  const fields = fieldsOf(tool.inputSchema);
  const { values, isComplete, faults } = readClauses(rest, fields, toolWords(tool).objects);
  const missing = fields.filter((field) => field.isRequired && !values.has(field)).map(({ name }) => name);
  const args = Object.fromEntries(
    fields.filter((field) => values.has(field)).map((field) => [field.name, values.get(field)!]),
  );
  return { tool, args, missing, faults, isReady: isComplete && missing.length === 0 };
}

/** A call that the caller can send, with `<field>` for each missing value. */
export function callTemplate({ tool, args, missing }: ToolCandidate): string {
  const order = fieldsOf(tool.inputSchema).map(({ name }) => name);
  const filled = order
    .filter((name) => name in args || missing.includes(name))
    .map((name) => [name, name in args ? args[name] : placeholder(name)]);
  return `${tool.name}: ${JSON.stringify(Object.fromEntries(filled))}`;
}

/** The index after the object in the sentence. 0: the sentence does not name this tool. */
function objectEnd(sentence: readonly InstructionToken[], tool: ListedTool): number {
  const verb = sentence[0];
  const words = toolWords(tool);
  if (verb?.kind !== 'word' || !meanings(verb.lower).some((meaning) => words.verbs.has(meaning))) return 0;
  let at = isWord(sentence[1], targets) ? 2 : 1;
  while (isWord(sentence[at], determiners)) at++;
  let isNamed = words.objects.has(singular(verb.lower));
  const from = at;
  for (
    let token = sentence[at];
    token?.kind === 'word' && words.vocabulary.has(singular(token.lower));
    token = sentence[++at]
  )
    isNamed ||= words.objects.has(singular(token.lower));
  if (isNamed) return at;
  // `post "done" to #releases` names no object. A word in that place would name a different object.
  return at === from && from === 1 && sentence[1]?.kind === 'quoted' ? 1 : 0;
}

/** Suggests tools for an instruction that matches none, by the words that they share with it. */
export function findRelatedTools(sentence: readonly InstructionToken[], tools: readonly ListedTool[]): ListedTool[] {
  const words = sentence.flatMap((token) => (token.kind === 'word' ? [token.lower, singular(token.lower)] : []));
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const countOf = (list: ReadonlySet<string>) => [...list].reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
  const verbMeanings = new Set([...counts.keys()].flatMap(meanings));
  const score = (tool: ListedTool) => {
    const { objects, vocabulary, verbs } = toolWords(tool);
    return (
      countOf(objects) * 4 + countOf(vocabulary) * 2 + [...verbs].filter((verb) => verbMeanings.has(verb)).length * 3
    );
  };
  const scored = tools.map((tool) => ({ tool, score: score(tool) })).filter((entry) => entry.score > 0);
  return scored
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}
