import { defineProblem } from '../../platform/errors/problem.js';

export const budgetNotFound = defineProblem({
  code: 'spend-budget-not-found',
  status: 404,
  title: 'Budget not found',
  explain: 'There is no budget with this id, or it belongs to a person whose usage you have no access to.',
});
export const budgetExists = defineProblem({
  code: 'spend-budget-exists',
  status: 409,
  title: 'Budget already exists',
  explain:
    'The organization and each group, cost centre and person can have one budget for all usage and one for overage. Edit the existing budget.',
});
