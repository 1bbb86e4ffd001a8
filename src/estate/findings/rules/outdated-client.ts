import { advisoriesAsOf, allFixedIn, advisoriesOfClient, worstSeverityOf } from '../advisories.js';
import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, plural, quotedText } from '../quoted-text.js';

export const outdatedClient: FindingRule = {
  id: 'outdated_client',
  title: 'Outdated client with known vulnerabilities',
  why: 'Attacks on this version of the client have been published. The vendor reports which versions are in use, whether or not a device is managed.',
};

/** A version of a client in use, as the vendor reports it. */
export interface ClientInUse {
  client: string;
  clientTitle: string;
  version: string;
  people: number;
  lastDay: string;
}

/** Null: no advisories apply, or the version cannot be compared. */
export function outdatedClientMatch({ client, clientTitle, version, people, lastDay }: ClientInUse): RuleMatch | null {
  const known = advisoriesOfClient(client, version) ?? [];
  if (!known.length) return null;
  const fixedIn = allFixedIn(known)!;
  return {
    at: clippedText(version, 100),
    severity: worstSeverityOf(known),
    reason: `${plural(people, 'person', 'people')} last used ${clientTitle} ${quotedText(version, 40)}, which does not have the fix for ${known
      .map(({ id }) => id)
      .join(', ')}.`,
    evidence: {
      client,
      version: clippedText(version),
      people,
      lastDay,
      fixedIn,
      advisories: known.map(({ id, alias, title, score, fixedIn: fixed, url }) => ({
        id,
        alias,
        title,
        score,
        fixedIn: fixed,
        url,
      })),
      advisoriesAsOf,
    },
    fix: `Update ${clientTitle} to ${fixedIn} or later, and restart it. An administrator can require this version for everyone.`,
  };
}
