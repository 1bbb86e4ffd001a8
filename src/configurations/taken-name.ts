import { configurationNameTaken } from './configurations.error.js';

/** Converts a unique violation of a name to a problem. */
export function refuseTakenName<T>(change: Promise<T>, name: string): Promise<T> {
  return change.catch((error: unknown) => {
    const { code, constraint } = (error as { driverError?: { code?: string; constraint?: string } }).driverError ?? {};
    throw code === '23505' && constraint?.endsWith('_by_name')
      ? configurationNameTaken(`The name "${name}" is already in use.`)
      : error;
  });
}
