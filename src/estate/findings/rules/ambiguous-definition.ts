import type { Oddity, OddityKind } from '../../configuration-file.js';
import type { EntryRule, FileRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

const ambiguityReasons: Partial<Record<OddityKind, string>> = {
  duplicate_name: 'a server name is used twice',
  duplicate_key: 'a key is used twice',
  both_transports: 'it has both a command and an address',
  odd_case_key: 'a key has a different letter case than the client expects',
};

export const ambiguousDefinition: EntryRule & FileRule = {
  id: 'ambiguous_definition',
  title: 'Ambiguous definition',
  why: 'A reviewer, a scanner and the client may each read the definition differently.',
  check: ({ name, oddities }) => ambiguityMatches(oddities, `Server ${quotedText(name)}`),
  checkFile: ({ path, oddities }) => ambiguityMatches(oddities, `The file ${quotedText(path)}`),
};

function ambiguityMatches(oddities: readonly Oddity[], subject: string): RuleMatch[] {
  const odd = oddities.filter(({ kind }) => ambiguityReasons[kind]);
  if (!odd.length) return [];
  const reasons = [...new Set(odd.map(({ kind }) => ambiguityReasons[kind]!))];
  return [
    {
      severity: 'low',
      reason: `${subject} is ambiguous: ${reasons.join('; ')}.`,
      evidence: {
        places: odd.slice(0, 20).map(({ kind, place, detail }) => ({ kind, place, detail: clippedText(detail) })),
      },
      fix: 'Keep only the intended one of the two.',
    },
  ];
}
