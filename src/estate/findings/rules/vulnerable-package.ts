import type { Package } from '../../configuration-file.js';
import { type Advisory, advisoriesAsOf, allFixedIn, advisoriesOfPackage, worstSeverityOf } from '../advisories.js';
import type { EntryRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const vulnerablePackage: EntryRule = {
  id: 'vulnerable_package',
  title: 'Package with a known vulnerability',
  why: 'How to attack this version has been published. An MCP server runs with everything that its user may do.',
  check({ package: written }) {
    if (!written) return [];
    const { certain, possible } = advisoriesOfPackage(written.manager, written.name, written.versionSpec);
    if (certain.length) return [vulnerableMatch(written, certain)];
    return possible.length ? [possiblyVulnerableMatch(written, possible)] : [];
  },
};

function vulnerableMatch(written: Package, known: Advisory[]): RuleMatch {
  const fixedIn = allFixedIn(known);
  const { name, versionSpec } = written;
  return {
    severity: worstSeverityOf(known),
    reason: `${quotedText(versionSpec ? `${name} ${versionSpec}` : name)} has ${advisoryList(known)}.`,
    evidence: evidence(written, known),
    fix: fixedIn
      ? `Raise it to ${fixedIn} or later: ${quotedText(pinned(written, fixedIn))}.`
      : `Take ${quotedText(name)} out, there is no version of it that is right, and change whatever secrets it was given.`,
  };
}

/** Launchers run what they once fetched, for as long as nobody asks for another version. */
function possiblyVulnerableMatch(written: Package, known: Advisory[]): RuleMatch {
  const fixedIn = allFixedIn(known)!;
  return {
    severity: 'low',
    reason: `Nothing says which version of ${quotedText(written.name)} runs, and one kept from before ${fixedIn} has ${advisoryList(known)}.`,
    evidence: evidence(written, known),
    fix: `Name a version from ${fixedIn} on: ${quotedText(pinned(written, fixedIn))}.`,
  };
}

const advisoryList = (known: Advisory[]) => known.map(({ id, title }) => `${id} (${lowerFirst(title)})`).join(', ');
const lowerFirst = (title: string) => title[0].toLowerCase() + title.slice(1);

const pinned = ({ manager, name }: Package, version: string) =>
  manager === 'pypi' ? `${name}==${version}` : `${name}@${version}`;

const evidence = ({ manager, name, versionSpec }: Package, known: Advisory[]) => ({
  manager,
  package: clippedText(name),
  version: versionSpec === null ? null : clippedText(versionSpec),
  advisories: known.map(({ id, alias, score, fixedIn, url }) => ({ id, alias, score, fixedIn, url })),
  advisoriesAsOf,
});
