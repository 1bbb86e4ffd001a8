import { defineProblem } from '../platform/errors/problem.js';

export const sessionRequired = defineProblem({
  code: 'session-required',
  status: 403,
  title: 'Only for signed-in people',
  explain:
    'This is decided by a person in a signed-in session. No token, key or tool can do it, whatever it is allowed otherwise.',
});
