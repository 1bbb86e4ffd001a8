import type { Package } from '../../parsed.js';
import { type Advisory, advisoriesAsOf, allFixedIn, ofPackage, worstOf } from '../advisories.js';
import type { EntryRule, Found } from '../found.js';
import { clipped, shown } from '../shown.js';

export const vulnerablePackage: EntryRule = {
  id: 'vulnerable_package',
  title: 'Package with a known vulnerability',
  why: 'How to attack this version has been published. An MCP server runs with everything that its user may do.',
  check({ package: written }) {
    if (!written) return [];
    const { certain, possible } = ofPackage(written.manager, written.name, written.versionSpec);
    if (certain.length) return [affected(written, certain)];
    return possible.length ? [perhapsAffected(written, possible)] : [];
  },
};

function affected(written: Package, known: Advisory[]): Found {
  const fixedIn = allFixedIn(known);
  const { name, versionSpec } = written;
  return {
    severity: worstOf(known),
    reason: `${shown(versionSpec ? `${name} ${versionSpec}` : name)} has ${told(known)}.`,
    evidence: evidence(written, known),
    fix: fixedIn
      ? `Raise it to ${fixedIn} or later: ${shown(pinned(written, fixedIn))}.`
      : `Take ${shown(name)} out, there is no version of it that is right, and change whatever secrets it was given.`,
  };
}

/** Launchers run what they once fetched, for as long as nobody asks for another version. */
function perhapsAffected(written: Package, known: Advisory[]): Found {
  const fixedIn = allFixedIn(known)!;
  return {
    severity: 'low',
    reason: `Nothing says which version of ${shown(written.name)} runs, and one kept from before ${fixedIn} has ${told(known)}.`,
    evidence: evidence(written, known),
    fix: `Name a version from ${fixedIn} on: ${shown(pinned(written, fixedIn))}.`,
  };
}

const told = (known: Advisory[]) => known.map(({ id, title }) => `${id} (${lowered(title)})`).join(', ');
const lowered = (title: string) => title[0].toLowerCase() + title.slice(1);

const pinned = ({ manager, name }: Package, version: string) =>
  manager === 'pypi' ? `${name}==${version}` : `${name}@${version}`;

const evidence = ({ manager, name, versionSpec }: Package, known: Advisory[]) => ({
  manager,
  package: clipped(name),
  version: versionSpec === null ? null : clipped(versionSpec),
  advisories: known.map(({ id, alias, score, fixedIn, url }) => ({ id, alias, score, fixedIn, url })),
  advisoriesAsOf,
});
