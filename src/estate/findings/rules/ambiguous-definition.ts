import type { Oddity, OddityKind } from '../../parsed.js';
import type { EntryRule, FileRule, Found } from '../found.js';
import { clipped, shown } from '../shown.js';

const words: Partial<Record<OddityKind, string>> = {
  duplicate_name: 'a server of this name stands there twice',
  duplicate_key: 'a key stands there twice',
  both_transports: 'it has both a command and an address',
  odd_case_key: 'a key is written in another case than the client knows',
};

export const ambiguousDefinition: EntryRule & FileRule = {
  id: 'ambiguous_definition',
  title: 'Definition that can be read in two ways',
  why: 'A reviewer, a scanner and the client may each take another one of the two for what counts.',
  check: ({ name, oddities }) => judged(oddities, `Server ${shown(name)}`),
  checkFile: ({ path, oddities }) => judged(oddities, `The file ${shown(path)}`),
};

function judged(oddities: readonly Oddity[], subject: string): Found[] {
  const odd = oddities.filter(({ kind }) => words[kind]);
  if (!odd.length) return [];
  const said = [...new Set(odd.map(({ kind }) => words[kind]!))];
  return [
    {
      severity: 'low',
      reason: `${subject} can be read in two ways: ${said.join('; ')}.`,
      evidence: {
        places: odd.slice(0, 20).map(({ kind, place, detail }) => ({ kind, place, detail: clipped(detail) })),
      },
      fix: 'Leave one of the two, the one that is meant.',
    },
  ];
}
