import type { ConfigurationFile, Oddity } from '../../configuration-file.js';
import type { EntryRule, FileRule, RuleMatch, Severity } from '../rule.js';
import { plural, quotedText } from '../quoted-text.js';

const maxUnicodePlaces = 20;

export const hiddenUnicode: EntryRule & FileRule = {
  id: 'hidden_unicode',
  title: 'Hidden characters',
  why: 'People approve what they see, but programs and assistants act on what the file contains. Invisible characters and lookalike letters make the two differ, and can hide instructions from a reviewer.',
  check: ({ name, oddities }) => unicodeMatches(oddities, `Server ${quotedText(name)} has`),
  checkFile: ({ kind, path, oddities }: ConfigurationFile) =>
    unicodeMatches(
      oddities,
      kind === 'instructions'
        ? `The instructions for the assistant in ${quotedText(path)} have`
        : `The file ${quotedText(path)} has, in its name or outside its servers,`,
    ),
};

function unicodeMatches(oddities: readonly Oddity[], subject: string): RuleMatch[] {
  return [
    ...placesMatch(
      oddities.filter(({ kind }) => kind === 'hidden_unicode'),
      'hidden',
      'high',
      (count, what) => `${subject} ${plural(count, 'place')} with hidden characters: ${what}.`,
      'View the file with invisible characters shown, remove them, and check its history to see who added them and what they say.',
    ),
    ...placesMatch(
      oddities.filter(({ kind }) => kind === 'mixed_script'),
      'mixed',
      'medium',
      (count, what) => `${subject} ${plural(count, 'word')} with lookalike letters from several scripts: ${what}.`,
      'Retype the word in one script, and find out who wrote it.',
    ),
  ];
}

function placesMatch(
  places: Oddity[],
  at: string,
  severity: Severity,
  reason: (count: number, what: string) => string,
  fix: string,
): RuleMatch[] {
  if (!places.length) return [];
  const kinds = [...new Set(places.map(({ detail }) => detail))];
  return [
    {
      at,
      severity,
      reason: reason(places.length, `${kinds.slice(0, 3).join(', ')}${kinds.length > 3 ? ' and others' : ''}`),
      evidence: {
        places: places.slice(0, maxUnicodePlaces).map(({ place, detail }) => ({ place, detail })),
        count: places.length,
      },
      fix,
    },
  ];
}
