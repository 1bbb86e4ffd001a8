import type { ConfigurationFile, Oddity } from '../../configuration-file.js';
import type { EntryRule, FileRule, RuleMatch, Severity } from '../rule.js';
import { plural, quotedText } from '../quoted-text.js';

const maxUnicodePlaces = 20;

export const hiddenUnicode: EntryRule & FileRule = {
  id: 'hidden_unicode',
  title: 'Characters that nobody sees',
  why: 'People approve what they see, programs and assistants act upon what is there. Invisible characters and letters that look like others make the two differ, and carry instructions past the eyes of a reviewer.',
  check: ({ name, oddities }) => unicodeMatches(oddities, `Server ${quotedText(name)} has`),
  checkFile: ({ kind, path, oddities }: ConfigurationFile) =>
    unicodeMatches(
      oddities,
      kind === 'instructions'
        ? `What the assistant is told in ${quotedText(path)} has`
        : `The file ${quotedText(path)} has, in its name or outside its servers,`,
    ),
};

function unicodeMatches(oddities: readonly Oddity[], subject: string): RuleMatch[] {
  return [
    ...placesMatch(
      oddities.filter(({ kind }) => kind === 'hidden_unicode'),
      'hidden',
      'high',
      (count, what) => `${subject} ${plural(count, 'place')} with characters that nobody sees: ${what}.`,
      'Show the file with its invisible characters, take them out, and find out in its history who put them in and what they say.',
    ),
    ...placesMatch(
      oddities.filter(({ kind }) => kind === 'mixed_script'),
      'mixed',
      'medium',
      (count, what) => `${subject} ${plural(count, 'word')} with letters of several scripts that look alike: ${what}.`,
      'Type the word again, in one script, and find out who wrote it so.',
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
