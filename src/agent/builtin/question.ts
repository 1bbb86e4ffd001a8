import type { ListedTool, TurnEnd } from '../agent-model.port.js';
import { toCandidate, findCandidates, type ToolCandidate, callTemplate, findRelatedTools } from './match.js';
import type { InstructionToken } from './tokens.js';

const maxToolsNamed = 5;

/** Why the matched tool does not run. */
export function explainNotRun({ missing, faults, tool }: ToolCandidate): string {
  if (missing.length || faults.length)
    return [
      ...faults.map((fault) => `${fault}.`),
      missing.length ? `Missing for ${tool.name}: ${missing.join(', ')}.` : '',
    ]
      .join(' ')
      .trim();
  return `I do not understand every word, so I do not run ${tool.name}.`;
}

/** Asks back and suggests the closest tools. */
export function askUnmatched(
  sentence: readonly InstructionToken[],
  tools: readonly ListedTool[],
  reason = 'No tool matches every word.',
): TurnEnd {
  const writing = tools.filter(({ effect }) => effect !== 'read');
  const found = findCandidates(sentence, tools);
  if (found.length) return askWithCandidates(reason, found);
  const near = findRelatedTools(sentence, writing);
  return askWithTools(reason, near.length ? near : writing);
}

/** Asks back with call templates that contain the understood values. */
export function askWithCandidates(reason: string, found: readonly ToolCandidate[]): TurnEnd {
  const shown = found.slice(0, maxToolsNamed);
  const missing = shown.length === 1 ? shown[0].missing : [];
  const calls = shown.map(callTemplate).join('\n');
  return inputRequiredEnd(
    `Nothing has been done. ${reason}\n${missing.length ? 'Fill in and send' : 'Ready to send'}:\n${calls}`,
    missing,
  );
}

/** Asks back with templates for the given tools. */
export function askWithTools(reason: string, tools: readonly ListedTool[], missing: string[] = []): TurnEnd {
  const shown = tools.filter(({ connectionSlug }) => connectionSlug !== 'knowledge').slice(0, maxToolsNamed);
  const calls = shown.map((tool) => callTemplate(toCandidate(tool))).join('\n');
  return inputRequiredEnd(
    shown.length
      ? `${reason}\nTools that I can run, as calls to fill in:\n${calls}`
      : `${reason}\nThere is no tool that I can run.`,
    missing,
  );
}

const inputRequiredEnd = (text: string, missing: string[]): TurnEnd => ({
  state: 'input-required',
  question: text,
  ...(missing.length ? { missing } : {}),
});
