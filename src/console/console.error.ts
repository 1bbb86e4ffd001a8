import { defineProblem } from '../platform/errors/problem.js';

export const notFullyRevealed = defineProblem({
  code: 'not-laid-open',
  status: 409,
  title: 'Not all values shown',
  explain:
    'You can approve a call only from a page that shows all its values. Show the collapsed values, read them, and approve from that page. Nothing was decided.',
});
