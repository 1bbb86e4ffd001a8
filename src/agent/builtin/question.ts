import type { ListedTool, TurnEnd } from '../agent-model.service.js';
import { candidate, candidates, type Candidate, readyToSend, related } from './match.js';
import type { Token } from './tokens.js';

const toolsNamed = 5;

/** Why a tool that was named is not run. */
export function why({ missing, faults, tool }: Candidate): string {
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
export function unmatched(
  sentence: readonly Token[],
  tools: readonly ListedTool[],
  reason = 'No tool fits every word of it.',
): TurnEnd {
  const writing = tools.filter(({ effect }) => effect !== 'read');
  const found = candidates(sentence, tools);
  if (found.length) return ask(reason, found);
  const near = related(sentence, writing);
  return asking(reason, near.length ? near : writing);
}

/** Asks with the calls as far as they were understood. */
export function ask(reason: string, found: readonly Candidate[]): TurnEnd {
  const shown = found.slice(0, toolsNamed);
  const missing = shown.length === 1 ? shown[0].missing : [];
  const calls = shown.map(readyToSend).join('\n');
  return question(
    `Nothing was done. ${reason}\nReady to send${missing.length ? ', once filled in' : ''}:\n${calls}`,
    missing,
  );
}

/** Asks with the tools that there are. */
export function asking(reason: string, tools: readonly ListedTool[], missing: string[] = []): TurnEnd {
  const shown = tools.filter(({ connectionSlug }) => connectionSlug !== 'knowledge').slice(0, toolsNamed);
  const calls = shown.map((tool) => readyToSend(candidate(tool))).join('\n');
  return question(
    shown.length
      ? `${reason}\nTools I could run, as a call to fill in:\n${calls}`
      : `${reason}\nThere is no tool that I could run.`,
    missing,
  );
}

const question = (text: string, missing: string[]): TurnEnd => ({
  state: 'input-required',
  question: text,
  ...(missing.length ? { missing } : {}),
});
