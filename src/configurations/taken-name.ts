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
