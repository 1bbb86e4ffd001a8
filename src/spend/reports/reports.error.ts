import { defineProblem } from '../../platform/errors/problem.js';

export const peopleNotShown = defineProblem({
  code: 'spend-people-not-shown',
  status: 403,
  title: 'Single people are not shown to you',
  explain:
    'What single people use is shown to analysts, of the groups that an administrator named for them. Ask for sums by group or cost centre, or only for groups that are named for you.',
});
