import { Problem } from './problem.js';

/** For pages that show their form again: returns a problem as a value, and throws any other error. */
export async function catchProblem<T>(attempt: Promise<T>): Promise<T | Problem> {
  return attempt.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
}
