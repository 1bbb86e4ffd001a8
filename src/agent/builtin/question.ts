import type { ListedTool, TurnEnd } from '../agent-model.port.js';
import { toCandidate, findCandidates, type ToolCandidate, callTemplate, findRelatedTools } from './match.js';
import type { InstructionToken } from './tokens.js';

const maxToolsNamed = 5;

/** Why a tool that was named is not run. */
export function explainNotRun({ missing, faults, tool }: ToolCandidate): string {
  if (missing.length || faults.length)
    return [
      ...faults.map((fault) => `${fault}.`),
      missing.length ? `Missing for ${tool.name}: ${missing.join(', ')}.` : '',
    ]
      .join(' ')
      .trim();
  return `I do not understand every word of it, so I do not run ${tool.name} by guess.`;
}

/** Asks with the tools that come closest. */
export function askUnmatched(
  sentence: readonly InstructionToken[],
  tools: readonly ListedTool[],
  reason = 'No tool fits every word of it.',
): TurnEnd {
  const writing = tools.filter(({ effect }) => effect !== 'read');
  const found = findCandidates(sentence, tools);
  if (found.length) return askWithCandidates(reason, found);
  const near = findRelatedTools(sentence, writing);
  return askWithTools(reason, near.length ? near : writing);
}

/** Asks with the calls as far as they were understood. */
export function askWithCandidates(reason: string, found: readonly ToolCandidate[]): TurnEnd {
  const shown = found.slice(0, maxToolsNamed);
  const missing = shown.length === 1 ? shown[0].missing : [];
  const calls = shown.map(callTemplate).join('\n');
  return inputRequiredEnd(
    `Nothing was done. ${reason}\nReady to send${missing.length ? ', once filled in' : ''}:\n${calls}`,
    missing,
  );
}

/** Asks with the tools that there are. */
export function askWithTools(reason: string, tools: readonly ListedTool[], missing: string[] = []): TurnEnd {
  const shown = tools.filter(({ connectionSlug }) => connectionSlug !== 'knowledge').slice(0, maxToolsNamed);
  const calls = shown.map((tool) => callTemplate(toCandidate(tool))).join('\n');
  return inputRequiredEnd(
    shown.length
      ? `${reason}\nTools I could run, as a call to fill in:\n${calls}`
      : `${reason}\nThere is no tool that I could run.`,
    missing,
  );
}

const inputRequiredEnd = (text: string, missing: string[]): TurnEnd => ({
  state: 'input-required',
  question: text,
  ...(missing.length ? { missing } : {}),
});
