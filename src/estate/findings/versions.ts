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
  if (text.includes('||') || text.includes(' - ') || /[<>]=?\s*[\d.]+\s*[, ]\s*[<>]/.test(text)) return null;
  return manager === 'pypi' ? pythonConstraint(text) : semverConstraint(text);
}

function semverConstraint(text: string): VersionConstraint {
  const range = /^([\^~]|<=?|>=?)?\s*v?(\d.*)$/.exec(text);
  if (!range) return null;
  const [, operator, rest] = range;
  if (operator?.startsWith('>')) return { below: null };
  const open = /^(\d+)(?:\.(\d+))?(?:\.[x*])*$/i.exec(rest);
  if (open && !operator) return { below: nextVersion(open[2] === undefined ? [+open[1]] : [+open[1], +open[2]]) };
  const version = parseVersion(rest);
  if (!version) return null;
  if (!operator) return { exact: version };
  if (operator === '<') return { below: version };
  if (operator === '<=') return { exact: version };
  return { below: operator === '~' ? nextVersion(version.parts.slice(0, 2)) : nextVersion(caretParts(version.parts)) };
}

function pythonConstraint(text: string): VersionConstraint {
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

/** The numbers that "^" fixes: everything up to the first nonzero number. */
function caretParts(parts: number[]): number[] {
  const first = parts.findIndex((part) => part > 0);
  return parts.slice(0, first < 0 ? parts.length : first + 1);
}
