import semver from 'semver';
import type { PackageManager } from '../configuration-file.js';

/** A parsed version. A suffix marks a prerelease ("-beta.1") or has no effect ("+build"). */
export interface Version {
  parts: number[];
  early: string | null;
}

const versionPattern =
  /^[v=\s]*(\d{1,9}(?:\.\d{1,9}){0,4})(?:[-.]?((?:a|b|c|rc|dev|alpha|beta|pre|preview|nightly|insiders|next|canary)[\w.-]*)|-([\w.-]+))?(?:\.post\d+)?(?:\+[\w.-]*)?$/i;

/** Longer than any published version. */
const maxVersionLength = 200;

export function parseVersion(text: string): Version | null {
  if (text.length > maxVersionLength) return null;
  const match = versionPattern.exec(text.trim());
  if (!match) return null;
  const [, numbers, named, other] = match;
  return { parts: numbers.split('.').map(Number), early: (named ?? other ?? null)?.toLowerCase() ?? null };
}

/** Negative: `a` is earlier. Missing numbers count as zero, so "1.3" equals "1.3.0". */
export function compareVersions(a: Version, b: Version): number {
  const length = Math.max(a.parts.length, b.parts.length);
  for (let index = 0; index < length; index++) {
    const difference = (a.parts[index] ?? 0) - (b.parts[index] ?? 0);
    if (difference) return difference;
  }
  if (a.early === b.early) return 0;
  if (a.early === null || b.early === null) return a.early === null ? 1 : -1;
  return a.early.localeCompare(b.early, 'en', { numeric: true });
}

/**
 * What a launcher may run for a version spec. `exact`: that version; `below`: the newest one before that version (null:
 * the newest of all); `cached`: the version it ran before, because none is requested. Null: unknown.
 */
export type VersionConstraint = { exact: Version } | { below: Version | null } | 'cached' | null;

export function parseVersionConstraint(spec: string | null, manager: PackageManager): VersionConstraint {
  if (spec === null || spec.trim() === '') return manager === 'npm' || manager === 'pypi' ? 'cached' : { below: null };
  if (spec.length > maxVersionLength) return null;
  const text = spec.trim();
  if (/^(latest|\*|x)$/i.test(text)) return { below: null };
  return manager === 'pypi' ? pythonConstraint(text) : semverConstraint(text);
}

function semverConstraint(text: string): VersionConstraint {
  const exact = parseVersion(text);
  if (exact && exact.parts.length > 2) return { exact };
  if (semver.validRange(text, { loose: true }) === null) return null;
  const alternatives = new semver.Range(text, { loose: true }).set.map(upperBound);
  return alternatives.reduce((highest, one) => (isLower(highest, one) ? one : highest));
}

type UpperBound = { exact: Version } | { below: Version | null };

/** The newest version that all comparators allow. */
const upperBound = (comparators: readonly semver.Comparator[]): UpperBound =>
  comparators.map(boundOf).reduce((lowest, one) => (isLower(one, lowest) ? one : lowest));

function boundOf({ operator, semver: limit }: semver.Comparator): UpperBound {
  if (operator === '>' || operator === '>=' || limit.version === undefined) return { below: null };
  const version: Version = {
    parts: [limit.major, limit.minor, limit.patch],
    early: limit.prerelease.join('.').toLowerCase() || null,
  };
  if (operator !== '<') return { exact: version };
  // "^1.2.3" ends before "2.0.0-0": the prereleases of 2.0.0 are outside as well
  return { below: version.early === '0' ? { ...version, early: null } : version };
}

function isLower(a: UpperBound, b: UpperBound): boolean {
  const [left, right] = [a, b].map((bound) => ('exact' in bound ? bound.exact : bound.below));
  if (left === null || right === null) return left !== null;
  const order = compareVersions(left, right);
  return order < 0 || (order === 0 && 'below' in a && 'exact' in b);
}

function pythonConstraint(text: string): VersionConstraint {
  if (text.includes(',') || text.includes('||')) return null;
  const [, operator, rest] = /^(===?|~=|<=?|>=?|@)?\s*(.*)$/.exec(text)!;
  const open = /^(\d+(?:\.\d+)*)\.\*$/.exec(rest);
  if (open) return { below: nextVersion(open[1].split('.').map(Number)) };
  const version = parseVersion(rest);
  if (!version) return null;
  if (operator?.startsWith('>')) return { below: null };
  if (operator === '<') return { below: version };
  if (operator === '~=') return { below: nextVersion(version.parts.slice(0, Math.max(1, version.parts.length - 1))) };
  return { exact: version };
}

const nextVersion = (parts: number[]): Version => ({ parts: [...parts.slice(0, -1), parts.at(-1)! + 1], early: null });
