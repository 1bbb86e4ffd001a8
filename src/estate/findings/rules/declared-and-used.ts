import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, plural, quotedText } from '../quoted-text.js';

export const usedUndeclared: FindingRule = {
  id: 'used_undeclared',
  title: 'Used but not declared',
  why: 'The vendor reported calls to a server that no known file declares. It came from a plugin, an extension, a device that does not upload, or a file that was removed.',
};

export const declaredUnused: FindingRule = {
  id: 'declared_unused',
  title: 'Declared but not used',
  why: 'A server that nobody calls still starts, still holds its credentials and can still be attacked.',
};

/** A server name for which the vendor reported calls. */
export interface UndeclaredServerUse {
  server: string;
  calls: number;
  people: number;
  firstDay: string;
  lastDay: string;
  /** People with known files, none of which declares it. */
  peopleWithout: number;
  /** Whether any known file declares it. */
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
      ? `${plural(peopleWithout, 'person', 'people')} used server ${quotedText(server)}, but none of their known files declares it. Files of others do.`
      : `${plural(people, 'person', 'people')} used server ${quotedText(server)} (${much}), which no known file declares.`,
    evidence: { server: clippedText(server), calls, people, peopleWithout, firstDay, lastDay, days },
    fix: isDeclared
      ? 'Ask them where the server comes from, and make sure that their devices upload that file too.'
      : 'Ask its users where it comes from. Declare it in a reviewed file, or remove the plugin or extension that adds it.',
  };
}

/** A declared server that nobody called. */
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
    reason: `Server ${quotedText(name)} has been in ${plural(files, 'file')} since ${since}, but nobody called it in the last ${days} days${
      hasSecrets ? ', although it holds secrets' : ''
    }.`,
    evidence: { files, owners, since, days, hasSecrets },
    fix: hasSecrets
      ? 'Remove it from the file and revoke its credentials.'
      : 'Remove it from the file. You can add it again when somebody needs it.',
  };
}
