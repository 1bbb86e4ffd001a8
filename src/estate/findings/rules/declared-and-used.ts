import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, plural, quotedText } from '../quoted-text.js';

export const usedUndeclared: FindingRule = {
  id: 'used_undeclared',
  title: 'Used, but declared nowhere',
  why: 'The vendor counted calls to a server that no file known here declares: it came in by a plugin, an extension, a device that does not upload, or a file that was taken away again.',
};

export const declaredUnused: FindingRule = {
  id: 'declared_unused',
  title: 'Declared, but not used',
  why: 'A server that nobody calls is still started, still holds its credentials and can still be attacked.',
};

/** A name under which calls were counted. */
export interface UndeclaredServerUse {
  server: string;
  calls: number;
  people: number;
  firstDay: string;
  lastDay: string;
  /** People of whom files are known, none of which declares it. */
  peopleWithout: number;
  /** Whether any file of anybody declares it. */
  isDeclared: boolean;
  days: number;
}

export function usedUndeclaredMatch(use: UndeclaredServerUse): RuleMatch | null {
  const { server, calls, people, firstDay, lastDay, peopleWithout, isDeclared, days } = use;
  if (isDeclared && !peopleWithout) return null;
  const much = `${plural(calls, 'call')} in ${plural(days, 'day')}`;
  return {
    at: clippedText(server, 200),
    severity: isDeclared || !peopleWithout ? 'low' : 'medium',
    reason: isDeclared
      ? `${plural(peopleWithout, 'person', 'people')} used server ${quotedText(server)} without a file of theirs that declares it, though others declare it.`
      : `${plural(people, 'person', 'people')} used server ${quotedText(server)} (${much}), which no known file declares.`,
    evidence: { server: clippedText(server), calls, people, peopleWithout, firstDay, lastDay, days },
    fix: isDeclared
      ? 'Ask them where they have it from, and have their devices upload that file as well.'
      : 'Ask who uses it where it comes from; declare it in a file that is reviewed, or remove the plugin or extension that brings it.',
  };
}

/** A server that files declare and nobody called. */
export interface UnusedServer {
  name: string;
  files: number;
  owners: number;
  hasSecrets: boolean;
  since: string;
  days: number;
}

export function declaredUnusedMatch({ name, files, owners, hasSecrets, since, days }: UnusedServer): RuleMatch {
  return {
    severity: hasSecrets ? 'low' : 'info',
    reason: `Server ${quotedText(name)} stands in ${plural(files, 'file')} since ${since}, and nobody called it in the last ${days} days${
      hasSecrets ? '; it is given secrets all the same' : ''
    }.`,
    evidence: { files, owners, since, days, hasSecrets },
    fix: hasSecrets
      ? 'Take it out of the file, and withdraw the credentials that it was given.'
      : 'Take it out of the file; it is quickly put back when somebody needs it.',
  };
}
