import { defineProblem } from '../../platform/errors/problem.js';

export const peopleNotShown = defineProblem({
  code: 'spend-people-not-shown',
  status: 403,
  title: 'No access to individual usage',
  explain:
    'Individual usage is visible only to analysts, for the groups that an administrator granted. Request totals by group or cost centre, or only groups that you have access to.',
});
