import { databaseErrorOf } from '../platform/database/database-error.js';
import { configurationNameTaken } from './configurations.error.js';

/** Converts a unique violation of a name to a problem. */
export function refuseTakenName<T>(change: Promise<T>, name: string): Promise<T> {
  return change.catch((error: unknown) => {
    const { code, constraint } = databaseErrorOf(error) ?? {};
    throw code === '23505' && constraint?.endsWith('_by_name')
      ? configurationNameTaken(`The name "${name}" is already in use.`)
      : error;
  });
}

const maxNameLength = 80;

/** The name, or the first of "name 2", "name 3", … that is free. Names that differ only in case are equal. */
export function freeName(name: string, taken: readonly string[]): string {
  const used = new Set(taken.map((one) => one.toLowerCase()));
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const start = name.slice(0, maxNameLength - suffix.length).replace(/[\ud800-\udbff]$/, '');
    const candidate = start.trimEnd() + suffix;
    if (!used.has(candidate.toLowerCase())) return candidate;
  }
}
