import { defineProblem } from '../../platform/errors/problem.js';

export const feedNotFound = defineProblem({
  code: 'spend-feed-not-found',
  status: 404,
  title: 'Usage feed not found',
  explain:
    'No usage is synced from a connection with this id. A new connection is available a few seconds after its creation.',
});
