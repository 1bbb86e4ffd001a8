import { defineProblem } from '../platform/errors/problem.js';

export const notFullyRevealed = defineProblem({
  code: 'not-laid-open',
  status: 409,
  title: 'Not everything was opened',
  explain:
    'A call is approved from a page that shows all of it. Open the folded values, read them, and approve from there. Nothing was decided.',
});
