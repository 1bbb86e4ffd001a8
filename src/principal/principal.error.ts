import { defineProblem } from '../platform/errors/problem.js';

export const sessionRequired = defineProblem({
  code: 'session-required',
  status: 403,
  title: 'Sign-in session required',
  explain:
    'Only a person in a signed-in session can do this. Tokens, keys and tools cannot, regardless of their permissions.',
});
