import type { Response } from 'express';
import type { Problem } from '../errors/problem.js';

/** The same facts as problem+json, for a person. */
export function problemPage(response: Response, problem: Problem, requestId: string): void {
  response.type('text/plain').send(`${problem.title}\n\n${problem.message}\n\n${problem.kind.explain}\n\nRequest ${requestId}\n`);
}
