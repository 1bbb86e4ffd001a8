import type { Oddity, OddityKind } from '../../configuration-file.js';
import type { EntryRule, FileRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

const ambiguityReasons: Partial<Record<OddityKind, string>> = {
  duplicate_name: 'a server of this name stands there twice',
  duplicate_key: 'a key stands there twice',
  both_transports: 'it has both a command and an address',
  odd_case_key: 'a key is written in another case than the client knows',
};

export const ambiguousDefinition: EntryRule & FileRule = {
  id: 'ambiguous_definition',
  title: 'Definition that can be read in two ways',
  why: 'A reviewer, a scanner and the client may each take another one of the two for what counts.',
  check: ({ name, oddities }) => ambiguityMatches(oddities, `Server ${quotedText(name)}`),
  checkFile: ({ path, oddities }) => ambiguityMatches(oddities, `The file ${quotedText(path)}`),
};

function ambiguityMatches(oddities: readonly Oddity[], subject: string): RuleMatch[] {
  const odd = oddities.filter(({ kind }) => ambiguityReasons[kind]);
  if (!odd.length) return [];
  const said = [...new Set(odd.map(({ kind }) => ambiguityReasons[kind]!))];
  return [
    {
      severity: 'low',
      reason: `${subject} can be read in two ways: ${said.join('; ')}.`,
      evidence: {
        places: odd.slice(0, 20).map(({ kind, place, detail }) => ({ kind, place, detail: clippedText(detail) })),
      },
      fix: 'Leave one of the two, the one that is meant.',
    },
  ];
}
