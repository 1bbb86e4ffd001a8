import { Problem } from './problem.js';

/** For pages that show their form again: a refusal is an answer there, anything else stays an error. */
export async function catchProblem<T>(attempt: Promise<T>): Promise<T | Problem> {
  return attempt.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
}
