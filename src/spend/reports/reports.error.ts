import { defineProblem } from '../../platform/errors/problem.js';

export const peopleNotShown = defineProblem({
  code: 'spend-people-not-shown',
  status: 403,
  title: "You don't have access to individual usage",
  explain:
    'Only analysts see individual usage, for the groups that an administrator selected. Request totals by group or cost center, or select only groups assigned to you.',
});
