import type { Package } from '../../configuration-file.js';
import { type Advisory, advisoriesAsOf, allFixedIn, advisoriesOfPackage, worstSeverityOf } from '../advisories.js';
import type { EntryRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const vulnerablePackage: EntryRule = {
  id: 'vulnerable_package',
  title: 'Package with a known vulnerability',
  why: 'Attacks on this version have been published. An MCP server runs with all the permissions of its user.',
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
      ? `Update it to ${fixedIn} or later: ${quotedText(pinned(written, fixedIn))}.`
      : `Remove ${quotedText(name)}, because no version of it is safe, and rotate all secrets that it had access to.`,
  };
}

/** Launchers run a cached version until another version is requested. */
function possiblyVulnerableMatch(written: Package, known: Advisory[]): RuleMatch {
  const fixedIn = allFixedIn(known)!;
  return {
    severity: 'low',
    reason: `The file does not set a version of ${quotedText(written.name)}, and a cached version before ${fixedIn} has ${advisoryList(known)}.`,
    evidence: evidence(written, known),
    fix: `Set version ${fixedIn} or later: ${quotedText(pinned(written, fixedIn))}.`,
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
