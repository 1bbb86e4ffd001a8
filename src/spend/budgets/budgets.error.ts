import { defineProblem } from '../../platform/errors/problem.js';

export const budgetNotFound = defineProblem({
  code: 'spend-budget-not-found',
  status: 404,
  title: 'Budget not found',
  explain: 'There is no budget with this id, or it is one of a person whose figures are not shown to you.',
});
export const budgetExists = defineProblem({
  code: 'spend-budget-exists',
  status: 409,
  title: 'There is such a budget already',
  explain:
    'The organization and each group, cost centre and person have at most one budget for all usage and one for what is charged on top. Change the one that is there.',
});
