import { defineProblem } from '../platform/errors/problem.js';

export const sessionRequired = defineProblem({
  code: 'session-required',
  status: 403,
  title: 'Signed-in session required',
  explain:
    'Only a signed-in person can do this. Tokens, keys and tools cannot, whatever their permissions are. Sign in and do it in the console.',
});
