import { defineProblem } from '../../platform/errors/problem.js';

export const feedNotFound = defineProblem({
  code: 'spend-feed-not-found',
  status: 404,
  title: 'Spend sync not found',
  explain: 'No connection with this id provides usage data. A new connection appears shortly after it is created.',
});
