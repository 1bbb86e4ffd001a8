import { defineProblem } from '../../platform/errors/problem.js';

export const feedNotFound = defineProblem({
  code: 'spend-feed-not-found',
  status: 404,
  title: 'Nothing is pulled here',
  explain:
    'There is no connection with this id that usage is pulled from. A new one is seen a moment after it was made.',
});
