import { defineProblem } from '../platform/errors/problem.js';

export const notFullyRevealed = defineProblem({
  code: 'not-laid-open',
  status: 409,
  title: 'Values not fully shown',
  explain:
    'A call can be approved only from a page that shows all of its values. Show the collapsed values, review them, and approve from there. Nothing was decided.',
});
