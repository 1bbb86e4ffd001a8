import type { Response } from 'express';
import { problemKinds, type Problem } from '../errors/problem.js';
import { html, sendPage } from './page.js';

/** The content of problem+json as a page. */
export function sendProblemPage(response: Response, problem: Problem, requestId: string): void {
  sendPage(response, {
    status: problem.status,
    title: problem.title,
    body: html`<p>${problem.message}</p>
      <p>${problem.kind.explain}</p>
      <p><a class="button quiet" href="/">Go to Home</a></p>
      <p><small>Code ${problem.code}, request ${requestId}</small></p>`,
  });
}

/** The page at the URL of a problem's "type". Returns false if the code does not exist. */
export function sendProblemKindPage(response: Response, code: string): boolean {
  const kind = problemKinds().get(code);
  if (!kind) return false;
  sendPage(response, {
    title: kind.title,
    body: html`<p><code>${kind.code}</code>, HTTP status ${kind.status}</p>
      <p>${kind.explain}</p>`,
  });
  return true;
}

export function sendProblemKindsPage(response: Response): void {
  const kinds = [...problemKinds().values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
  sendPage(response, {
    title: 'Error codes',
    body: html`<ul>
      ${kinds.map((kind) => html`<li><a href="/problems/${kind.code}">${kind.code}</a> (${kind.status}): ${kind.title}</li>`)}
    </ul>`,
  });
}
