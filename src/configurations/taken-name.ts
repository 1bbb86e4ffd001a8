import type { problem } from '../platform/errors/problem.js';

/** A unique name that another row has becomes a refusal. */
export function refuseTakenName<T>(change: Promise<T>, taken: ReturnType<typeof problem>, name: string): Promise<T> {
  return change.catch((error: unknown) => {
    const { code, constraint } = (error as { driverError?: { code?: string; constraint?: string } }).driverError ?? {};
    throw code === '23505' && constraint?.endsWith('_by_name') ? taken(`The name "${name}" is taken.`) : error;
  });
}
