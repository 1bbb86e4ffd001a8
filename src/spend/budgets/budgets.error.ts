import { defineProblem } from '../../platform/errors/problem.js';

export const budgetNotFound = defineProblem({
  code: 'spend-budget-not-found',
  status: 404,
  title: 'Budget not found',
  explain: 'No budget with this id exists, or it belongs to a person whose usage is not visible to you.',
});
export const budgetExists = defineProblem({
  code: 'spend-budget-exists',
  status: 409,
  title: 'Budget already exists',
  explain:
    'The organization and each group, cost center and person can have one budget for all usage and one for overage. Change the existing budget.',
});
