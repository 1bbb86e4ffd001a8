import type { PackageManager } from '../configuration-file.js';
import { type Severity, worstSeverity } from './rule.js';
import { parseVersionConstraint, compareVersions, parseVersion, type Version } from './versions.js';

/** A known vulnerability or malicious package, as its CVE record or its discoverers describe it. */
export interface Advisory {
  /** Its CVE id, or our own "MAL-…" id if there is none. */
  id: string;
  alias: string | null;
  title: string;
  /** CVSS base score from its record. */
  score: number;
  published: string;
  affects: { manager: PackageManager; name: string } | { client: string };
  /** `from` is inclusive and optional; `below` is exclusive, null: no upper bound. */
  ranges: { from?: string; below: string | null }[];
  /** The first fixed version; null: there is none. */
  fixedIn: string | null;
  url: string;
}

/**
 * When the table was last compared with the published records. A newer table in a release evaluates all files again.
 */
export const advisoriesAsOf = '2026-11-20';

const npm = (name: string) => ({ manager: 'npm', name }) as const;
const pypi = (name: string) => ({ manager: 'pypi', name }) as const;
const cve = (id: string) => `https://www.cve.org/CVERecord?id=${id}`;

export const advisories: readonly Advisory[] = [
  {
    id: 'CVE-2025-6514',
    alias: null,
    title: 'A connected server can run commands on the device',
    score: 9.6,
    published: '2025-07-09',
    affects: npm('mcp-remote'),
    ranges: [{ from: '0.0.5', below: '0.1.16' }],
    fixedIn: '0.1.16',
    url: cve('CVE-2025-6514'),
  },
  {
    id: 'CVE-2025-49596',
    alias: 'GHSA-7f8r-222p-6f5g',
    title: 'Its proxy runs commands for anyone who can reach it, including web pages',
    score: 9.4,
    published: '2025-06-13',
    affects: npm('@modelcontextprotocol/inspector'),
    ranges: [{ below: '0.14.1' }],
    fixedIn: '0.14.1',
    url: cve('CVE-2025-49596'),
  },
  {
    id: 'CVE-2025-53109',
    alias: 'GHSA-q66q-fx2p-7w4m',
    title: 'Symbolic links give access to files outside the allowed folders',
    score: 7.3,
    published: '2025-07-02',
    affects: npm('@modelcontextprotocol/server-filesystem'),
    ranges: [{ below: '0.6.4' }, { from: '1.0.0', below: '2025.7.1' }],
    fixedIn: '2025.7.1',
    url: cve('CVE-2025-53109'),
  },
  {
    id: 'CVE-2025-53110',
    alias: 'GHSA-hc55-p739-j48w',
    title: 'Folders with the same name prefix as an allowed folder are accessible',
    score: 7.3,
    published: '2025-07-02',
    affects: npm('@modelcontextprotocol/server-filesystem'),
    ranges: [{ below: '0.6.4' }, { from: '1.0.0', below: '2025.7.1' }],
    fixedIn: '2025.7.1',
    url: cve('CVE-2025-53110'),
  },
  {
    id: 'CVE-2025-53355',
    alias: 'GHSA-gjv4-ghm7-q58q',
    title: 'Arguments of its tools are run as commands',
    score: 7.5,
    published: '2025-07-08',
    affects: npm('mcp-server-kubernetes'),
    ranges: [{ below: '2.5.0' }],
    fixedIn: '2.5.0',
    url: cve('CVE-2025-53355'),
  },
  {
    id: 'CVE-2025-53107',
    alias: 'GHSA-3q26-f695-pp76',
    title: 'Arguments of its tools are run as commands',
    score: 7.5,
    published: '2025-07-01',
    affects: npm('@cyanheads/git-mcp-server'),
    ranges: [{ below: '2.1.5' }],
    fixedIn: '2.1.5',
    url: cve('CVE-2025-53107'),
  },
  {
    id: 'CVE-2025-53967',
    alias: null,
    title: 'Anyone who can reach it over the network can run commands',
    score: 8,
    published: '2025-10-08',
    affects: npm('figma-developer-mcp'),
    ranges: [{ below: '0.6.3' }],
    fixedIn: '0.6.3',
    url: cve('CVE-2025-53967'),
  },
  {
    id: 'CVE-2025-52573',
    alias: 'GHSA-6f6r-m9pv-67jw',
    title: 'Arguments of its tools are run as commands',
    score: 6,
    published: '2025-06-26',
    affects: npm('ios-simulator-mcp'),
    ranges: [{ below: '1.3.3' }],
    fixedIn: '1.3.3',
    url: cve('CVE-2025-52573'),
  },
  {
    id: 'CVE-2025-68143',
    alias: 'GHSA-5cgr-j3jf-jw3v',
    title: 'It can turn any folder into a repository and then access it',
    score: 6.5,
    published: '2025-12-17',
    affects: pypi('mcp-server-git'),
    ranges: [{ below: '2025.9.25' }],
    fixedIn: '2025.9.25',
    url: cve('CVE-2025-68143'),
  },
  {
    id: 'CVE-2025-68145',
    alias: 'GHSA-j22h-9j4x-23w5',
    title: 'It accesses repositories other than the configured one',
    score: 6.4,
    published: '2025-12-17',
    affects: pypi('mcp-server-git'),
    ranges: [{ below: '2025.12.17' }],
    fixedIn: '2025.12.17',
    url: cve('CVE-2025-68145'),
  },
  {
    id: 'MAL-POSTMARK-MCP',
    alias: null,
    title: 'It sends a copy of every email to a third party; the company of that name did not publish it',
    score: 10,
    published: '2025-09-25',
    affects: npm('postmark-mcp'),
    ranges: [{ from: '1.0.16', below: null }],
    fixedIn: null,
    url: 'https://postmarkapp.com/blog/information-regarding-malicious-postmark-mcp-package',
  },
  {
    id: 'CVE-2025-54135',
    alias: 'GHSA-4cxx-hrm3-49rm',
    title: 'Text that the agent reads can make it write an MCP configuration, which then runs without confirmation',
    score: 8.6,
    published: '2025-08-05',
    affects: { client: 'cursor' },
    ranges: [{ below: '1.3.9' }],
    fixedIn: '1.3.9',
    url: cve('CVE-2025-54135'),
  },
  {
    id: 'CVE-2025-54136',
    alias: 'GHSA-24mc-g4xr-4395',
    title: 'An approved server can be replaced by another one without a new confirmation',
    score: 7.2,
    published: '2025-08-01',
    affects: { client: 'cursor' },
    ranges: [{ below: '1.3' }],
    fixedIn: '1.3',
    url: cve('CVE-2025-54136'),
  },
  {
    id: 'CVE-2025-59944',
    alias: 'GHSA-xcwh-rrwj-gxc7',
    title: 'Protected files can be overwritten through paths with different letter case',
    score: 8.1,
    published: '2025-10-03',
    affects: { client: 'cursor' },
    ranges: [{ below: '1.7' }],
    fixedIn: '1.7',
    url: cve('CVE-2025-59944'),
  },
  {
    id: 'CVE-2025-64106',
    alias: 'GHSA-4575-fh42-7848',
    title: 'A link can install a server without showing the command that it runs',
    score: 8.8,
    published: '2025-11-04',
    affects: { client: 'cursor' },
    ranges: [{ below: '2.0' }],
    fixedIn: '2.0',
    url: cve('CVE-2025-64106'),
  },
];

export const advisorySeverity = ({ score }: Pick<Advisory, 'score'>): Severity =>
  score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low';

export const worstSeverityOf = (known: readonly Advisory[]): Severity => worstSeverity(known.map(advisorySeverity));

/** The version that fixes all of them; null: at least one has no fix. */
export function allFixedIn(known: readonly Advisory[]): string | null {
  if (known.some(({ fixedIn }) => fixedIn === null)) return null;
  return known
    .map(({ fixedIn }) => fixedIn!)
    .reduce((last, one) => (compareVersions(parseVersion(one)!, parseVersion(last)!) > 0 ? one : last));
}

/** Advisories for a version of a client; null: the version cannot be compared. */
export function advisoriesOfClient(client: string, version: string): Advisory[] | null {
  const own = parseVersion(version);
  if (!own) return null;
  return advisories.filter((one) => 'client' in one.affects && one.affects.client === client && isAffected(one, own));
}

/**
 * Advisories for a package spec. `certain`: they apply to the version that would run. `possible`: no version is
 * requested, so they may apply to a cached version.
 */
export function advisoriesOfPackage(
  manager: PackageManager,
  name: string,
  spec: string | null,
): { certain: Advisory[]; possible: Advisory[] } {
  const constraint = parseVersionConstraint(spec, manager);
  const known = advisoriesByName.get(advisoryNameKey(manager, name)) ?? [];
  return {
    certain: known.filter((one) => isCertain(one, constraint)),
    possible: constraint === 'cached' ? known.filter((one) => !isCertain(one, constraint)) : [],
  };
}

function isCertain(advisory: Advisory, constraint: ReturnType<typeof parseVersionConstraint>): boolean {
  // if even the newest version is harmful, every constraint is affected except an exact earlier version
  const isHarmful = advisory.ranges.some(({ below }) => below === null);
  if (constraint === null) return false;
  if (constraint === 'cached') return isHarmful;
  if ('exact' in constraint) return isAffected(advisory, constraint.exact);
  const { below } = constraint;
  if (below === null) return isHarmful;
  return advisory.ranges.some(
    (range) =>
      (!range.from || compareVersions(below, parseVersion(range.from)!) > 0) &&
      (range.below === null || compareVersions(below, parseVersion(range.below)!) <= 0),
  );
}

const isAffected = ({ ranges }: Advisory, version: Version): boolean =>
  ranges.some(
    ({ from, below }) =>
      (!from || compareVersions(version, parseVersion(from)!) >= 0) &&
      (below === null || compareVersions(version, parseVersion(below)!) < 0),
  );

/** Normalizes names as the registry does. */
const advisoryNameKey = (manager: PackageManager, name: string): string =>
  `${manager}:${manager === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name.toLowerCase()}`;

const advisoriesByName = new Map<string, Advisory[]>();
for (const advisory of advisories)
  if ('manager' in advisory.affects) {
    const key = advisoryNameKey(advisory.affects.manager, advisory.affects.name);
    advisoriesByName.set(key, [...(advisoriesByName.get(key) ?? []), advisory]);
  }
